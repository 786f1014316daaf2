// No index of the file has superseded texts: those in scope of a query are indexed in memory.
#include "memory/sqlite/reading/as_of.h"

#include <algorithm>

#include "lib/base/text/text.h"
#include "lib/sqlite/scratch_index.h"
#include "memory/model/terms.h"
#include "memory/model/words.h"
#include "memory/sqlite/tables/live.h"
#include "memory/sqlite/tables/recency_index.h"
#include "memory/sqlite/tables/rows.h"
#include "memory/sqlite/tables/viewer.h"
#include "memory/store/answer_limit.h"

namespace memory {

using api::Observation;
using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

namespace {

constexpr size_t kMaxReplaced = 2000;           // texts that one query reads
constexpr size_t kMaxTextBytes = kAnswerBytes;  // of each kind

// Rows of one present type; their earlier texts may have had another.
Status ReadType(Database& database, int64_t range, const std::string& type,
                const SearchScope& scope, const Filter& filter, std::vector<Text>& texts) {
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare(
          "SELECT o.slot, o.id, r.revision, r.written_ms "
          "FROM observations o JOIN revisions r ON r.id = o.id "
          "WHERE o.range = ?1 AND o.type = ?6 AND " MEMORY_LIVE "AND o.updated_ms > ?2 "
          "AND r.written_ms <= ?2 AND r.replaced_ms > ?2 AND (CAST(?3 AS BIGINT) IS NULL OR "
          "o.project = ?3) "
          "AND r.replaced_ms > kept_since(o.project, o.scope, o.type) "
          "AND CASE WHEN CAST(?4 AS TEXT) IS NULL THEN r.type NOT IN " MEMORY_UNASKED_TYPES
          " ELSE r.type = ?4 "
          "END " MEMORY_SEEN_BY("?7", "?8",
                                "?9") "ORDER BY r.written_ms DESC, o.id DESC LIMIT ?5"));
  read.Bind(range)
      .Bind(*filter.as_of_ms)
      .Bind(scope.project)
      .Bind(filter.type)
      .Bind(static_cast<int64_t>(kMaxReplaced + 1))
      .Bind(std::string_view(type));
  BindViewer(read, filter.viewer);
  return read.ForEachRow([&](const Statement& row) {
    texts.push_back({row.Int(0), row.Int(1), row.Int(2), row.Int(3)});
  });
}

// The rows changed since, one type after the other along the index.
Status ReadRange(Database& database, int64_t range, const SearchScope& scope, const Filter& filter,
                 std::vector<Text>& texts) {
  ASSIGN_OR_RETURN(std::vector<std::string> types, TypesOf(database, range, std::nullopt));
  for (const std::string& type : types)
    RETURN_IF_ERROR(ReadType(database, range, type, scope, filter, texts));
  return {};
}

bool WasWrittenLater(const Text& a, const Text& b) {
  return a.written_ms != b.written_ms ? a.written_ms > b.written_ms : a.id > b.id;
}

// Like the ranker: a topic key, or a text that looks like a prefix of one.
bool IsTopic(const std::string& topic_key, std::string_view text) {
  if (topic_key.empty() || text.empty()) return false;
  bool key_like =
      text.find_first_of("-_/.:") != std::string::npos && text.find(' ') == std::string::npos;
  return key_like ? topic_key.starts_with(text) : topic_key == text;
}

Result<Statement> ReadText(Database& database, const Text& text) {
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare(text.revision == 0
                           ? "SELECT title, content, tags, coalesce(topic_key, '') "
                             "FROM observations WHERE slot = ?1"
                           : "SELECT r.title, r.content, r.tags, coalesce(o.topic_key, '') "
                             "FROM observations o JOIN revisions r ON r.id = o.id "
                             "WHERE o.slot = ?1 AND r.revision = ?2"));
  read.Bind(text.slot);
  if (text.revision != 0) read.Bind(text.revision);
  ASSIGN_OR_RETURN(bool row, read.Step());
  if (!row) return Error{Code::kInternal, "a text vanished inside its snapshot"};
  return read;
}

// Indexes texts up to the limit of a query, and records rows whose topic the query names.
struct TextReader {
  Database& database;
  sqlite::ScratchIndex& index;
  std::string_view topic;  // empty: none
  std::vector<size_t> topics;
  bool partial = false;

  Status Read(const std::vector<RankedText>& texts, size_t first) {
    size_t bytes = 0;
    for (size_t i = first; i < texts.size(); ++i) {
      RETURN_IF_ERROR(database.WithinLimits());
      if (partial = partial || bytes > kMaxTextBytes; bytes > kMaxTextBytes) return {};
      ASSIGN_OR_RETURN(Statement read, ReadText(database, texts[i].text));
      const std::string title = read.Text(0), content = read.Text(1), tags = read.Text(2);
      bytes += title.size() + content.size() + tags.size();
      RETURN_IF_ERROR(index.Add(static_cast<int64_t>(i), title, content, tags,
                                WithTags(AddedTerms(title + " " + content), tags)));
      if (IsTopic(read.Text(3), topic)) topics.push_back(i);
    }
    return {};
  }
};

}  // namespace

bool IsNewer(const Observation& a, const Observation& b) {
  return a.updated_ms != b.updated_ms ? a.updated_ms > b.updated_ms : a.id > b.id;
}

Result<SupersededTexts> FindSuperseded(Database& database, const SearchScope& scope,
                                       const Filter& filter, int64_t deadline_ms) {
  SupersededTexts replaced;
  ASSIGN_OR_RETURN(std::vector<int64_t> ranges, SlotRanges(database, scope));
  const sql::TimeLimit limit(database, deadline_ms, filter.stop);
  Status read;
  for (int64_t range : ranges) {
    read = ReadRange(database, range, scope, filter, replaced.texts);
    if (!read) break;
    // The newest of each range; kMaxReplaced of all together.
    std::sort(replaced.texts.begin(), replaced.texts.end(), WasWrittenLater);
    if (replaced.texts.size() > kMaxReplaced + 1) replaced.texts.resize(kMaxReplaced + 1);
  }
  if (!read && read.error().code != Code::kTimeout) return read.error();
  replaced.partial = !read || replaced.texts.size() > kMaxReplaced;
  if (replaced.texts.size() > kMaxReplaced) replaced.texts.resize(kMaxReplaced);
  return replaced;
}

Result<RankedAsOf> RankAsOf(Database& database, std::vector<RankedText> matches,
                            const SupersededTexts& replaced, const std::string& question,
                            bool operators) {
  if (replaced.texts.empty()) return RankedAsOf{std::move(matches)};
  const std::string expression =
      operators ? question : AnyWordOf(ReadQuestion(question)).expression;
  const size_t live = matches.size();
  ASSIGN_OR_RETURN(sqlite::ScratchIndex index, sqlite::ScratchIndex::Make());
  TextReader reading{database, index, operators ? std::string_view() : base::Trim(question), {}};
  std::vector<RankedText> all = matches;
  RETURN_IF_ERROR(reading.Read(all, 0));
  for (const Text& text : replaced.texts) all.push_back({text});
  RETURN_IF_ERROR(reading.Read(all, live));
  std::vector<sqlite::ScratchIndex::Hit> hits;
  if (!expression.empty()) {
    ASSIGN_OR_RETURN(hits, index.Match(expression));
  }
  const double best = hits.empty() ? 0 : hits[0].rank;
  bool any_replaced = false;
  RankedAsOf ranked{{}, reading.partial};
  std::vector<bool> taken(all.size());
  auto take = [&](size_t i, double rank) {
    if (taken[i]) return;
    taken[i] = true;
    any_replaced = any_replaced || i >= live;
    ranked.texts.push_back({all[i].text, rank});
  };
  for (size_t i : reading.topics) take(i, best - 1);
  for (const sqlite::ScratchIndex::Hit& hit : hits) take(static_cast<size_t>(hit.number), hit.rank);
  if (!any_replaced) ranked.texts = std::move(matches);
  return ranked;
}

Result<Observation> LoadText(Database& database, const Text& text) {
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare(
          text.revision == 0
              ? MEMORY_SELECT_OBSERVATION "WHERE o.slot = ?1"
              : "SELECT o.id, s.id, r.type, r.title, r.content, p.name, r.tags, o.scope, "
                "o.topic_key, '', r.revision, 0, r.written_ms, o.created_ms, r.written_ms, '', '', "
                "'', r.origin FROM observations o JOIN revisions r ON r.id = o.id "
                "JOIN sessions s ON s.number = o.session JOIN projects p ON p.number = o.project "
                "WHERE o.slot = ?1 AND r.revision = ?2"));
  read.Bind(text.slot);
  if (text.revision != 0) read.Bind(text.revision);
  ASSIGN_OR_RETURN(bool row, read.Step());
  if (!row) return Error{Code::kInternal, "a text vanished inside its snapshot"};
  return ObservationAt(read);
}

}  // namespace memory
