// The server's settings of retention: the rules of projects that have none of their own, and how
// rounds go over the rows. What the rules mean is retention.h.
#pragma once

#include <vector>

#include "lib/base/process/config.h"
#include "memory/server_settings.h"

namespace memory {

std::vector<base::Setting> RetentionSettings();
void ReadRetentionSettings(const base::Settings& settings, ServerSettings& read);
// kInvalid: the rules cannot be read.
base::Status CheckRetentionSettings(const ServerSettings& settings);

}  // namespace memory
