// The calls of a store that read, with their arguments and results. The engine defines them: a list
// in memory/sqlite/store.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "lib/api/memory_api.h"
#include "lib/base/result.h"
#include "memory/model/fusion.h"
#include "memory/rows/reads.h"

namespace memory {

// The cursor of lists by recency: after a row, or a session (by its start; "": the newest).
struct RowKey {
  int64_t ms = 0, id = 0;
};
struct SessionKey {
  int64_t ms = INT64_MAX;
  std::string id;
};

// Unset fields do not filter; unknown values match nothing.
struct Filter {
  std::optional<std::string> project, type, scope;
  std::optional<Viewer> viewer;
  std::optional<int64_t>
      as_of_ms;                  // Search and Recall: rows as they were then; deleted ones are gone
  std::optional<RowKey> before;  // Recent: only rows after this one, by updated_ms and id
  size_t limit = 10;
  bool backfill = true;  // Recall: the newest rows fill up to the limit what the text finds
  // The client is gone: Search and Recall end early, as partial, Recent with kUnavailable.
  std::stop_token stop;
};

// The parts of the rank of a search that includes meaning.
struct FoundScores {
  double lexical = 0;                // of the words; 0: the row has none of them
  std::optional<double> similarity;  // cosine with the query; nullopt: the row has no vector yet
  std::optional<Signals> signals;    // nullopt: the two above alone ranked it
};

// A row that a client hid (a soft delete).
struct HiddenRow {
  api::Observation row;
  int64_t hidden_ms = 0;
};

struct Found {
  api::Observation row;
  double rank = 0;  // −score: < 0 for a match, lower is better; 0: by recency
  // Or the reason of the row's rank: "fts5_bm25" (its words), "embedding" (its meaning), "fused"
  // (both).
  const char* method = "recency";
  std::optional<FoundScores> scores = {};
};

struct SearchResult {
  std::vector<Found> rows;
  bool partial = false;  // cut at the deadline, or stopped
};

struct Totals {
  int64_t sessions = 0, observations = 0;
  std::vector<std::string> projects;  // as first written, sorted
};

// A text that quotes another one.
struct QuotingPlace {
  // observation, hidden observation, revision, original, item, turn, message, shared
  std::string kind;
  std::string name;  // its id, key or conversation
};
inline constexpr size_t kMostPlaces = 100;
struct QuotingPlaces {
  std::vector<std::string> titles, texts;  // of the row and its revisions
  std::vector<QuotingPlace> rows;
  bool partial = false;  // there may be more
};

struct StoreState;  // the engine's parts of a store

// Part of Store, which says when calls fail. With a viewer: of what it sees.
class StoreReads {
 public:
  StoreReads(const StoreReads&) = delete;
  StoreReads& operator=(const StoreReads&) = delete;

  base::Result<api::Observation> Get(int64_t id);
  // An earlier version of a row; session, project, scope and topic key, which revisions do not
  // keep, are the present ones. kNotFound: no such revision, or retention removed it.
  base::Result<api::Observation> GetRevision(int64_t id, int64_t revision);
  // The newest `limit` revisions before number `before`, oldest first, the present one last; fewer
  // if an answer cannot hold them.
  base::Result<std::vector<Revision>> Revisions(int64_t id, int64_t before = INT64_MAX,
                                                size_t limit = SIZE_MAX);
  // False: it is a trace of another user, Agent or conversation. True for missing ids.
  base::Result<bool> IsSeenBy(const Viewer& viewer, int64_t id);
  // The newest change first.
  base::Result<std::vector<api::Observation>> Recent(const Filter& filter);
  base::Result<std::vector<api::Session>> RecentSessions(const std::optional<std::string>& project,
                                                         size_t limit,
                                                         const SessionKey& before = {},
                                                         const std::optional<Viewer>& viewer = {});
  // Rows that match the text by words, topic key or meaning, best first. `operators`: the text is
  // an FTS5 expression, and only words count, as with `as_of_ms`. Every project finds rows of scope
  // global.
  base::Result<SearchResult> Search(const Filter& filter, const std::string& text, bool operators);
  // Like Search, with the neighbours of matches, then by recency; without text by recency only.
  base::Result<SearchResult> Recall(const Filter& filter, const std::string& text);
  // Sessions with a summary, newest end first; only summaries written until `until_ms`.
  base::Result<std::vector<api::Session>> Summaries(const std::optional<std::string>& project,
                                                    size_t limit, int64_t until_ms = INT64_MAX);
  // The rows of the same session around a row, in order of time, including it. `around`: instead
  // around this row of the session, which may be deleted, and without it; kInvalid: it is not of
  // the session. With a viewer: of what it sees.
  base::Result<std::vector<api::Observation>> Timeline(int64_t id, size_t before, size_t after,
                                                       std::optional<int64_t> around = {},
                                                       const std::optional<Viewer>& viewer = {});
  base::Result<Totals> Count(const std::optional<std::string>& project,
                             const std::optional<Viewer>& viewer = {});
  // The rows that Restore takes back, the one hidden last first.
  base::Result<std::vector<HiddenRow>> HiddenRows(const Filter& filter);
  // The texts that quote a row and stay when it is erased, since they are rows of their own; with a
  // viewer those that it sees. `callers`: also those of single callers, such as conversations.
  // Reads the whole store, for at most 5 s.
  base::Result<QuotingPlaces> QuotesOf(int64_t id, const std::optional<Viewer>& viewer,
                                       bool callers);

 protected:
  explicit StoreReads(std::unique_ptr<StoreState> state);
  ~StoreReads();
  const std::unique_ptr<StoreState> state_;
};

}  // namespace memory
