// Creates the engine from the settings, for the server and for commands.
#pragma once

#include <memory>
#include <string>

#include "lib/telemetry/metrics.h"
#include "memory/commands/move_host.h"
#include "memory/server_settings.h"
#include "memory/store/engine.h"

namespace memory {

inline constexpr int64_t kUsualMemory = 512 << 20;  // the chart's limit

// Requires the lock of the directory.
base::Result<std::unique_ptr<Engine>> StartEngine(const ServerSettings& settings,
                                                  const base::Clock& clock,
                                                  telemetry::Metrics& metrics);
// As MoveHost::open, which has the words.
base::Result<std::unique_ptr<OpenMemory>> OpenUnservedMemory(const ServerSettings& settings,
                                                             const base::Clock& clock,
                                                             const std::string& tenant, bool make);

}  // namespace memory
