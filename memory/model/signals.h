// Ranks rows by the sum of separate signals of words, meaning, session, dialogue and question type
// (docs/adr: a sum of signals). Pure. scoring.h has the scores of words, range_vectors.h the
// cosines, soft_match.h the soft matches; fusion.h adds words and meaning alone.
//
//   sum = 2.8·lexical + 1.2·own words + 1.35·covered − .4·(a word of its own)
//       + .55·window + 1.2·own meaning + 1.65·soft + 1.7·session + 1.8·answer
//       + 2.5·(a time, for "when") + 1.9·(a number, for "how many") − .95·asks
//
// Each signal is 0 … 1: of words the share of the best row, of meaning (x − mean) / (max − mean).
// A soft match costs more than all others: only the rows that are best without it have one.
// Source of the loss that the weights minimize on free text: Cao et al., "Learning to Rank: From
// Pairwise Approach to Listwise Approach" (2007).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "memory/model/fusion.h"
#include "memory/model/range_vectors.h"
#include "memory/model/scoring.h"
#include "memory/model/words.h"

namespace memory {

// The soft matches of the wanted ones of the records: a value for each record.
using SoftMatcher = std::function<std::vector<double>(const std::vector<bool>& wanted)>;

struct SignalInput {
  std::span<const Record> records;   // in order of places
  std::span<const Scored> lexical;   // in the order of `records`
  std::span<const Similarity> near;  // of all searched rows, in order of slots
  std::span<const int64_t> others;   // slots that take part without a word, in ascending order
  const Question& question;
};

// The rows of `lexical` and `others`, in no order, with scores from 0 to 1. `limit`: of the answer.
// Calls `soft` once.
std::vector<Ranked> RankBySignals(const SignalInput& input, size_t limit, const SoftMatcher& soft);

}  // namespace memory
