// Ranks rows of another kind with texts (items) by the same formula as observations.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "memory/rows/candidates.h"

namespace memory {

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

base::Result<TextMatches> RankTexts(TextCandidates& texts, const TextQuery& query);

}  // namespace memory
