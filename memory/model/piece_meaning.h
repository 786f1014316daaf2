// How near the pieces of words are to each other in meaning. Pure. lib/embedding has the table.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace memory {

using Piece = uint16_t;

// Any thread.
class PieceMeaning {
 public:
  virtual ~PieceMeaning() = default;
  // The pieces of a text without function words, in ascending order, each once.
  virtual std::vector<Piece> PiecesOf(std::string_view text) const = 0;
  // The cosines of all pairs, for each of `pieces` those with `asked` in order; in parts of 255,
  // those below 0 as 0.
  virtual std::vector<uint8_t> Compare(std::span<const Piece> pieces,
                                       std::span<const Piece> asked) const = 0;
};

}  // namespace memory
