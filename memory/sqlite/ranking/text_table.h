// Ranks the rows of a table beside the observations that has an FTS5 table of its own, by the same
// words and the same arithmetic. Such rows have no neighbours.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "lib/sqlite/database.h"
#include "memory/model/scoring.h"

namespace memory {

// Literals of ours. Rows of a project lie in its range of slots (model/slots.h).
struct TextTable {
  // Calls hits() on what matches ?1 between slots ?2 and ?3; columns title, content, tags, grams.
  const char* find;
  // slot, words, marks, created_ms of those slots of the JSON list ?1 that are live at ?2.
  const char* facts;
  // rows, words of project ?1.
  const char* counts;
};

struct TextQuery {
  std::string text;
  int64_t project = 0, now_ms = 0;
  int64_t deadline_ms = 250;
  std::stop_token stop;
};

// All live matches of the strongest 512, in no order. A score is 0…1: 1 is a row that holds each
// word of the question as a row of average length does that has it once.
struct TextMatches {
  std::vector<Scored> rows;
  bool words = false;  // the question has any
  bool partial = false;
};

}  // namespace memory
