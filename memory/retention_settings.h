// The server's settings of retention: the rules of projects without their own, and the schedule of
// rounds. retention.h defines rules.
#pragma once

#include <string>
#include <vector>

#include "lib/base/process/config.h"
#include "memory/sqlite/store/options.h"

namespace memory {

struct RetentionSettings {
  std::string rules = "[]";  // as they were given; StoreOptions::retention has them read
  int64_t interval_ms = 60'000;
};

std::vector<base::Setting> RetentionFlags();
// The rest goes into `store`.
RetentionSettings ReadRetentionSettings(const base::Settings& settings, StoreOptions& store);
// kInvalid: the rules cannot be read.
base::Status CheckRetentionSettings(const RetentionSettings& settings);

}  // namespace memory
