// The input and output of a command, and exit codes. Knows no command.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "client/terminal/text.h"
#include "lib/base/process/config.h"
#include "lib/base/result.h"

namespace client {

inline constexpr int kOk = 0, kFailed = 1, kUsage = 64, kNoInput = 66;

struct Call {
  base::Settings settings;
  std::vector<std::string> arguments;
  Screen screen;
  std::istream& in;
  std::ostream& out;
  std::ostream& err;

  std::string Text(const char* name) const { return settings.Text(name); }
  // True with -o json, and by default if stdout is no terminal.
  bool json() const;
  int Fail(const base::Error& error) const;  // prints the error; returns the exit code
  int Usage(const std::string& why) const;
};

}  // namespace client
