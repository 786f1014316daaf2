// FTS5 hands out which words stand where through an auxiliary function; everything else is
// arithmetic on that. bm25() is not used: it counts each word's rows over the whole file, once per
// query.
#include "memory/ranker.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <unordered_set>

#include "lib/api/memory_api.h"
#include "lib/base/text.h"
#include "memory/store_index.h"
#include "memory/store_retention.h"

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
constexpr int64_t kMaxTopics = 20;    // of a range
constexpr size_t kKeptWords = 4096;   // of a connection, from one question to the next
constexpr size_t kSortedAtOnce = 64;  // of a ranking: seldom more are looked at

}  // namespace

struct Ranker::Sink {
  Matches found;
  std::vector<size_t> owner;  // phrase → word; empty: the phrase is the word
  // What one large question took is given back: it would stay with each connection for good.
  void Clear() {
    if (found.words.capacity() > kKeptWords) std::vector<WordHit>().swap(found.words);
    if (found.rows.capacity() > kKeptWords) std::vector<Match>().swap(found.rows);
    found.rows.clear();
    found.words.clear();
    owner.clear();
  }
  // Called by FTS5 once per matching row.
  static void Take(const Fts5ExtensionApi* api, Fts5Context* context, sqlite3_context* result, int,
                   sqlite3_value**);
};

void Ranker::Sink::Take(const Fts5ExtensionApi* api, Fts5Context* context, sqlite3_context* result,
                        int, sqlite3_value**) {
  Sink& sink = *static_cast<Sink*>(api->xUserData(context));
  std::vector<WordHit>& words = sink.found.words;
  Match match{api->xRowid(context), words.size(), 0};
  const auto first = static_cast<std::ptrdiff_t>(match.first);
  int instances = 0;
  api->xInstCount(context, &instances);
  for (int i = 0; i < instances; ++i) {
    int phrase = 0, column = 0, offset = 0;
    if (api->xInst(context, i, &phrase, &column, &offset) != SQLITE_OK) break;
    size_t index = static_cast<size_t>(phrase);
    uint32_t word = static_cast<uint32_t>(index < sink.owner.size() ? sink.owner[index] : index);
    auto known = std::find_if(words.begin() + first, words.end(),
                              [&](const WordHit& hit) { return hit.word == word; });
    WordHit& hit =
        known == words.end() ? words.emplace_back(WordHit{word, 0, false, false}) : *known;
    if (column == kTitleColumn)
      hit.title = true;
    else if (column == kTagColumn)
      hit.tag = true;
    else
      ++hit.content;
  }
  std::sort(words.begin() + first, words.end(),
            [](const WordHit& a, const WordHit& b) { return a.word < b.word; });
  match.count = words.size() - match.first;
  sink.found.rows.push_back(match);
  sqlite3_result_int(result, 0);
}

Ranker::Ranker(std::unique_ptr<Sink> sink, Tokens tokens, ResidentIndexes* resident)
    : sink_(std::move(sink)), tokens_(std::move(tokens)), resident_(resident) {}
Ranker::Ranker(Ranker&&) noexcept = default;
Ranker::~Ranker() = default;

Result<Ranker> Ranker::Make(sqlite::Database& database, ResidentIndexes* resident) {
  auto sink = std::make_unique<Sink>();
  fts5_api* api = Fts5Of(database);
  if (!api || api->xCreateFunction(api, "hits", sink.get(), Sink::Take, nullptr) != SQLITE_OK) {
    return Error{Code::kInternal, "this SQLite's FTS5 takes no auxiliary functions"};
  }
  ASSIGN_OR_RETURN(Tokens tokens, Tokens::Make(database));
  return Ranker(std::move(sink), std::move(tokens), resident);
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
  database.SetDeadline(query.deadline_ms, query.stop);
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

// The counts of the ranges asked for, but for the rows that hold a word. `ranges`: those that hold
// anything.
Result<Statistics> StatisticsOf(sqlite::Database& database, const RankQuery& query, size_t words,
                                std::vector<int64_t>& ranges) {
  Statistics statistics;
  statistics.rows_with.assign(words, 0);
  double total = 0;
  auto add = [&](sqlite::Statement read) -> Status {
    for (;;) {
      ASSIGN_OR_RETURN(bool row, read.Step());
      if (!row) return {};
      if (read.Int(1) == 0) continue;
      ranges.push_back(read.Int(0));
      statistics.rows += read.Real(1), total += read.Real(2);
    }
  };
  if (query.ranges.empty()) {
    ASSIGN_OR_RETURN(sqlite::Statement read,
                     database.Prepare("SELECT number, live_rows, live_words FROM ranges"));
    RETURN_IF_ERROR(add(std::move(read)));
  }
  for (int64_t range : query.ranges) {
    ASSIGN_OR_RETURN(
        sqlite::Statement read,
        database.Prepare("SELECT number, live_rows, live_words FROM ranges WHERE number = ?1"));
    read.Bind(range);
    RETURN_IF_ERROR(add(std::move(read)));
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

// The places and facts of the matching rows, all in one look-up; sorts `found.rows` by slot.
Result<std::vector<Record>> LoadRecords(sqlite::Database& database, Matches& found) {
  std::sort(found.rows.begin(), found.rows.end(),
            [](const Match& a, const Match& b) { return a.slot < b.slot; });
  std::string slots = "[";
  for (const Match& match : found.rows)
    slots += (&match == &found.rows[0] ? "" : ",") + std::to_string(match.slot);
  slots += "]";
  ASSIGN_OR_RETURN(
      sqlite::Statement read,
      database.Prepare("SELECT o.slot, session, position, words, marks, created_ms "
                       "FROM json_each(?1) j CROSS JOIN observations o ON o.slot = j.value"));
  read.Bind(std::string_view(slots));
  std::vector<Record> records;
  records.reserve(found.rows.size());
  auto match = found.rows.begin();
  for (;;) {
    ASSIGN_OR_RETURN(bool row, read.Step());
    if (!row) return records;
    int64_t slot = read.Int(0);
    while (match->slot != slot) ++match;  // both in order of slots
    records.push_back({slot, read.Int(1), read.Int(2), read.Int(3), read.Int(4), read.Int(5),
                       std::span(found.words).subspan(match->first, match->count)});
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
Status AddTopics(sqlite::Database& database, const RankQuery& query,
                 const std::vector<int64_t>& ranges, std::vector<Scored>& rows) {
  std::string text(base::Trim(query.text));
  if (text.empty() || base::CountCharacters(text) > api::kMaxTopicKey) return {};
  bool key_like =
      text.find_first_of("-_/.:") != std::string::npos && text.find(' ') == std::string::npos;
  // U+10FFFF sorts behind every character; for an exact look-up NUL ends the range at once.
  const std::string end = text + (key_like ? std::string("\U0010FFFF") : std::string(1, '\0'));
  double best = 0;
  for (const Scored& row : rows) best = std::max(best, row.score);
  for (int64_t range : ranges) {
    ASSIGN_OR_RETURN(
        sqlite::Statement read,
        // Left alone, SQLite walks the whole range.
        database.Prepare("SELECT slot, topic_key = ?1 FROM observations o "
                         "INDEXED BY observations_topics WHERE " MEMORY_LIVE
                         "AND topic_key >= ?1 AND topic_key < ?2 AND range = ?3 LIMIT ?4"));
    read.Bind(text).Bind(end).Bind(range).Bind(kMaxTopics);
    for (;;) {
      ASSIGN_OR_RETURN(bool row, read.Step());
      if (!row) break;
      const int64_t slot = read.Int(0);
      std::erase_if(rows, [&](const Scored& other) { return other.slot == slot; });
      rows.push_back({slot, best + (read.Int(1) ? 1.0 : 0.5)});
    }
  }
  return {};
}

// Walks down the ranking, which it sorts as far as needed, until `limit` rows are live and asked
// for.
Result<std::vector<Scored>> Select(sqlite::Database& database, const RankQuery& query,
                                   std::vector<Scored> ranked) {
  std::vector<Scored> selected;
  size_t sorted = 0;
  for (size_t i = 0; i < ranked.size() && selected.size() < query.limit; ++i) {
    if (i == sorted) {
      sorted = std::min(ranked.size(), 2 * sorted + std::max(query.limit, kSortedAtOnce));
      auto from = ranked.begin() + static_cast<std::ptrdiff_t>(i);
      auto to = ranked.begin() + static_cast<std::ptrdiff_t>(sorted);
      std::partial_sort(from, to, ranked.end(), RanksBefore);
    }
    const Scored& row = ranked[i];
    ASSIGN_OR_RETURN(
        sqlite::Statement read,
        database.Prepare("SELECT type, project, type IN ('audit', 'security') FROM observations o "
                         "WHERE slot = ?1 AND " MEMORY_LIVE));
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

// Everything that matches, scored, in no order.
Result<std::vector<Scored>> Ranker::Find(sqlite::Database& database, const RankQuery& query,
                                         Ranking& ranking) {
  const Question question = query.operators ? Question() : ReadQuestion(query.text);
  Matches& found = sink_->found;
  std::vector<int64_t> ranges;
  ASSIGN_OR_RETURN(Statistics statistics,
                   StatisticsOf(database, query, question.words.size(), ranges));
  std::optional<ResidentIndexes::Pinned> pinned;
  std::optional<std::vector<WordKeys>> keys;
  if (resident_ && !question.words.empty()) keys = tokens_.OfQuestion(question);
  if (keys && !query.even_behind) pinned = resident_->Pin(database, tokens_, ranges);
  if (pinned) {
    pinned->Find(*keys, found);
  } else if (query.operators || !question.words.empty()) {
    if (!query.even_behind) {
      ASSIGN_OR_RETURN(ranking.behind, AnyWaits(database, query.ranges));
      if (ranking.behind) return std::vector<Scored>();
    }
    MatchText match = AnyWordOf(question);
    sink_->owner = std::move(match.owner);
    ASSIGN_OR_RETURN(ranking.partial,
                     FindMatches(database, query, query.operators ? query.text : match.expression));
  }
  for (const WordHit& hit : found.words) {
    if (hit.word >= statistics.rows_with.size()) statistics.rows_with.resize(hit.word + 1);
    ++statistics.rows_with[hit.word];
  }
  Prune(found.rows, found.words, statistics);
  std::vector<Record> records;
  if (pinned) {
    records.reserve(2 * found.rows.size());
    pinned->AppendRecords(found, records);
  } else {
    ASSIGN_OR_RETURN(records, LoadRecords(database, found));
  }
  std::sort(records.begin(), records.end(), IsBefore);
  if (query.neighbours && pinned) {
    std::vector<Record> neighbours;
    pinned->AppendNeighbours(records, kReach, neighbours);
    const auto middle = static_cast<std::ptrdiff_t>(records.size());
    records.insert(records.end(), neighbours.begin(), neighbours.end());
    std::inplace_merge(records.begin(), records.begin() + middle, records.end(), IsBefore);
  } else if (query.neighbours) {
    RETURN_IF_ERROR(AddNeighbours(database, query, records));
  }
  pinned.reset();
  std::vector<Scored> scored = Score(std::move(records), statistics, question.asks_when);
  if (!query.operators) RETURN_IF_ERROR(AddTopics(database, query, ranges, scored));
  return scored;
}

Result<Ranking> Ranker::Rank(sqlite::Database& database, const RankQuery& query) {
  sink_->Clear();
  Ranking ranking;
  ASSIGN_OR_RETURN(std::vector<Scored> scored, Find(database, query, ranking));
  ASSIGN_OR_RETURN(ranking.rows, Select(database, query, std::move(scored)));
  sink_->Clear();
  return ranking;
}

}  // namespace memory
