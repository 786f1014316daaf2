// The rows of an open file without a vector of the remote model, and whether they are few enough
// for queries to use that model. Any thread.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "memory/sqlite/tables/vectors.h"

namespace memory {

// A listed row; `mark` distinguishes it from the same row listed again.
struct ListedGap {
  int64_t slot = 0;
  uint64_t mark = 0;
};

// The rows of one request.
struct RemoteBatch {
  std::vector<Vectorless> rows;
  std::vector<ListedGap> listed;  // these rows, in their order
  bool more = false;              // more gaps are listed
};

class RemoteGapList {
 public:
  // The writer calls the first before a commit with the rows of the transaction, the second after
  // it. In between they count as gaps but are not listed: readers may not see them yet.
  void Announce(const std::vector<int64_t>& slots);
  void Commit();

  // A pass over all rows finds older gaps. → where it continues; nullopt: it is done, or enough
  // gaps are listed.
  std::optional<int64_t> NextOfPass() const;
  void AddPass(const RemoteGaps& found);

  std::vector<ListedGap> First(size_t most) const;  // in order of slots
  // Removes them, except rows that were listed again meanwhile.
  void Remove(const std::vector<ListedGap>& gaps);

  // At most one in a hundred of `rows` is a gap.
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
