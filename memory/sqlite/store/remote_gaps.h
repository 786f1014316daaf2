// Which rows of an open file have no vector of the remote model yet, and whether so few that a
// question may be answered by that model's vectors. Any thread.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "memory/sqlite/tables/vectors.h"

namespace memory {

// A row that was listed; `mark` tells it from the same row listed again.
struct ListedGap {
  int64_t slot = 0;
  uint64_t mark = 0;
};

// What one request asks for.
struct RemoteBatch {
  std::vector<Vectorless> rows;
  std::vector<ListedGap> listed;  // these rows, in their order
  bool more = false;              // others wait
};

class RemoteGapList {
 public:
  // The writer: rows of the transaction that is about to be committed; and after it. Between both
  // they count as gaps, but are not listed: a reader may not see them yet.
  void Announce(const std::vector<int64_t>& slots);
  void Commit();

  // A pass over all rows finds the gaps of before. Where it goes on; nullopt: it is done, or enough
  // gaps are listed.
  std::optional<int64_t> NextOfPass() const;
  void AddPass(const RemoteGaps& found);

  std::vector<ListedGap> First(size_t most) const;  // in order of slots
  // But for those that were listed again meanwhile.
  void Remove(const std::vector<ListedGap>& gaps);

  // Of `rows` at most one in a hundred is a gap.
  bool Complete(int64_t rows) const;
  size_t size() const;

 private:
  void Add(const std::vector<int64_t>& slots);
  mutable std::mutex mutex_;
  std::vector<int64_t> announced_;
  std::map<int64_t, uint64_t> slots_;  // and their marks
  uint64_t marks_ = 0;
  int64_t after_ = 0;  // of the pass
  bool passed_ = false;
};

}  // namespace memory
