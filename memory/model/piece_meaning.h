// How near the pieces of words are to each other in meaning. Pure. lib/embedding has the table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace memory {

using Piece = uint16_t;

// The cosines of a piece with those of a question, in one register: -O2 makes no vectors of loops
// over bytes. In parts of kParts, those below 0 as 0; after the last one of the question anything.
struct PieceCosines {
  static constexpr size_t kMost = 8;
  static constexpr float kParts = 255;
  using Bytes __attribute__((vector_size(kMost))) = uint8_t;
  Bytes parts;
};

// Any thread.
class PieceMeaning {
 public:
  virtual ~PieceMeaning() = default;
  // The pieces of a text without function words, in ascending order, each once.
  virtual std::vector<Piece> PiecesOf(std::string_view text) const = 0;
  // For each of `pieces` its cosines with `asked` in order, at most PieceCosines::kMost.
  virtual std::vector<PieceCosines> Compare(std::span<const Piece> pieces,
                                            std::span<const Piece> asked) const = 0;
};

}  // namespace memory
