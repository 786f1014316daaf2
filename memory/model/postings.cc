// Postings as in Zobel and Moffat, "Inverted Files for Text Search Engines" (2006): gaps between
// rows in variable-length bytes, segments merged as they grow.
#include "memory/model/postings.h"

#include <algorithm>
#include <span>

#include "memory/model/reserve.h"
#include "memory/model/slots.h"

namespace memory {
namespace {

constexpr uint32_t kLargestMerge = 8192;  // rows: merging them takes a few milliseconds

void AppendNumber(std::vector<uint8_t>& bytes, uint32_t number) {
  for (; number >= 0x80; number >>= 7) bytes.push_back(static_cast<uint8_t>(number | 0x80));
  bytes.push_back(static_cast<uint8_t>(number));
}

uint32_t ReadNumber(const uint8_t*& at) {
  uint32_t number = 0;
  for (int shift = 0;; shift += 7) {
    const uint32_t byte = *at++;
    number |= (byte & 0x7F) << shift;
    if (byte < 0x80) return number;
  }
}

}  // namespace

// A posting is the gap to the row before, with a low bit for the usual case: once, in the content.
void RangeIndex::Append(Segment& segment, const Posting& posting, uint32_t& last_row) {
  const WordHit& hit = posting.hit;
  const bool plain = hit.content == 1 && !hit.title && !hit.tag;
  AppendNumber(segment.bytes, (posting.row - last_row) << 1 | static_cast<uint32_t>(!plain));
  if (!plain) {
    AppendNumber(segment.bytes, hit.content << 2 | static_cast<uint32_t>(hit.title) << 1 |
                                    static_cast<uint32_t>(hit.tag));
  }
  last_row = posting.row;
}

template <class Take>
void RangeIndex::Read(const Segment& segment, size_t key, Take&& take) {
  const uint8_t* at = segment.bytes.data() + segment.offsets[key];
  const uint8_t* end = segment.bytes.data() + segment.offsets[key + 1];
  uint32_t row = 0;
  while (at < end) {
    const uint32_t gap = ReadNumber(at);
    row += gap >> 1;
    WordHit hit{0, 1, false, false};
    if (gap & 1) {
      const uint32_t rest = ReadNumber(at);
      hit = {0, rest >> 2, (rest & 2) != 0, (rest & 1) != 0};
    }
    take(row, hit);
  }
}

// `postings` in order of (key, row).
RangeIndex::Segment RangeIndex::Pack(const std::vector<Posting>& postings, uint32_t first_row,
                                     uint32_t rows) {
  Segment segment;
  segment.first_row = first_row;
  segment.rows = rows;
  uint32_t last_row = 0;
  for (const Posting& posting : postings) {
    if (segment.keys.empty() || segment.keys.back() != posting.key) {
      segment.keys.push_back(posting.key);
      segment.offsets.push_back(static_cast<uint32_t>(segment.bytes.size()));
      last_row = 0;
    }
    Append(segment, posting, last_row);
  }
  segment.offsets.push_back(static_cast<uint32_t>(segment.bytes.size()));
  segment.keys.shrink_to_fit();
  segment.offsets.shrink_to_fit();
  segment.bytes.shrink_to_fit();
  return segment;
}

// Two neighbouring segments as one; postings of dead rows are left out.
RangeIndex::Segment RangeIndex::Merge(const Segment& a, const Segment& b) const {
  Segment merged;
  merged.first_row = a.first_row;
  merged.rows = a.rows + b.rows;
  uint32_t last_row = 0;
  size_t begin = 0;
  WordKey key = 0;
  auto copy = [&](const Segment& from, size_t i) {
    Read(from, i, [&](uint32_t row, const WordHit& hit) {
      if (!rows_[from.first_row + row].live) return;
      Append(merged, {key, from.first_row - a.first_row + row, hit}, last_row);
    });
  };
  for (size_t i = 0, j = 0; i < a.keys.size() || j < b.keys.size();) {
    const bool in_a = i < a.keys.size() && (j == b.keys.size() || a.keys[i] <= b.keys[j]);
    const bool in_b = j < b.keys.size() && (i == a.keys.size() || b.keys[j] <= a.keys[i]);
    key = in_a ? a.keys[i] : b.keys[j];
    last_row = 0;
    begin = merged.bytes.size();
    if (in_a) copy(a, i++);
    if (in_b) copy(b, j++);
    if (merged.bytes.size() == begin) continue;
    merged.keys.push_back(key);
    merged.offsets.push_back(static_cast<uint32_t>(begin));
  }
  merged.offsets.push_back(static_cast<uint32_t>(merged.bytes.size()));
  merged.keys.shrink_to_fit();
  merged.offsets.shrink_to_fit();
  merged.bytes.shrink_to_fit();
  return merged;
}

void RangeIndex::MergeTail() {
  while (segments_.size() > 1) {
    const Segment &a = segments_[segments_.size() - 2], &b = segments_.back();
    if (a.rows > 2 * b.rows || a.rows + b.rows > kLargestMerge) return;
    Segment merged = Merge(a, b);
    segments_.pop_back();
    segments_.back() = std::move(merged);
  }
}

void RangeIndex::Put(std::vector<NewRow>&& rows) {
  if (rows.empty()) return;
  const auto first_row = static_cast<uint32_t>(rows_.size());
  std::vector<Posting> postings;
  ReserveFor(rows_, rows.size());
  ReserveFor(by_slot_, rows.size());
  ReserveFor(by_place_, rows.size());
  for (NewRow& made : rows) {
    const Record& facts = made.facts;
    Remove(facts.slot);
    const auto row = static_cast<uint32_t>(rows_.size());
    rows_.push_back({facts.created_ms, static_cast<uint32_t>(facts.slot),
                     static_cast<uint32_t>(facts.session), static_cast<uint32_t>(facts.position),
                     static_cast<uint32_t>(facts.words) & 0xFFFFFF,
                     static_cast<uint32_t>(facts.flags) & 0x7F, 1});
    by_slot_.insert(std::upper_bound(by_slot_.begin(), by_slot_.end(), rows_[row].number,
                                     [&](uint32_t number, uint32_t other) {
                                       return number < rows_[other].number;
                                     }),
                    row);
    by_place_.insert(std::upper_bound(by_place_.begin(), by_place_.end(), row,
                                      [&](uint32_t a, uint32_t b) {
                                        return std::pair(rows_[a].session, rows_[a].position) <
                                               std::pair(rows_[b].session, rows_[b].position);
                                      }),
                     row);
    for (const Word& word : made.words) postings.push_back({word.key, row - first_row, word.hit});
  }
  std::sort(postings.begin(), postings.end(), [](const Posting& a, const Posting& b) {
    return std::pair(a.key, a.row) < std::pair(b.key, b.row);
  });
  segments_.push_back(Pack(postings, first_row, static_cast<uint32_t>(rows.size())));
  MergeTail();
}

void RangeIndex::Remove(int64_t slot) {
  const auto number = static_cast<uint32_t>(slot);
  auto at =
      std::lower_bound(by_slot_.begin(), by_slot_.end(), number,
                       [&](uint32_t row, uint32_t wanted) { return rows_[row].number < wanted; });
  if (at == by_slot_.end() || rows_[*at].number != number) return;
  const uint32_t row = *at;
  by_slot_.erase(at);
  rows_[row].live = 0;
  auto place = std::pair(rows_[row].session, rows_[row].position);
  auto near = std::lower_bound(
      by_place_.begin(), by_place_.end(), place, [&](uint32_t other, const auto& wanted) {
        return std::pair(rows_[other].session, rows_[other].position) < wanted;
      });
  by_place_.erase(std::find(near, by_place_.end(), row));
}

void RangeIndex::FindIn(const Segment& segment, const std::vector<WordKeys>& words,
                        Matches& found) const {
  struct Hit {
    WordHit hit;
    uint32_t next;  // 1 + the place of the row's next hit; 0: none
  };
  std::vector<Hit> hits;
  std::vector<uint32_t> heads;  // per row: 1 + the place of its first hit
  // From the last word to the first, since each goes in front: a row's list is then in order.
  for (size_t word = words.size(); word-- > 0;) {
    for (WordKey key : words[word]) {
      auto at = std::lower_bound(segment.keys.begin(), segment.keys.end(), key);
      if (at == segment.keys.end() || *at != key) continue;
      if (heads.empty()) heads.assign(segment.rows, 0);
      Read(segment, static_cast<size_t>(at - segment.keys.begin()),
           [&](uint32_t row, const WordHit& hit) {
             if (heads[row] && hits[heads[row] - 1].hit.word == word) {  // another form
               WordHit& same = hits[heads[row] - 1].hit;
               same.content += hit.content;
               same.title |= hit.title;
               same.tag |= hit.tag;
               return;
             }
             hits.push_back(
                 {{static_cast<uint32_t>(word), hit.content, hit.title, hit.tag}, heads[row]});
             heads[row] = static_cast<uint32_t>(hits.size());
           });
    }
  }
  for (uint32_t i = 0; i < heads.size(); ++i) {
    const uint32_t row = segment.first_row + i;
    if (!heads[i] || !rows_[row].live) continue;
    Match match{range_ << kRangeBits | rows_[row].number, found.words.size(), 0, row};
    for (uint32_t at = heads[i]; at; at = hits[at - 1].next)
      found.words.push_back(hits[at - 1].hit);
    match.count = found.words.size() - match.first;
    found.rows.push_back(match);
  }
}

void RangeIndex::Find(const std::vector<WordKeys>& words, Matches& found) const {
  const auto before = static_cast<std::ptrdiff_t>(found.rows.size());
  for (const Segment& segment : segments_) FindIn(segment, words, found);
  // Rows come in order of slots, but for those that were changed.
  if (!std::is_sorted(found.rows.begin() + before, found.rows.end(), IsBeforeBySlot))
    std::sort(found.rows.begin() + before, found.rows.end(), IsBeforeBySlot);
}

Record RangeIndex::RecordOf(uint32_t row) const {
  const Row& at = rows_[row];
  return {range_ << kRangeBits | at.number,
          at.session,
          at.position,
          at.words,
          at.flags,
          at.created_ms,
          {}};
}

void RangeIndex::AppendRecords(const Matches& found, const std::vector<Match>& rows,
                               std::vector<Record>& records) const {
  for (const Match& match : rows) {
    if (match.slot >> kRangeBits != range_) continue;
    Record& record = records.emplace_back(RecordOf(match.row));
    record.hits = HitsOf(found, match);
  }
}

void RangeIndex::AppendRecordsOf(std::span<const int64_t> slots,
                                 std::vector<Record>& records) const {
  auto at = by_slot_.begin();
  for (const int64_t slot : slots) {
    if (slot >> kRangeBits != range_) continue;
    const auto number = static_cast<uint32_t>(slot);
    at = std::lower_bound(at, by_slot_.end(), number, [&](uint32_t row, uint32_t wanted) {
      return rows_[row].number < wanted;
    });
    if (at != by_slot_.end() && rows_[*at].number == number) records.push_back(RecordOf(*at));
  }
}

void RangeIndex::AppendNeighbours(const std::vector<Record>& records, int64_t reach,
                                  std::vector<Record>& neighbours) const {
  auto place_of = [&](uint32_t row) {
    return std::pair<int64_t, int64_t>(rows_[row].session, rows_[row].position);
  };
  auto at = by_place_.begin();
  for (size_t i = 0; i < records.size();) {
    size_t last = i;
    while (last + 1 < records.size() && records[last + 1].session == records[i].session &&
           records[last + 1].position - records[last].position <= 2 * reach + 1) {
      ++last;
    }
    const std::pair from(records[i].session, records[i].position - reach);
    const std::pair to(records[last].session, records[last].position + reach);
    at = std::lower_bound(at, by_place_.end(), from,
                          [&](uint32_t row, const auto& wanted) { return place_of(row) < wanted; });
    size_t given = i;  // both lists are in order of places
    for (; at != by_place_.end() && place_of(*at) <= to; ++at) {
      const int64_t slot = range_ << kRangeBits | rows_[*at].number;
      while (given <= last &&
             std::pair(records[given].session, records[given].position) < place_of(*at)) {
        ++given;
      }
      bool is_given = false;
      for (size_t same = given; same <= last && records[same].position == place_of(*at).second;
           ++same) {
        is_given = is_given || records[same].slot == slot;
      }
      if (!is_given) neighbours.push_back(RecordOf(*at));
    }
    i = last + 1;
  }
}

size_t RangeIndex::bytes() const {
  size_t bytes = sizeof *this + rows_.capacity() * sizeof(Row) +
                 (by_slot_.capacity() + by_place_.capacity()) * sizeof(uint32_t);
  for (const Segment& segment : segments_) {
    bytes += sizeof segment + segment.keys.capacity() * sizeof(WordKey) +
             segment.offsets.capacity() * sizeof(uint32_t) + segment.bytes.capacity();
  }
  return bytes;
}

}  // namespace memory
