// Charges the rows of an answer, while they are read, to the memory budget of the thread's request:
// rows, their JSON and its text are in memory at once. Each program limits the bytes of an answer
// itself.
#pragma once

#include <utility>

#include "lib/base/limits/byte_budget.h"
#include "lib/base/result.h"

namespace base {

class AnswerCharge {
 public:
  // kUnavailable: other requests hold the needed bytes.
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
  static constexpr size_t kCopies = 4;         // rows, their JSON, its text, and growth of the text
  size_t uncounted_ = 0;
};

}  // namespace base
