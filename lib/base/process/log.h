// Logging: one JSON object a line on stderr. Callers pass ids and sizes, never prompts, tool
// output, tokens or secrets.
#pragma once

#include <string_view>

#include "lib/base/json/json.h"

namespace base {

enum class Level { kDebug, kInfo, kWarn, kError };

// {"ts": …, "level": …, "msg": …, "program": …, fields…}. Any thread; one write per line.
void Log(Level level, std::string_view message, const Json& fields = Json::object());
inline void LogInfo(std::string_view m, const Json& f = Json::object()) { Log(Level::kInfo, m, f); }
inline void LogWarn(std::string_view m, const Json& f = Json::object()) { Log(Level::kWarn, m, f); }
inline void LogError(std::string_view m, const Json& f = Json::object()) {
  Log(Level::kError, m, f);
}

// Counts of written lines since the start, for metrics.
struct LogCounts {
  uint64_t warnings = 0, errors = 0;
  int64_t last_error_ms = 0;  // wall clock; 0: no error yet
};
LogCounts CountedLogLines();

void SetLogProgram(std::string_view program);  // once, in main
void SetLogLevel(Level level);
bool DebugIsLogged();
Result<Level> ParseLevel(std::string_view name);  // debug, info, warn, error

}  // namespace base
