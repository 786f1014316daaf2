// FTS5 hands out which words stand where through an auxiliary function; everything else is
// arithmetic on that. bm25() is not used: it counts each word's rows over the whole file, once per
// query.
#include "memory/ranker.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "lib/api/memory_api.h"
#include "lib/base/text.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;

namespace {

constexpr int kTitleColumn = 0, kTagColumn = 2;
// From so many matches on, only rows with a word that few rows hold are scored (retrieval: x9).
constexpr size_t kScoreAll = 1024;
constexpr size_t kScoreAtMost = 8192;
constexpr double kCommon = 0.1;  // share of the rows
constexpr int64_t kReach = 3;
constexpr size_t kMaxTopics = 20;
constexpr int64_t kRangeBits = 32;
constexpr size_t kKeptWords = 4096;  // of a connection, from one question to the next

struct Match {
  int64_t slot;
  size_t first, count;  // its part of Sink::words
};

}  // namespace

struct Ranker::Sink {
  std::vector<Match> matches;
  std::vector<WordHit> words;
  std::vector<size_t> owner;  // phrase → word; empty: the phrase is the word
  // What one large question took is given back: it would stay with each connection for good.
  void Clear() {
    if (words.capacity() > kKeptWords) std::vector<WordHit>().swap(words);
    if (matches.capacity() > kKeptWords) std::vector<Match>().swap(matches);
    matches.clear();
    words.clear();
    owner.clear();
  }
  // Called by FTS5 once per matching row.
  static void Take(const Fts5ExtensionApi* api, Fts5Context* context, sqlite3_context* result, int,
                   sqlite3_value**);
};

void Ranker::Sink::Take(const Fts5ExtensionApi* api, Fts5Context* context, sqlite3_context* result,
                        int, sqlite3_value**) {
  Sink& sink = *static_cast<Sink*>(api->xUserData(context));
  Match match{api->xRowid(context), sink.words.size(), 0};
  int instances = 0;
  api->xInstCount(context, &instances);
  for (int i = 0; i < instances; ++i) {
    int phrase = 0, column = 0, offset = 0;
    if (api->xInst(context, i, &phrase, &column, &offset) != SQLITE_OK) break;
    size_t index = static_cast<size_t>(phrase);
    uint32_t word = static_cast<uint32_t>(index < sink.owner.size() ? sink.owner[index] : index);
    auto known =
        std::find_if(sink.words.begin() + static_cast<std::ptrdiff_t>(match.first),
                     sink.words.end(), [&](const WordHit& hit) { return hit.word == word; });
    WordHit& hit = known == sink.words.end()
                       ? sink.words.emplace_back(WordHit{word, 0, false, false})
                       : *known;
    if (column == kTitleColumn)
      hit.title = true;
    else if (column == kTagColumn)
      hit.tag = true;
    else
      ++hit.content;
  }
  match.count = sink.words.size() - match.first;
  sink.matches.push_back(match);
  sqlite3_result_int(result, 0);
}

Ranker::Ranker(std::unique_ptr<Sink> sink) : sink_(std::move(sink)) {}
Ranker::Ranker(Ranker&&) noexcept = default;
Ranker::~Ranker() = default;

Result<Ranker> Ranker::Make(sqlite::Database& database) {
  auto sink = std::make_unique<Sink>();
  fts5_api* api = nullptr;
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database.handle(), "SELECT fts5(?1)", -1, &statement, nullptr) ==
      SQLITE_OK) {
    sqlite3_bind_pointer(statement, 1, &api, "fts5_api_ptr", nullptr);
    sqlite3_step(statement);
  }
  sqlite3_finalize(statement);
  if (!api || api->xCreateFunction(api, "hits", sink.get(), Sink::Take, nullptr) != SQLITE_OK) {
    return Error{Code::kInternal, "this SQLite's FTS5 takes no auxiliary functions"};
  }
  return Ranker(std::move(sink));
}

namespace {

Status FindRange(sqlite::Database& database, const std::string& expression, int64_t low,
                 int64_t high) {
  ASSIGN_OR_RETURN(sqlite::Statement find,
                   database.Prepare("SELECT hits(words) FROM words WHERE words MATCH ?1 AND "
                                    "rowid BETWEEN ?2 AND ?3"));
  find.Bind(expression).Bind(low).Bind(high);
  return find.Run();
}

Error NoExpression(const std::string& reason) {
  return Error{Code::kInvalid, "q is not a valid FTS5 expression: " + reason};
}

// Runs the expression over the ranges. kTimeout is not an error here: what was found counts.
Result<bool> FindMatches(sqlite::Database& database, const RankQuery& query,
                         const std::string& expression) {
  // "*reads" and "*id" are questions to FTS5 itself, which an auxiliary function does not survive.
  if (expression.starts_with('*')) return NoExpression("nothing stands before the *");
  database.SetDeadline(query.deadline_ms);
  Status found;
  if (query.ranges.empty()) found = FindRange(database, expression, 0, INT64_MAX);
  for (int64_t range : query.ranges) {
    if (!found) break;
    found = FindRange(database, expression, range << kRangeBits, ((range + 1) << kRangeBits) - 1);
  }
  database.SetDeadline(0);
  if (found) return false;
  if (found.error().code == Code::kTimeout) return true;
  // Anything else than a plain error is no fault of the expression.
  if (query.operators && sqlite3_errcode(database.handle()) == SQLITE_ERROR)
    return NoExpression(sqlite3_errmsg(database.handle()));
  return found.error();
}

Result<Statistics> StatisticsOf(sqlite::Database& database, const RankQuery& query, size_t words) {
  Statistics statistics;
  statistics.rows_with.assign(words, 0);
  double total = 0;
  auto add = [&](sqlite::Statement& read) -> Status {
    ASSIGN_OR_RETURN(bool row, read.Step());
    if (row) statistics.rows += read.Real(0), total += read.Real(1);
    return {};
  };
  if (query.ranges.empty()) {
    ASSIGN_OR_RETURN(sqlite::Statement read,
                     database.Prepare("SELECT sum(live_rows), sum(live_words) FROM ranges"));
    RETURN_IF_ERROR(add(read));
  }
  for (int64_t range : query.ranges) {
    ASSIGN_OR_RETURN(
        sqlite::Statement read,
        database.Prepare("SELECT live_rows, live_words FROM ranges WHERE number = ?1"));
    read.Bind(range);
    RETURN_IF_ERROR(add(read));
  }
  statistics.average_words = statistics.rows > 0 ? total / statistics.rows : 1;
  return statistics;
}

// Bounds the work of a question that matches much: rows without any rare word go first, then the
// weakest by a sum of inverse frequencies.
void Prune(std::vector<Match>& matches, const std::vector<WordHit>& words,
           const Statistics& statistics) {
  if (matches.size() <= kScoreAll) return;
  double rarest = INFINITY;
  for (double rows : statistics.rows_with) {
    if (rows > 0) rarest = std::min(rarest, rows);
  }
  auto rare = [&](const Match& match) {
    for (size_t i = match.first; i < match.first + match.count; ++i) {
      double rows = statistics.rows_with[words[i].word];
      if (rows <= kCommon * statistics.rows || rows == rarest) return true;
    }
    return false;
  };
  std::erase_if(matches, [&](const Match& match) { return !rare(match); });
  if (matches.size() <= kScoreAtMost) return;
  auto strength = [&](const Match& match) {
    double sum = 0;
    for (size_t i = match.first; i < match.first + match.count; ++i) {
      sum += InverseFrequency(statistics.rows, statistics.rows_with[words[i].word]);
    }
    return sum;
  };
  std::vector<std::pair<double, Match>> strong;
  for (const Match& match : matches) strong.emplace_back(strength(match), match);
  auto border = strong.begin() + static_cast<std::ptrdiff_t>(kScoreAtMost);
  std::nth_element(strong.begin(), border, strong.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second.slot > b.second.slot;
  });
  matches.clear();
  for (auto at = strong.begin(); at != border; ++at) matches.push_back(at->second);
}

// The places and facts of the matching rows, all in one look-up; sorts `matches` by slot.
Result<std::vector<Record>> LoadRecords(sqlite::Database& database, std::vector<Match>& matches,
                                        const std::vector<WordHit>& words) {
  std::sort(matches.begin(), matches.end(),
            [](const Match& a, const Match& b) { return a.slot < b.slot; });
  std::string slots = "[";
  for (const Match& match : matches)
    slots += (&match == &matches[0] ? "" : ",") + std::to_string(match.slot);
  slots += "]";
  ASSIGN_OR_RETURN(
      sqlite::Statement read,
      database.Prepare("SELECT o.slot, session, position, words, marks, created_ms "
                       "FROM json_each(?1) j CROSS JOIN observations o ON o.slot = j.value"));
  read.Bind(std::string_view(slots));
  std::vector<Record> records;
  records.reserve(matches.size());
  auto match = matches.begin();
  for (;;) {
    ASSIGN_OR_RETURN(bool row, read.Step());
    if (!row) return records;
    int64_t slot = read.Int(0);
    while (match->slot != slot) ++match;  // both in order of slots
    auto first = words.begin() + static_cast<std::ptrdiff_t>(match->first);
    records.push_back(
        {slot, read.Int(1), read.Int(2), read.Int(3), read.Int(4), read.Int(5),
         std::vector<WordHit>(first, first + static_cast<std::ptrdiff_t>(match->count))});
  }
}

// Adds the records within reach of a match, stretch by stretch of each session.
Status AddNeighbours(sqlite::Database& database, const RankQuery& query,
                     std::vector<Record>& records) {
  std::unordered_set<int64_t> known;
  std::vector<std::pair<int64_t, int64_t>> places;
  for (const Record& record : records) {
    known.insert(record.slot);
    places.emplace_back(record.session, record.position);
  }
  std::sort(places.begin(), places.end());
  for (size_t i = 0; i < places.size();) {
    size_t last = i;
    while (last + 1 < places.size() && places[last + 1].first == places[i].first &&
           places[last + 1].second - places[last].second <= 2 * kReach + 1) {
      ++last;
    }
    ASSIGN_OR_RETURN(
        sqlite::Statement read,
        database.Prepare("SELECT slot, position, words, marks, created_ms FROM observations "
                         "WHERE session = ?1 AND position BETWEEN ?2 AND ?3"));
    read.Bind(places[i].first).Bind(places[i].second - kReach).Bind(places[last].second + kReach);
    for (;;) {
      ASSIGN_OR_RETURN(bool row, read.Step());
      if (!row) break;
      int64_t slot = read.Int(0);
      bool inside = query.ranges.empty() || std::find(query.ranges.begin(), query.ranges.end(),
                                                      slot >> kRangeBits) != query.ranges.end();
      if (!inside || !known.insert(slot).second) continue;
      records.push_back(
          {slot, places[i].first, read.Int(1), read.Int(2), read.Int(3), read.Int(4), {}});
    }
    i = last + 1;
  }
  return {};
}

// A text that is a topic key, or the beginning of one, finds its row (rulings K10, K48).
Status AddTopics(sqlite::Database& database, const RankQuery& query, std::vector<Scored>& rows) {
  std::string text(base::Trim(query.text));
  if (text.empty() || base::CountCharacters(text) > api::kMaxTopicKey) return {};
  bool key_like =
      text.find_first_of("-_/.:") != std::string::npos && text.find(' ') == std::string::npos;
  ASSIGN_OR_RETURN(
      sqlite::Statement read,
      database.Prepare("SELECT slot, topic_key = ?1 FROM observations WHERE deleted_ms IS NULL AND "
                       "topic_key >= ?1 AND topic_key < ?2 LIMIT ?3"));
  // U+10FFFF sorts behind every character; for an exact look-up NUL ends the range at once.
  read.Bind(text).Bind(text + (key_like ? std::string("\U0010FFFF") : std::string(1, '\0')));
  read.Bind(static_cast<int64_t>(kMaxTopics));
  double best = rows.empty() ? 0 : rows[0].score;
  for (;;) {
    ASSIGN_OR_RETURN(bool row, read.Step());
    if (!row) break;
    int64_t slot = read.Int(0);
    bool inside = query.ranges.empty() || std::find(query.ranges.begin(), query.ranges.end(),
                                                    slot >> kRangeBits) != query.ranges.end();
    if (!inside) continue;
    std::erase_if(rows, [&](const Scored& other) { return other.slot == slot; });
    rows.push_back({slot, best + (read.Int(1) ? 1.0 : 0.5)});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Scored& a, const Scored& b) { return a.score > b.score; });
  return {};
}

// Walks down the ranking until `limit` rows are live and asked for.
Result<std::vector<Scored>> Select(sqlite::Database& database, const RankQuery& query,
                                   const std::vector<Scored>& ranked) {
  std::vector<Scored> selected;
  for (const Scored& row : ranked) {
    if (selected.size() >= query.limit) break;
    ASSIGN_OR_RETURN(
        sqlite::Statement read,
        database.Prepare("SELECT type, project, type IN ('audit', 'security') FROM observations "
                         "WHERE slot = ?1 AND deleted_ms IS NULL"));
    read.Bind(row.slot);
    ASSIGN_OR_RETURN(bool live, read.Step());
    if (!live) continue;
    if (query.type ? read.Text(0) != *query.type : read.Int(2) != 0) continue;
    if (query.project && read.Int(1) != *query.project) continue;
    selected.push_back(row);
  }
  return selected;
}

}  // namespace

Result<Ranking> Ranker::Rank(sqlite::Database& database, const RankQuery& query) {
  sink_->Clear();
  Ranking ranking;
  Question question = ReadQuestion(query.text);
  std::string expression = query.text;
  size_t words = 0;
  if (!query.operators) {
    MatchText match = AnyWordOf(question);
    expression = std::move(match.expression);
    sink_->owner = std::move(match.owner);
    words = question.words.size();
  }
  if (!expression.empty()) {
    ASSIGN_OR_RETURN(ranking.partial, FindMatches(database, query, expression));
  }
  for (const WordHit& hit : sink_->words) words = std::max<size_t>(words, hit.word + 1);
  ASSIGN_OR_RETURN(Statistics statistics, StatisticsOf(database, query, words));
  for (const WordHit& hit : sink_->words) ++statistics.rows_with[hit.word];
  Prune(sink_->matches, sink_->words, statistics);
  ASSIGN_OR_RETURN(std::vector<Record> records,
                   LoadRecords(database, sink_->matches, sink_->words));
  if (query.neighbours) RETURN_IF_ERROR(AddNeighbours(database, query, records));
  std::vector<Scored> ranked = Score(std::move(records), statistics, question.asks_when);
  if (!query.operators) RETURN_IF_ERROR(AddTopics(database, query, ranked));
  ASSIGN_OR_RETURN(ranking.rows, Select(database, query, ranked));
  sink_->Clear();
  return ranking;
}

}  // namespace memory
