// Derives insights, sentences that several traces support together: the interface of the remote
// model (memory/endpoint/insights).
#pragma once

#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

#include "lib/base/result.h"

namespace memory {

inline constexpr size_t kMaxInsights = 3;  // of one cluster

struct Insight {
  std::string content;
  double importance = 0;        // 0…1
  std::vector<size_t> sources;  // two or more of the texts, by their index, each once
};

// Any thread; may take seconds.
class Deriver {
 public:
  virtual ~Deriver() = default;
  // → at most kMaxInsights, possibly none. kInvalid: the answer was unusable; kUnavailable: no
  // answer, with the reason, or `stop`.
  virtual base::Result<std::vector<Insight>> InsightsOf(const std::vector<std::string>& texts,
                                                        const std::stop_token& stop) = 0;
};

}  // namespace memory
