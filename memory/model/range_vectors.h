// The vectors of one range of rows in memory, and the exact search over them. A row is compared
// together with its neighbours in the session. Pure. memory/ranking has locks,
// lib/embedding makes vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace memory {

// The similarity of a row to a query, as cosines: −1 … 1.
struct Similarity {
  int64_t slot = 0;
  float window = 0;  // of the row with its neighbours
  float own = 0;     // of the row alone
};

// For one range. Readers may be many, or one writer.
class RangeVectors {
 public:
  // `values`: as many as the range's `dimensions`, of any length but 0; the caller's.
  struct NewRow {
    int64_t slot = 0;
    int64_t session = 0, position = 0;  // place: neighbours are within two positions
    std::span<const int8_t> values;
  };

  RangeVectors(int64_t range, size_t dimensions) : range_(range), dimensions_(dimensions) {}
  // Adds or replaces rows by slot, a slot once per call. A row of another number of values, or of
  // nothing but zeros, is taken away.
  void Put(std::span<const NewRow> rows);
  void Remove(int64_t slot);

  // Appends all rows, in order of slots. `question`: `dimensions` values, of any length; else, or
  // when all are 0, nothing is appended.
  void AppendSimilarities(std::span<const int8_t> question, std::vector<Similarity>& rows) const;

  size_t size() const { return rows_.size(); }
  size_t bytes() const;

 private:
  struct Row {
    uint32_t number;  // of the slot in its range
    uint32_t session, position;
    float inverse;  // 1 / length of the vector
    float window;   // 1 / length of the window's vector, whose parts have length 1
  };
  // Where in by_slot_, by_place_ they are, or would be.
  size_t SlotIndex(uint32_t number) const;
  size_t PlaceIndex(const Row& row) const;
  size_t IndexOfPlace(uint32_t row) const;  // of a row that is there
  const int8_t* ValuesOf(uint32_t row) const { return values_.data() + row * dimensions_; }
  bool Extract(uint32_t number, Row& gone);  // false: it is not there
  void NoteWindows(const Row& around, std::vector<uint32_t>& numbers) const;
  void MeasureWindow(uint32_t number);
  template <class Take>
  void ForWindow(size_t place, Take&& take) const;

  int64_t range_;
  size_t dimensions_;
  std::vector<Row> rows_;
  std::vector<int8_t> values_;                // of row after row
  std::vector<uint32_t> by_slot_, by_place_;  // of rows_; place: (session, position)
};

}  // namespace memory
