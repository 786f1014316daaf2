// The answers to writes with an Idempotency-Key: the seam between what a repetition gets
// (memory/keeping) and an engine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lib/base/result.h"
#include "memory/rows/writes.h"

namespace memory {

struct KeptAnswer {
  Saved saved;                    // as the first call got it
  std::optional<int64_t> digest;  // of its body; nullopt: an earlier version kept it
};

// Bound to one transaction, like Observations.
class Answers {
 public:
  virtual ~Answers() = default;
  // Not one kept before `oldest_ms`.
  virtual base::Result<std::optional<KeptAnswer>> Find(const std::string& key,
                                                       int64_t oldest_ms) = 0;
  virtual base::Status Keep(const std::string& key, const KeptAnswer& answer,
                            int64_t now_ms) = 0;  // replaces
};

}  // namespace memory
