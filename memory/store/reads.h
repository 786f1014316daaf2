// Arguments and results of the calls that read.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "lib/api/memory_api.h"
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

}  // namespace memory
