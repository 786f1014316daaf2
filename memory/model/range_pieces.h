// The pieces of the texts of one range of rows in memory (piece_meaning.h). Pure.
// memory/ranking has locks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "memory/model/piece_meaning.h"

namespace memory {

// For one range. Readers may be many, or one writer.
class RangePieces {
 public:
  explicit RangePieces(int64_t range) : range_(range) {}
  // Adds or replaces a row. Of a long text the first 1,024 pieces count.
  void Put(int64_t slot, std::span<const Piece> pieces);
  void Remove(int64_t slot);

  // In ascending order; empty: none, or of another range. Valid until the next write.
  std::span<const Piece> Of(int64_t slot) const;
  // Of a sample of the rows, as of the last CountSample(): adds to each count how many have that of
  // `asked`. → the size of the sample.
  size_t Count(std::span<const Piece> asked, std::span<double> counts) const;
  // The writer's, after its changes: counts once what many questions ask.
  void CountSample();

  size_t size() const { return rows_.size(); }
  size_t bytes() const;

 private:
  struct Row {
    uint32_t number;  // of the slot in its range
    uint32_t first, count;
  };
  struct Counted {
    Piece piece;
    uint16_t rows;
  };
  size_t IndexOf(uint32_t number) const;
  std::span<const Piece> Of(const Row& row) const {
    return std::span(pieces_).subspan(row.first, row.count);
  }
  void DropDead();

  int64_t range_;
  std::vector<Row> rows_;         // in order of slots
  std::vector<Piece> pieces_;     // of row after row, with gaps of former rows
  size_t dead_ = 0;               // in these gaps
  std::vector<Counted> counted_;  // the pieces of the sample, in ascending order
  size_t sample_ = 0;             // its rows
};

}  // namespace memory
