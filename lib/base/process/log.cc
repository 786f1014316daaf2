// Builds each line whole and writes it with one call, so that lines of threads never mix.
#include "lib/base/process/log.h"

#include <unistd.h>

#include <atomic>

#include "lib/base/guarded.h"
#include "lib/base/process/clock.h"

namespace base {
namespace {

std::atomic<Level> threshold{Level::kInfo};
std::atomic<uint64_t> warnings{0}, errors{0};
std::atomic<int64_t> last_error_ms{0};

void CountLine(Level level, int64_t now_ms) {
  if (level == Level::kWarn) ++warnings;
  if (level != Level::kError) return;
  ++errors;
  last_error_ms = now_ms;
}

Guarded<std::string>& ProgramName() {
  static Guarded<std::string> name;
  return name;
}

const char* LevelName(Level level) {
  static const char* const kNames[] = {"debug", "info", "warn", "error"};
  return kNames[static_cast<int>(level)];
}

}  // namespace

void Log(Level level, std::string_view message, const Json& fields) {
  if (level < threshold.load(std::memory_order_relaxed)) return;
  const int64_t now_ms = SystemClock().NowMs();
  CountLine(level, now_ms);
  nlohmann::ordered_json line;
  line["ts"] = FormatTime(now_ms);
  line["level"] = LevelName(level);
  line["msg"] = message;
  std::string program = ProgramName().Copy();
  if (!program.empty()) line["program"] = program;
  for (const auto& [key, value] : fields.items()) line[key] = value;
  std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  // A log line that cannot be written has nowhere to be reported.
  [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

bool DebugIsLogged() { return threshold.load(std::memory_order_relaxed) == Level::kDebug; }

LogCounts CountedLogLines() { return {warnings, errors, last_error_ms}; }

void SetLogProgram(std::string_view program) { ProgramName().Set(std::string(program)); }
void SetLogLevel(Level level) { threshold = level; }

Result<Level> ParseLevel(std::string_view name) {
  for (Level level : {Level::kDebug, Level::kInfo, Level::kWarn, Level::kError}) {
    if (name == LevelName(level)) return level;
  }
  return Error{Code::kInvalid,
               "log level '" + std::string(name) + "' is none of debug, info, warn, error"};
}

}  // namespace base
