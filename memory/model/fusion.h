// Fuses the matches by words and those by meaning into one ranking. Pure. scoring.h has the scores
// of words, range_vectors.h the cosines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "memory/model/range_vectors.h"
#include "memory/model/scoring.h"

namespace memory {

// What ranks a row within the limit: its words alone, its meaning alone, or only both together.
enum class Method { kLexical, kEmbedding, kFused };

// Parts of a score beside lexical and similarity (signals.h): 0 … 1.
struct Signals {
  float soft = 0;     // words of near meaning in the row's window
  float session = 0;  // the best row of its session
  float answer = 0;   // a near question right before the row
};

struct Ranked {
  int64_t slot = 0;
  double score = 0;                 // of the ranking, higher is better; > 0 but with kNearest
  double lexical = 0;               // of its words; 0: no word of the query
  std::optional<float> similarity;  // of its window; none: the row has no vector
  Method method = Method::kLexical;
  std::optional<Signals> signals = {};  // none: of Fuse
};

// The weights of meaning for the model of the vectors (docs/adr: meaning without a model).
struct FusionWeights {
  double meaning = 0.25;  // words have the rest
  bool own = false;       // the row's own cosine counts beside that of its window
  float floor = 0;        // rows that hold no word of the question take part from this cosine on
  bool signals = false;   // the sum of signals.h ranks rows of observations
};

// Which rows without a word of the query take part.
enum class Admission {
  kOwn,      // whose own cosine reaches the floor: a neighbour's meaning only moves a row
  kWindow,   // those, and rows beside them, whose window reaches it
  kNearest,  // any: the nearest rows are the answer, whatever the query is
};

// The nearest `most` that are not among `slots` and may take part, in order of slots; so are
// `slots` and `near`.
std::vector<Similarity> NearestOthers(std::span<const int64_t> slots,
                                      std::span<const Similarity> near, float floor,
                                      Admission admission, size_t most);
// Sets the method of each row. `limit`: of the answer.
void NameMethods(std::vector<Ranked>& rows, size_t limit);

// → in no order. `near`: of all searched rows, in order of slots; empty: words alone rank. Of the
// rows without a word of the query the nearest `most` take part. `limit`: of the answer.
std::vector<Ranked> Fuse(std::span<const Scored> lexical, std::span<const Similarity> near,
                         const FusionWeights& weights, Admission admission, size_t most,
                         size_t limit);
// The order of results: best first, ties by slot (the newer first).
bool IsRankedBefore(const Ranked& a, const Ranked& b);

}  // namespace memory
