// The text indexes of a process, borrowed by those that search or read rows for an index.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "memory/sqlite/ranking/text_index.h"

namespace memory {

// Any thread.
class TextIndexes {
 public:
  base::Result<std::unique_ptr<TextIndex>> Take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<TextIndex> last = std::move(idle_.back());
        idle_.pop_back();
        return last;
      }
    }
    return TextIndex::Make();
  }
  void GiveBack(std::unique_ptr<TextIndex> index) {
    constexpr size_t kMostIdle = 16;
    const std::lock_guard lock(mutex_);
    if (index && idle_.size() < kMostIdle) idle_.push_back(std::move(index));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<TextIndex>> idle_;
};

}  // namespace memory
