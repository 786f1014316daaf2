// Postings of one range of rows in memory: which row holds which word how often, and the facts of
// each row that ranking needs. Pure. Locks, budget and SQLite are
// ranking/resident_indexes.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "memory/model/scoring.h"

namespace memory {

// A word as the index keeps it: a keyed 64-bit hash of its token.
using WordKey = uint64_t;
// A word of a question: the keys of its forms. Forms with the same key count twice, as two phrases
// of FTS5 would.
using WordKeys = std::vector<WordKey>;

// A row that matches: it holds words[first] to words[first + count - 1] of its Matches.
struct Match {
  int64_t slot = 0;
  size_t first = 0, count = 0;
  uint32_t row = 0;  // RangeIndex's own
};

// The rows found for a question, and what they hold of it: within a row in the order of the
// question's words.
struct Matches {
  std::vector<Match> rows;
  std::vector<WordHit> words;
};

inline bool IsBeforeBySlot(const Match& a, const Match& b) { return a.slot < b.slot; }
inline std::span<const WordHit> HitsOf(const Matches& found, const Match& row) {
  return std::span(found.words).subspan(row.first, row.count);
}

// For one range. Readers may be many, or one writer.
class RangeIndex {
 public:
  // What a row says about one of its words; `hit.word` is not used.
  struct Word {
    WordKey key = 0;
    WordHit hit;
  };
  struct NewRow {
    Record facts;  // without hits
    std::vector<Word> words;
  };

  explicit RangeIndex(int64_t range) : range_(range) {}
  // Adds or replaces rows by slot, a slot once per call. Each call makes a segment, and segments of
  // similar size are merged, so batches are cheaper.
  void Put(std::vector<NewRow>&& rows);
  void Remove(int64_t slot);

  // Appends the rows that hold any of the words, in order of slots.
  void Find(const std::vector<WordKeys>& words, Matches& found) const;
  // The facts and hits of those of these `rows` of `found` that are this range's.
  void AppendRecords(const Matches& found, const std::vector<Match>& rows,
                     std::vector<Record>& records) const;
  // Adds the rows within `reach` positions of `records` that are not there: `records` is in order
  // of (session, position), of any ranges.
  void AppendNeighbours(const std::vector<Record>& records, int64_t reach,
                        std::vector<Record>& neighbours) const;

  // The facts of these slots, in ascending order, as far as they are this range's.
  void AppendRecordsOf(std::span<const int64_t> slots, std::vector<Record>& records) const;

  int64_t range() const { return range_; }
  size_t size() const { return by_slot_.size(); }
  bool IsCrowded() const { return rows_.size() > 2 * by_slot_.size() + 64; }  // mostly dead rows
  size_t bytes() const;

 private:
  struct Row {
    int64_t created_ms;
    uint32_t number;  // of the slot in its range
    uint32_t session, position;
    uint32_t words : 24, flags : 7, live : 1;
  };
  // A stretch of rows_ and its words.
  struct Segment {
    uint32_t first_row = 0, rows = 0;
    std::vector<WordKey> keys;      // sorted
    std::vector<uint32_t> offsets;  // where each key's postings begin in `bytes`, and the end
    std::vector<uint8_t> bytes;
  };
  struct Posting {
    WordKey key;
    uint32_t row;  // in the segment
    WordHit hit;
  };
  static void Append(Segment& segment, const Posting& posting, uint32_t& last_row);
  template <class Take>
  static void Read(const Segment& segment, size_t key, Take&& take);
  static Segment Pack(const std::vector<Posting>& postings, uint32_t first_row, uint32_t rows);
  Segment Merge(const Segment& a, const Segment& b) const;
  void MergeTail();
  void FindIn(const Segment& segment, const std::vector<WordKeys>& words, Matches& found) const;
  Record RecordOf(uint32_t row) const;

  int64_t range_;
  std::vector<Row> rows_;  // in order of arrival
  std::vector<Segment> segments_;
  std::vector<uint32_t> by_slot_, by_place_;  // live rows; place: (session, position)
};

}  // namespace memory
