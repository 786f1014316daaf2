// What says in one sentence what several traces say together: a model that is asked over the
// network (memory/endpoint/insights). Without one nothing is derived.
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
  // At most kMaxInsights; none: the texts come to nothing together. kInvalid: nothing usable was
  // made of them; kUnavailable: nobody could be asked, and the message says why, or `stop`.
  virtual base::Result<std::vector<Insight>> InsightsOf(const std::vector<std::string>& texts,
                                                        const std::stop_token& stop) = 0;
};

}  // namespace memory
