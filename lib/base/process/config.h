// Settings of a program: each has a flag, an environment variable AGENT_MEMORY_<FLAG> and a key of
// the --config file; flag over environment over file over default. lib/api has the settings of
// Agents.
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

// The effective values. A name that the Program does not have ends the process (CHECK).
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
  // Validates the settings together, at a start and for --check-config. Opens nothing.
  std::function<Status(const Settings&)> check = {};
  std::vector<std::string> commands = {};  // first words that main accepts; named in errors
  bool takes_words = false;                // words that are no flags are operands; else refused
};

// main runs with `settings`, or prints `output` and exits with `exit_code` (--help, --version,
// --check-config: 0; a bad setting or an unknown word: 64, with its name and the nearest known
// one).
struct Invocation {
  bool run = false;
  int exit_code = 0;
  std::string output;
  Settings settings;
  std::vector<std::string> arguments;  // operands, if the program takes words
  std::vector<std::string> warnings;   // harmless oddities, for the log
};

// `environment` is a list like environ ("NAME=value").
Invocation ReadCommandLine(const Program& program, const std::vector<std::string>& argv,
                           const std::vector<std::string>& environment);
std::vector<std::string> Environment();  // this process's
// Sets the level of the setting log-level, which Program::check validated, and logs the warnings.
void StartLog(const Invocation& invocation);

}  // namespace base
