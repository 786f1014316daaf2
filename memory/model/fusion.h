// What the words of a question find and what its meaning finds, as one ranking. Pure. The words'
// scores are scoring.h, the cosines range_vectors.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "memory/model/range_vectors.h"
#include "memory/model/scoring.h"

namespace memory {

// What ranks a row among the asked number of rows: its words alone, its meaning alone, or only both
// together.
enum class Method { kLexical, kEmbedding, kFused };

struct Ranked {
  int64_t slot = 0;
  double score = 0;                 // what it is ranked by, higher is better; > 0
  double lexical = 0;               // of its words; 0: none is the question's
  std::optional<float> similarity;  // of its window; none: the row has no vector
  Method method = Method::kLexical;
};

// How meaning is weighed, by what made the vectors (docs/adr: meaning without a model).
struct FusionWeights {
  double meaning = 0.25;  // words have the rest
  bool own = false;       // the row's own cosine counts beside that of its window
  float floor = 0;        // rows that hold no word of the question take part from this cosine on
};

// In no order. `near`: of all searched rows, in order of slots; empty: what the words say, as it
// is. Of the rows without a word the nearest `most` take part. `limit`: of the answer.
std::vector<Ranked> Fuse(std::span<const Scored> lexical, std::span<const Similarity> near,
                         const FusionWeights& weights, size_t most, size_t limit);
// The order of results: best first, ties by slot (the newer first).
bool IsRankedBefore(const Ranked& a, const Ranked& b);

}  // namespace memory
