// Ranks the rows of another table with an FTS5 table of its own by the same formula as
// observations. Such rows have no neighbours.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "lib/sqlite/database.h"
#include "memory/model/scoring.h"

namespace memory {

// SQL literals of this program. Rows of a project are in its range of slots (model/slots.h).
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

// The live ones of the strongest 512 matches, in no order. A score is 0…1: 1 is the score of a row
// of average length that has each word of the query once.
struct TextMatches {
  std::vector<Scored> rows;
  bool words = false;  // the query has words
  bool partial = false;
};

}  // namespace memory
