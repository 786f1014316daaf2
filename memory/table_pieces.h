// The meaning of the pieces of a table of token vectors.
#pragma once

#include <cstddef>
#include <limits>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "lib/embedding/static_table.h"
#include "memory/model/piece_meaning.h"

namespace memory {

// Any thread.
class TablePieces final : public PieceMeaning {
 public:
  static constexpr size_t kMost = size_t{std::numeric_limits<Piece>::max()} + 1;

  // The table outlives the object and has at most kMost pieces.
  explicit TablePieces(const embedding::StaticTable& table) : table_(table) {}
  std::vector<Piece> PiecesOf(std::string_view text) const override;
  std::vector<PieceCosines> Compare(std::span<const Piece> pieces,
                                    std::span<const Piece> asked) const override;

 private:
  // Of each piece, some 125 KiB: made with the first index, so that an idle server has none.
  struct Facts {
    std::vector<float> inverse;  // 1 / length of its row; 0: a row of zeros
    std::vector<bool> function;
  };
  const Facts& Known() const;
  const embedding::StaticTable& table_;
  mutable std::once_flag once_;
  mutable Facts facts_;
};

}  // namespace memory
