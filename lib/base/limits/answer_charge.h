// Counts the rows of an answer, while they are read, against what requests may hold of the
// process's memory: rows, their JSON and its text are there at once. How many bytes an answer may
// have is for its program to say.
#pragma once

#include <utility>

#include "lib/base/limits/byte_budget.h"
#include "lib/base/result.h"

namespace base {

class AnswerCharge {
 public:
  // kUnavailable: other requests hold what it needs.
  Status Add(size_t row_bytes) {
    uncounted_ += row_bytes;
    if (uncounted_ < kAtOnce) return {};
    ByteCharge* charge = ByteCharge::OfThisThread();
    if (charge == nullptr || charge->TryAdd(kCopies * std::exchange(uncounted_, 0))) return {};
    return Error{Code::kUnavailable,
                 "memory-budget: other requests hold the memory that this answer needs; ask "
                 "again, or for fewer rows"};
  }

 private:
  static constexpr size_t kAtOnce = 64 << 10;  // so that a small answer charges nothing
  static constexpr size_t kCopies = 4;         // rows, their JSON, its text, and its growth
  size_t uncounted_ = 0;
};

}  // namespace base
