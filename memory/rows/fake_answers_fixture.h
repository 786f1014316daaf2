// Test code: answers in memory, the second engine of the seam. Keeps no transactions.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "memory/rows/answers.h"

namespace memory {

class FakeAnswers final : public Answers {
 public:
  base::Result<std::optional<KeptAnswer>> Find(const std::string& key, int64_t oldest_ms) override {
    const auto found = kept_.find(key);
    if (found == kept_.end() || found->second.at_ms < oldest_ms) return std::optional<KeptAnswer>();
    return std::optional(found->second.answer);
  }
  base::Status Keep(const std::string& key, const KeptAnswer& answer, int64_t now_ms) override {
    kept_[key] = {answer, now_ms};
    return {};
  }

 private:
  struct Row {
    KeptAnswer answer;
    int64_t at_ms = 0;
  };
  std::map<std::string, Row> kept_;  // by key
};

}  // namespace memory
