// Charges the values that a parser makes of one text to the memory budget of the thread's request.
#pragma once

#include <cstddef>
#include <string>

#include "lib/base/limits/byte_budget.h"
#include "lib/base/result.h"

namespace base {

class ValueCharge {
 public:
  // One more value, `text_bytes` of the text after its beginning. False: refused.
  bool Add(size_t text_bytes = 0) {
    return ++values_ % kAtOnce != 0 || charge_ == nullptr ||
           charge_->TryParsed(values_ * kValueBytes + text_bytes);
  }
  void StartText() { values_ = 0; }
  // After a refusal. kUnavailable: not now; kTooLarge: never.
  Error Refusal() const {
    const ByteBudget& budget = *charge_->budget();
    const bool ever = budget.CanEverGrant(charge_->bytes() + kAtOnce * kValueBytes);
    return {ever ? Code::kUnavailable : Code::kTooLarge,
            "memory-budget: " + std::to_string(values_) + " values in one text need " +
                std::to_string(values_ * kValueBytes) + " bytes beside it, and " +
                (ever ? "other requests hold the memory for them; send it again"
                      : "one request may have " + std::to_string(budget.largest()) +
                            ": send fewer in one text")};
  }

 private:
  // The memory of a value beside its text: an element of a growing array or a node of an object's
  // tree, plus the heap block of a string or an empty array.
  static constexpr size_t kValueBytes = 128;
  static constexpr size_t kAtOnce = 1'024;  // so that small texts charge nothing

  ByteCharge* const charge_ = ByteCharge::OfThisThread();
  size_t values_ = 0;
};

}  // namespace base
