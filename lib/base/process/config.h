// Settings of a program: one flag, one environment variable AGENT_MEMORY_<FLAG> and one key of the
// --config file each; flag over environment over file over default. Not for Agents: that is
// lib/api.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace base {

struct Setting {
  enum class Kind { kString, kInt, kBool, kDuration, kBytes, kList };  // kList: a,b,c
  std::string name;  // the flag without --, in kebab-case; the key in the file is the same
  Kind kind = Kind::kString;
  std::string fallback;  // the default, written as on the command line
  std::string help;      // one line: what it is, its unit, its limits
  int64_t minimum = 0;   // kInt, kDuration (ms), kBytes
  int64_t maximum = INT64_MAX;
};

// The values in force. Asking for a setting that the Program does not have ends the process
// (CHECK).
class Settings {
 public:
  std::string Text(const std::string& name) const;
  int64_t Int(const std::string& name) const;           // kInt
  bool Bool(const std::string& name) const;             // kBool
  int64_t Milliseconds(const std::string& name) const;  // kDuration: "45s", "250ms", "1h30m"
  int64_t Bytes(const std::string& name) const;         // kBytes: "64Mi", "1Gi", "1000"
  std::vector<std::string> List(const std::string& name) const;
  bool IsSet(const std::string& name) const;  // given anywhere, not the default

 private:
  friend struct SettingsLoader;
  const std::string& Raw(const std::string& name, Setting::Kind kind) const;
  std::map<std::string, std::pair<Setting, std::string>> values_;
  std::map<std::string, bool> given_;
};

struct Program {
  std::string name;     // agent-memory-server
  std::string summary;  // one sentence for --help
  std::vector<Setting> settings;
  std::string epilogue = {};  // shown after the settings: examples
  // What the settings must fulfil together: a start and --check-config refuse the same, in the same
  // words. Opens nothing.
  std::function<Status(const Settings&)> check = {};
  std::vector<std::string> commands = {};  // that main looks for in the first word; named in errors
  bool takes_words = false;  // words that are no flags are operands; else they are refused
};

// What main does next: run with `settings`, or print `output` and exit with `exit_code` (--help,
// --version, --check-config: 0; a bad setting or an unknown word: 64, with its name and the nearest
// one that there is).
struct Invocation {
  bool run = false;
  int exit_code = 0;
  std::string output;
  Settings settings;
  std::vector<std::string> arguments;  // what is not a flag, where the program takes words
  std::vector<std::string> warnings;   // what is odd and harmless, for the log
};

// `environment` is a list like environ ("NAME=value").
Invocation ReadCommandLine(const Program& program, const std::vector<std::string>& argv,
                           const std::vector<std::string>& environment);
std::vector<std::string> Environment();  // this process's
// The level of the setting log-level, which Program::check has looked at, and the warnings.
void StartLog(const Invocation& invocation);

}  // namespace base
