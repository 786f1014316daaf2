// An auxiliary function of FTS5 reads the positions of words. bm25() is not used: it counts each
// word's rows over the whole file, once per query.
#include "memory/sqlite/ranking/fts5_finder.h"

#include <algorithm>

#include "memory/model/slots.h"
#include "memory/sqlite/ranking/fts5_tokens.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;

namespace {
constexpr int kTitleColumn = 0, kTagColumn = 2;
}  // namespace

struct Fts5Finder::Sink {
  Matches* found = nullptr;  // of the running query
  std::vector<size_t> owner;
  // Called by FTS5 once per matching row.
  static void Take(const Fts5ExtensionApi* api, Fts5Context* context, sqlite3_context* result, int,
                   sqlite3_value**);
};

void Fts5Finder::Sink::Take(const Fts5ExtensionApi* api, Fts5Context* context,
                            sqlite3_context* result, int, sqlite3_value**) {
  Sink& sink = *static_cast<Sink*>(api->xUserData(context));
  std::vector<WordHit>& words = sink.found->words;
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
  sink.found->rows.push_back(match);
  sqlite3_result_int(result, 0);
}

Fts5Finder::Fts5Finder(std::unique_ptr<Sink> sink) : sink_(std::move(sink)) {}
Fts5Finder::Fts5Finder(Fts5Finder&&) noexcept = default;
Fts5Finder::~Fts5Finder() = default;

Result<Fts5Finder> Fts5Finder::Make(sqlite::Database& database) {
  auto sink = std::make_unique<Sink>();
  fts5_api* api = Fts5Of(database);
  if (!api || api->xCreateFunction(api, "hits", sink.get(), Sink::Take, nullptr) != SQLITE_OK)
    return Error{Code::kInternal, "this SQLite's FTS5 takes no auxiliary functions"};
  return Fts5Finder(std::move(sink));
}

namespace {

Status FindRange(sqlite::Database& database, const char* sql, const std::string& expression,
                 int64_t low, int64_t high) {
  ASSIGN_OR_RETURN(sqlite::Statement find, database.Prepare(sql));
  find.Bind(expression).Bind(low).Bind(high);
  return find.Run();
}

}  // namespace

Result<bool> Fts5Finder::Find(sqlite::Database& database, const char* find, MatchText match,
                              const SearchBounds& bounds, Matches& found_rows) {
  sink_->found = &found_rows;
  sink_->owner = std::move(match.owner);
  const sqlite::TimeLimit limit(database, bounds.deadline_ms, bounds.stop);
  Status found;
  if (bounds.ranges.empty()) found = FindRange(database, find, match.expression, 0, INT64_MAX);
  for (int64_t range : bounds.ranges) {
    if (!found) break;
    found = FindRange(database, find, match.expression, range << kRangeBits,
                      ((range + 1) << kRangeBits) - 1);
  }
  if (found) return false;
  if (found.error().code == Code::kTimeout) return true;  // the matches so far count
  return found.error();
}

}  // namespace memory
