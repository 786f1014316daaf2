// Readers find the texts that quote a row before the writer's transaction.
#include "memory/sqlite/removal/erase_quotes.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "lib/base/json/json.h"
#include "memory/model/marks.h"
#include "memory/sqlite/cells/cell_tables.h"
#include "memory/sqlite/reading/snapshot.h"
#include "memory/sqlite/removal/hidden_parts.h"
#include "memory/sqlite/tables/rows.h"
#include "memory/sqlite/tables/vectors.h"
#include "memory/sqlite/tables/viewer.h"
#include "memory/sqlite/tables/waiting.h"

namespace memory {

using base::Quotes;
using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

namespace {

constexpr size_t kRowsAtOnce = 256;  // of one snapshot

// Digests of sessions (sidecar/session/digest.h): live ones, and hidden ones.
constexpr const char* kDigests =
    "SELECT slot FROM observations WHERE topic_key >= 'session/' AND topic_key < 'session0' AND "
    "deleted_ms IS NULL AND type = 'session' UNION ALL SELECT slot FROM observations WHERE "
    "deleted_ms IS NOT NULL AND type = 'session' AND topic_key >= 'session/' AND topic_key < "
    "'session0'";

// False: there is none of the rows.
Result<bool> ReadQuotes(Database& database, std::span<const int64_t> ids, Quotes& quotes) {
  bool any = false;
  for (const int64_t id : ids) {
    for (const char* sql : {"SELECT title, content FROM observations WHERE id = ?1",
                            "SELECT title, content FROM revisions WHERE id = ?1"}) {
      ASSIGN_OR_RETURN(Statement read, database.Prepare(sql));
      RETURN_IF_ERROR(read.Bind(id).ForEachRow([&](const Statement& row) {
        any = true;
        quotes.AddTitle(row.Text(0));
        quotes.AddContent(row.Text(1));
      }));
    }
  }
  return any;
}

Result<bool> DigestQuotes(Database& database, const Quotes& quotes, int64_t slot) {
  for (const char* sql :
       {"SELECT title, content FROM observations WHERE slot = ?1",
        "SELECT r.title, r.content FROM revisions r JOIN observations o ON o.id = "
        "r.id WHERE o.slot = ?1"}) {
    bool any = false;
    ASSIGN_OR_RETURN(Statement read, database.Prepare(sql));
    RETURN_IF_ERROR(read.Bind(slot).ForEachRow([&](const Statement& row) {
      any = quotes.EraseFrom(row.Text(0)) || quotes.EraseFrom(row.Text(1));
      return !any;
    }));
    if (any) return true;
  }
  return false;
}

// → whether the row quoted.
Result<bool> EraseFromDigest(Database& writer, const Quotes& quotes, int64_t slot,
                             const FactsOfText& facts_of) {
  ASSIGN_OR_RETURN(const bool quotes_it, DigestQuotes(writer, quotes, slot));
  if (!quotes_it) return false;
  ASSIGN_OR_RETURN(const api::Observation row, ReadRow(writer, slot));
  const std::string title = quotes.EraseFrom(row.title).value_or(row.title);
  const std::string content = quotes.EraseFrom(row.content).value_or(row.content);
  const TextFacts facts = facts_of(title, content);
  RETURN_IF_ERROR(RemoveFromIndex(writer, slot));
  ASSIGN_OR_RETURN(Statement write,
                   writer.Prepare("UPDATE observations SET title = ?2, content = ?3, grams = ?4, "
                                  "hash = ?5, words = ?6, marks = ?7 WHERE slot = ?1"));
  write.Bind(slot).Bind(title).Bind(content);
  const std::string tags = base::DumpJson(row.tags);
  write.Bind(WithTags(facts.grams, tags)).Bind(api::NormalizedHash(content));
  RETURN_IF_ERROR(write.Bind(facts.words).Bind(facts.flags | MarksOf(tags)).Run());
  RETURN_IF_ERROR(PutVector(writer, slot, facts));
  RETURN_IF_ERROR(AddToIndex(writer, slot));
  std::vector<std::pair<int64_t, std::pair<std::string, std::string>>> revisions;
  {
    ASSIGN_OR_RETURN(
        Statement read,
        writer.Prepare("SELECT revision, title, content FROM revisions WHERE id = ?1"));
    RETURN_IF_ERROR(read.Bind(row.id).ForEachRow([&](const Statement& old) {
      revisions.push_back({old.Int(0), {old.Text(1), old.Text(2)}});
    }));
  }
  for (const auto& [revision, texts] : revisions) {
    ASSIGN_OR_RETURN(Statement change,
                     writer.Prepare("UPDATE revisions SET title = ?3, content = ?4 "
                                    "WHERE id = ?1 AND revision = ?2"));
    change.Bind(row.id).Bind(revision);
    change.Bind(quotes.EraseFrom(texts.first).value_or(texts.first));
    RETURN_IF_ERROR(change.Bind(quotes.EraseFrom(texts.second).value_or(texts.second)).Run());
  }
  return true;
}

Status EraseQuotesOf(Database& writer, const Quotes& quotes, int64_t session) {
  std::optional<std::string> rest;
  {
    ASSIGN_OR_RETURN(Statement read,
                     writer.Prepare("SELECT summary FROM sessions WHERE number = ?1"));
    ASSIGN_OR_RETURN(bool row, read.Bind(session).Step());
    if (row) rest = quotes.EraseFrom(read.Text(0));
  }
  if (!rest) return {};
  ASSIGN_OR_RETURN(Statement write,
                   writer.Prepare("UPDATE sessions SET summary = ?2 WHERE number = ?1"));
  return write.Bind(session).Bind(*rest).Run();
}

// The texts that stay. Columns: the place in the order of the walk, a name, the text. ?1: the place
// before; ?2: the erased row; ?3…?5: the viewer.
struct Texts {
  const char* kind;
  const char* sql;
  bool of_one = false;   // of a single caller
  bool of_rows = false;  // of observations, whose name is a number
};
#define MEMORY_OTHER "o.slot > ?1 AND o.id <> ?2 AND (o.type <> 'session' OR o.topic_key IS NULL) "
constexpr Texts kTexts[] = {
    {"observation",
     "SELECT o.slot, o.id, o.title || char(10) || o.content FROM observations o WHERE " MEMORY_OTHER
     "AND o.deleted_ms IS NULL " MEMORY_SEEN_BY("?3", "?4", "?5") "ORDER BY o.slot",
     false, true},
    {"hidden observation",
     "SELECT o.slot, o.id, o.title || char(10) || o.content FROM observations o WHERE " MEMORY_OTHER
     "AND o.deleted_ms IS NOT NULL " MEMORY_SEEN_BY("?3", "?4", "?5") "ORDER BY o.slot",
     false, true},
    {"revision",
     "SELECT o.slot, o.id, (SELECT group_concat(r.title || char(10) || r.content, char(10)) FROM "
     "revisions r WHERE r.id = o.id) FROM observations o WHERE " MEMORY_OTHER
     "AND o.revision_count > 1 " MEMORY_SEEN_BY("?3", "?4", "?5") "ORDER BY o.slot",
     false, true},
    {"turn",
     "SELECT number, uuid, body || char(10) || facts FROM ingest_turns WHERE number > ?1 AND ?2 = "
     "?2 ORDER BY number",
     true},
    {"message",
     "SELECT number, conversation, content || char(10) || coalesce(tool_calls, '') FROM messages "
     "WHERE number > ?1 AND ?2 = ?2 ORDER BY number",
     true},
};

// Those that every caller may see first.
std::vector<Texts> AllTexts() {
  std::vector<Texts> all(std::begin(kTexts), std::end(kTexts));
  for (const CellTable& table : CellTables())
    all.push_back({table.kind.one, table.texts, table.kind.of_agents});
  std::ranges::stable_partition(all, [](const Texts& texts) { return !texts.of_one; });
  return all;
}

int64_t MonotonicMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Result<Quoting> FindQuoting(ReaderPool& readers, std::span<const int64_t> ids) {
  Quotes quotes;
  Quoting found;
  std::vector<int64_t> digests;
  {
    ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(readers));
    ASSIGN_OR_RETURN(bool any, ReadQuotes(snapshot.database(), ids, quotes));
    if (!any) return found;
    ASSIGN_OR_RETURN(Statement read, snapshot.database().Prepare(kDigests));
    RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) { digests.push_back(row.Int(0)); }));
  }
  int64_t after = 0;
  for (size_t rows = kRowsAtOnce; rows == kRowsAtOnce;) {
    ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(readers));
    ASSIGN_OR_RETURN(Statement read,
                     snapshot.database().Prepare("SELECT number, summary FROM sessions WHERE "
                                                 "number > ?1 ORDER BY number LIMIT ?2"));
    read.Bind(after).Bind(static_cast<int64_t>(kRowsAtOnce));
    rows = 0;
    RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) {
      ++rows;
      after = row.Int(0);
      if (quotes.EraseFrom(row.Text(1))) found.sessions.push_back(after);
    }));
  }
  for (size_t first = 0; first < digests.size(); first += kRowsAtOnce) {
    ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(readers));
    for (size_t i = first; i < std::min(digests.size(), first + kRowsAtOnce); ++i) {
      ASSIGN_OR_RETURN(const bool quoting, DigestQuotes(snapshot.database(), quotes, digests[i]));
      if (quoting) found.digests.push_back(digests[i]);
    }
  }
  return found;
}

Result<std::vector<int64_t>> EraseQuotes(Database& writer, std::span<const int64_t> ids,
                                         Quoting quoting, int64_t since_ms,
                                         const FactsOfText& facts_of) {
  Quotes quotes;
  RETURN_IF_ERROR(ReadQuotes(writer, ids, quotes));
  ASSIGN_OR_RETURN(
      Statement sessions,
      writer.Prepare("SELECT number FROM sessions INDEXED BY sessions_newest_summaries "
                     "WHERE summarized_ms > 0 AND summarized_ms >= ?1"));
  RETURN_IF_ERROR(sessions.Bind(since_ms).ForEachRow(
      [&](const Statement& row) { quoting.sessions.push_back(row.Int(0)); }));
  for (int64_t session : quoting.sessions) RETURN_IF_ERROR(EraseQuotesOf(writer, quotes, session));
  ASSIGN_OR_RETURN(Statement digests,
                   writer.Prepare("SELECT slot FROM observations WHERE topic_key >= 'session/' AND "
                                  "topic_key < 'session0' AND deleted_ms IS NULL AND type = "
                                  "'session' AND updated_ms >= ?1"));
  RETURN_IF_ERROR(digests.Bind(since_ms).ForEachRow(
      [&](const Statement& row) { quoting.digests.push_back(row.Int(0)); }));
  std::vector<int64_t> changed;
  for (int64_t slot : quoting.digests) {
    ASSIGN_OR_RETURN(const auto there, FindObservation(writer, slot));
    if (!there || std::ranges::find(ids, there->id) != ids.end()) continue;
    ASSIGN_OR_RETURN(const bool did, EraseFromDigest(writer, quotes, slot, facts_of));
    if (did) changed.push_back(slot);
  }
  return changed;
}

Result<QuotingPlaces> FindPlaces(ReaderPool& readers, int64_t id,
                                 const std::optional<Viewer>& viewer, bool callers,
                                 int64_t deadline_ms) {
  QuotingPlaces places;
  Quotes quotes;
  std::vector<int64_t> erased;  // with the row
  {
    ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(readers));
    ASSIGN_OR_RETURN(erased, FindHiddenParts(snapshot.database(), id));
    erased.insert(erased.begin(), id);
    for (const char* sql : {"SELECT title, content FROM observations WHERE id = ?1",
                            "SELECT title, content FROM revisions WHERE id = ?1 ORDER BY revision "
                            "DESC LIMIT 50"}) {
      ASSIGN_OR_RETURN(Statement read, snapshot.database().Prepare(sql));
      RETURN_IF_ERROR(read.Bind(id).ForEachRow([&](const Statement& row) {
        places.titles.push_back(row.Text(0));
        places.texts.push_back(row.Text(1));
      }));
    }
    ASSIGN_OR_RETURN(bool any, ReadQuotes(snapshot.database(), {&id, 1}, quotes));
    if (!any) return places;
  }
  for (const Texts& texts : AllTexts()) {
    if (texts.of_one && !callers) continue;
    int64_t after = INT64_MIN;
    for (size_t rows = kRowsAtOnce; rows == kRowsAtOnce;) {
      if (places.rows.size() >= kMostPlaces || MonotonicMs() > deadline_ms) {
        places.partial = true;
        return places;
      }
      ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(readers));
      ASSIGN_OR_RETURN(Statement read, snapshot.database().Prepare(texts.sql));
      read.Bind(after).Bind(id);
      if (texts.of_rows) BindViewer(read, viewer);
      rows = 0;
      RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) {
        after = row.Int(0);
        const bool goes = texts.of_rows && std::ranges::find(erased, row.Int(1)) != erased.end();
        if (!goes && quotes.EraseFrom(row.Text(2)))
          places.rows.push_back({texts.kind, row.Text(1)});
        return ++rows < kRowsAtOnce && places.rows.size() < kMostPlaces;
      }));
    }
  }
  return places;
}

}  // namespace memory
