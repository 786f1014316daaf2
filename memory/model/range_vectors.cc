// A window's vector is own + .7 previous + .6 next + .4 before that + .3 after that, length 1
// (docs/adr: meaning without a model). It is never made: its product with a question is the sum of
// the products of its parts, so only its length is kept.
#include "memory/model/range_vectors.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lib/embedding/dot_batch.h"
#include "memory/model/reserve.h"
#include "memory/model/slots.h"

namespace memory {
namespace {

constexpr int64_t kReach = 2;
// Of the row that stands so many positions later: −2 … 2.
constexpr float kWeights[] = {0.4F, 0.7F, 1, 0.6F, 0.3F};

// Of whole numbers, so it is exact; 0 for zeros alone.
float InverseLength(std::span<const int8_t> values) {
  int64_t sum = 0;
  for (int8_t value : values) sum += value * value;
  return sum > 0 ? static_cast<float>(1 / std::sqrt(static_cast<double>(sum))) : 0;
}

}  // namespace

size_t RangeVectors::SlotIndex(uint32_t number) const {
  const auto at =
      std::lower_bound(by_slot_.begin(), by_slot_.end(), number,
                       [&](uint32_t row, uint32_t wanted) { return rows_[row].number < wanted; });
  return static_cast<size_t>(at - by_slot_.begin());
}

size_t RangeVectors::PlaceIndex(const Row& row) const {
  const auto at =
      std::lower_bound(by_place_.begin(), by_place_.end(), std::pair(row.session, row.position),
                       [&](uint32_t other, const auto& wanted) {
                         return std::pair(rows_[other].session, rows_[other].position) < wanted;
                       });
  return static_cast<size_t>(at - by_place_.begin());
}

size_t RangeVectors::IndexOfPlace(uint32_t row) const {
  size_t at = PlaceIndex(rows_[row]);
  while (by_place_[at] != row) ++at;
  return at;
}

// The rows that count in the window of by_place_[place], by their numbers in rows_.
template <class Take>
void RangeVectors::ForWindow(size_t place, Take&& take) const {
  const Row& own = rows_[by_place_[place]];
  const size_t first = place >= kReach ? place - kReach : 0;
  const size_t last = std::min(place + kReach, by_place_.size() - 1);
  for (size_t at = first; at <= last; ++at) {
    const Row& other = rows_[by_place_[at]];
    const int64_t later = int64_t{other.position} - int64_t{own.position};
    if (other.session != own.session || later < -kReach || later > kReach) continue;
    if (later == 0 && at != place) continue;
    take(by_place_[at], kWeights[later + kReach]);
  }
}

void RangeVectors::MeasureWindow(uint32_t number) {
  const uint32_t row = by_slot_[SlotIndex(number)];
  std::vector<float> window(dimensions_);
  ForWindow(IndexOfPlace(row), [&](uint32_t part, float weight) {
    const int8_t* values = ValuesOf(part);
    weight *= rows_[part].inverse;
    for (size_t i = 0; i < dimensions_; ++i) window[i] += weight * values[i];
  });
  const float square = std::inner_product(window.begin(), window.end(), window.begin(), 0.0F);
  rows_[row].window = square > 0 ? 1 / std::sqrt(square) : 0;
}

// Rows in whose windows a row of this place is.
void RangeVectors::NoteWindows(const Row& around, std::vector<uint32_t>& numbers) const {
  Row from = around;
  from.position -= std::min<uint32_t>(kReach, from.position);
  for (size_t at = PlaceIndex(from); at < by_place_.size(); ++at) {
    const Row& other = rows_[by_place_[at]];
    if (other.session != around.session || other.position > around.position + kReach) return;
    numbers.push_back(other.number);
  }
}

bool RangeVectors::Extract(uint32_t number, Row& gone) {
  const size_t at = SlotIndex(number);
  if (at == by_slot_.size() || rows_[by_slot_[at]].number != number) return false;
  const uint32_t row = by_slot_[at], last = static_cast<uint32_t>(rows_.size() - 1);
  gone = rows_[row];
  by_place_.erase(by_place_.begin() + static_cast<std::ptrdiff_t>(IndexOfPlace(row)));
  by_slot_.erase(by_slot_.begin() + static_cast<std::ptrdiff_t>(at));
  if (row != last) {  // which comes into its room
    by_slot_[SlotIndex(rows_[last].number)] = row;
    by_place_[IndexOfPlace(last)] = row;
    rows_[row] = rows_[last];
    std::copy_n(ValuesOf(last), dimensions_, values_.data() + row * dimensions_);
  }
  rows_.pop_back();
  values_.resize(rows_.size() * dimensions_);
  return true;
}

void RangeVectors::Remove(int64_t slot) {
  Row gone;
  if (!Extract(static_cast<uint32_t>(slot), gone)) return;
  std::vector<uint32_t> beside;
  NoteWindows(gone, beside);
  for (uint32_t number : beside) MeasureWindow(number);
}

void RangeVectors::Put(std::span<const NewRow> rows) {
  ReserveFor(rows_, rows.size());
  ReserveFor(values_, rows.size() * dimensions_);
  ReserveFor(by_slot_, rows.size());
  ReserveFor(by_place_, rows.size());
  std::vector<Row> changed;  // as they were, and as they are
  for (const NewRow& row : rows) {
    if (Row old; Extract(static_cast<uint32_t>(row.slot), old)) changed.push_back(old);
    const float inverse = row.values.size() == dimensions_ ? InverseLength(row.values) : 0;
    if (inverse == 0) continue;
    const Row made{static_cast<uint32_t>(row.slot), static_cast<uint32_t>(row.session),
                   static_cast<uint32_t>(row.position), inverse, 0};
    const auto slot_at = static_cast<std::ptrdiff_t>(SlotIndex(made.number));
    const auto place_at = static_cast<std::ptrdiff_t>(PlaceIndex(made));
    const auto at = static_cast<uint32_t>(rows_.size());
    rows_.push_back(made);
    values_.insert(values_.end(), row.values.begin(), row.values.end());
    by_slot_.insert(by_slot_.begin() + slot_at, at);
    by_place_.insert(by_place_.begin() + place_at, at);
    changed.push_back(made);
  }
  std::vector<uint32_t> beside;
  for (const Row& row : changed) NoteWindows(row, beside);
  std::sort(beside.begin(), beside.end());
  beside.erase(std::unique(beside.begin(), beside.end()), beside.end());
  for (uint32_t number : beside) MeasureWindow(number);
}

void RangeVectors::AppendSimilarities(std::span<const int8_t> question,
                                      std::vector<Similarity>& rows) const {
  const float inverse = question.size() == dimensions_ ? InverseLength(question) : 0;
  if (inverse == 0 || rows_.empty()) return;
  std::vector<int32_t> products(rows_.size());
  embedding::DotBatch(question, values_, products);
  std::vector<float> cosines(rows_.size()), windows(rows_.size());
  for (size_t row = 0; row < rows_.size(); ++row)
    cosines[row] = static_cast<float>(products[row]) * rows_[row].inverse * inverse;
  for (size_t place = 0; place < by_place_.size(); ++place) {
    float sum = 0;
    ForWindow(place, [&](uint32_t row, float weight) { sum += weight * cosines[row]; });
    windows[by_place_[place]] = sum * rows_[by_place_[place]].window;
  }
  rows.reserve(rows.size() + rows_.size());
  for (uint32_t row : by_slot_)
    rows.push_back({range_ << kRangeBits | rows_[row].number, windows[row], cosines[row]});
}

size_t RangeVectors::bytes() const {
  return sizeof *this + rows_.capacity() * sizeof(Row) + values_.capacity() +
         (by_slot_.capacity() + by_place_.capacity()) * sizeof(uint32_t);
}

}  // namespace memory
