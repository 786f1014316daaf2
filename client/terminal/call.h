// What a command is given, and its exit codes. Knows no command.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "client/terminal/text.h"
#include "lib/base/process/config.h"
#include "lib/base/result.h"

namespace client {

inline constexpr int kOk = 0, kFailed = 1, kUsage = 64, kNoInput = 66;

// What a command is given.
struct Call {
  base::Settings settings;
  std::vector<std::string> arguments;
  Screen screen;
  std::istream& in;
  std::ostream& out;
  std::ostream& err;

  std::string Text(const char* name) const { return settings.Text(name); }
  // JSON is asked for, or the output goes to a program and nothing was asked for.
  bool json() const;
  int Fail(const base::Error& error) const;  // says it → the exit code
  int Usage(const std::string& why) const;
};

}  // namespace client
