// What a query reads of the indexes that it holds.
#include <algorithm>

#include "memory/model/slots.h"
#include "memory/model/soft_match.h"
#include "memory/ranking/resident_indexes.h"

namespace memory {

void ResidentIndexes::Pinned::Find(const std::vector<WordKeys>& words, Matches& found) const {
  for (const auto& held : held_) held->entry->index.Find(words, found);
}

void ResidentIndexes::Pinned::AppendRecords(const Matches& found, const std::vector<Match>& rows,
                                            std::vector<Record>& records) const {
  for (const auto& held : held_) held->entry->index.AppendRecords(found, rows, records);
}

void ResidentIndexes::Pinned::AppendNeighbours(const std::vector<Record>& records, int64_t reach,
                                               std::vector<Record>& neighbours) const {
  for (const auto& held : held_) held->entry->index.AppendNeighbours(records, reach, neighbours);
}

void ResidentIndexes::Pinned::AppendRecordsOf(std::span<const int64_t> slots,
                                              std::vector<Record>& records) const {
  for (const auto& held : held_) held->entry->index.AppendRecordsOf(slots, records);
}

std::vector<double> ResidentIndexes::Pinned::SoftMatches(const Meaning& meaning,
                                                         const std::vector<Record>& records,
                                                         const std::vector<bool>& wanted) const {
  std::vector<double> with(meaning.asked.size());
  size_t sample = 0;
  for (const auto& held : held_) sample += held->entry->pieces.Count(meaning.asked, with);
  const AskedPieces asked = WeighPieces(meaning.asked, with, static_cast<double>(sample));
  const auto pieces_of = [&](const Record& record) -> std::span<const Piece> {
    const auto at = std::find_if(held_.begin(), held_.end(), [&](const auto& held) {
      return held->entry->index.range() == record.slot >> kRangeBits;
    });
    if (at == held_.end()) return {};
    return (*at)->entry->pieces.Of(record.slot);
  };
  return memory::SoftMatches(records, wanted, pieces_of, asked, *meaning.pieces);
}

void ResidentIndexes::Pinned::AppendSimilarities(const Meaning& meaning,
                                                 std::vector<Similarity>& near) const {
  for (const auto& held : held_) held->entry->vectors.AppendSimilarities(meaning.values, near);
}

}  // namespace memory
