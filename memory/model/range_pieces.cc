// Rows come in order of slots, but for those that were changed: their pieces are appended, and the
// former ones dropped once they are half of all.
#include "memory/model/range_pieces.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "memory/model/reserve.h"
#include "memory/model/slots.h"

namespace memory {
namespace {

constexpr size_t kMostOfRow = 1024;
constexpr size_t kSample = 512;  // rows: enough for the weight of a word

}  // namespace

size_t RangePieces::IndexOf(uint32_t number) const {
  const auto at =
      std::lower_bound(rows_.begin(), rows_.end(), number,
                       [](const Row& row, uint32_t wanted) { return row.number < wanted; });
  return static_cast<size_t>(at - rows_.begin());
}

void RangePieces::DropDead() {
  if (2 * dead_ <= pieces_.size()) return;
  std::vector<Piece> live;
  live.reserve(pieces_.size() - dead_);
  for (Row& row : rows_) {
    const std::span<const Piece> pieces = Of(row);
    row.first = static_cast<uint32_t>(live.size());
    live.insert(live.end(), pieces.begin(), pieces.end());
  }
  pieces_ = std::move(live);
  dead_ = 0;
}

void RangePieces::Remove(int64_t slot) {
  const auto number = static_cast<uint32_t>(slot);
  const size_t at = IndexOf(number);
  if (at == rows_.size() || rows_[at].number != number) return;
  dead_ += rows_[at].count;
  rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(at));
  DropDead();
}

void RangePieces::Put(int64_t slot, std::span<const Piece> pieces) {
  Remove(slot);
  if (pieces.empty()) return;
  pieces = pieces.first(std::min(pieces.size(), kMostOfRow));
  const auto number = static_cast<uint32_t>(slot);
  const Row row{number, static_cast<uint32_t>(pieces_.size()),
                static_cast<uint32_t>(pieces.size())};
  ReserveFor(rows_, 1);
  ReserveFor(pieces_, pieces.size());
  rows_.insert(rows_.begin() + static_cast<std::ptrdiff_t>(IndexOf(number)), row);
  pieces_.insert(pieces_.end(), pieces.begin(), pieces.end());
}

std::span<const Piece> RangePieces::Of(int64_t slot) const {
  if (slot >> kRangeBits != range_) return {};
  const auto number = static_cast<uint32_t>(slot);
  const size_t at = IndexOf(number);
  if (at == rows_.size() || rows_[at].number != number) return {};
  return Of(rows_[at]);
}

void RangePieces::CountSample() {
  std::vector<uint16_t> rows_with(size_t{std::numeric_limits<Piece>::max()} + 1);
  const size_t step = rows_.size() / kSample + 1;
  sample_ = 0;
  for (size_t row = 0; row < rows_.size(); row += step, ++sample_)
    for (const Piece piece : Of(rows_[row])) ++rows_with[piece];
  counted_.clear();
  for (size_t piece = 0; piece < rows_with.size(); ++piece)
    if (rows_with[piece] > 0) counted_.push_back({static_cast<Piece>(piece), rows_with[piece]});
}

size_t RangePieces::Count(std::span<const Piece> asked, std::span<double> counts) const {
  for (size_t i = 0; i < asked.size(); ++i) {
    const auto at = std::lower_bound(
        counted_.begin(), counted_.end(), asked[i],
        [](const Counted& counted, Piece wanted) { return counted.piece < wanted; });
    if (at != counted_.end() && at->piece == asked[i]) counts[i] += at->rows;
  }
  return sample_;
}

size_t RangePieces::bytes() const {
  return sizeof *this + rows_.capacity() * sizeof(Row) + pieces_.capacity() * sizeof(Piece) +
         counted_.capacity() * sizeof(Counted);
}

}  // namespace memory
