// Reads settings: defaults, then the file, then the environment, then flags; every problem names
// the setting, its source and the accepted values.
#include "lib/base/process/config.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "lib/base/check.h"
#include "lib/base/json/yaml.h"
#include "lib/base/process/clock.h"
#include "lib/base/process/file.h"
#include "lib/base/process/log.h"
#include "lib/base/text/nearest.h"
#include "lib/base/text/text.h"

extern char** environ;

namespace base {
namespace {

using Kind = Setting::Kind;

Result<int64_t> ParseInteger(const std::string& text) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return Error{Code::kInvalid, "'" + text + "' is not a whole number"};
  }
  return value;
}

Result<int64_t> ParseBytes(const std::string& text) {
  static const std::pair<const char*, int64_t> kUnits[] = {
      {"Ki", 1 << 10}, {"Mi", 1 << 20}, {"Gi", 1 << 30}, {"", 1}};
  for (const auto& [unit, scale] : kUnits) {
    if (!text.ends_with(unit)) continue;
    Result<int64_t> number = ParseInteger(text.substr(0, text.size() - std::string(unit).size()));
    if (number && *number >= 0 && *number <= INT64_MAX / scale) return *number * scale;
  }
  return Error{Code::kInvalid, "'" + text + "' is not a size like 1000, 64Mi or 1Gi"};
}

Result<int64_t> ParseNumber(Kind kind, const std::string& text) {
  return kind == Kind::kInt        ? ParseInteger(text)
         : kind == Kind::kDuration ? ParseDuration(text)
                                   : ParseBytes(text);
}

std::string Shown(Kind kind, int64_t number) {
  return kind == Kind::kDuration ? std::to_string(number) + "ms" : std::to_string(number);
}

Status Validate(const Setting& setting, const std::string& text) {
  switch (setting.kind) {
    case Kind::kString:
    case Kind::kList:
      return {};
    case Kind::kBool:
      if (text == "true" || text == "false") return {};
      return Error{Code::kInvalid, "'" + text + "' is neither true nor false"};
    default: {
      ASSIGN_OR_RETURN(int64_t value, ParseNumber(setting.kind, text));
      if (value >= setting.minimum && value <= setting.maximum) return {};
      std::string limits = "at least " + Shown(setting.kind, setting.minimum);
      if (setting.maximum != INT64_MAX)
        limits += " and at most " + Shown(setting.kind, setting.maximum);
      return Error{Code::kInvalid, "'" + text + "' is out of range; it must be " + limits};
    }
  }
}

// Converts a value of the file to its text on the command line.
Result<std::string> FileText(const Setting& setting, const Json& value) {
  if (setting.kind == Kind::kList && value.is_array()) {
    std::vector<std::string> parts;
    for (const Json& item : value) {
      if (!item.is_string()) return Error{Code::kInvalid, "must be a list of strings"};
      parts.push_back(item.get<std::string>());
    }
    return Join(parts, ",");
  }
  if (value.is_string()) return value.get<std::string>();
  bool number = setting.kind == Kind::kInt || setting.kind == Kind::kBytes;
  if (number && value.is_number_integer()) return value.dump();
  if (setting.kind == Kind::kBool && value.is_boolean()) return value.dump();
  return Error{Code::kInvalid, std::string("has the wrong type: ") + value.type_name()};
}

constexpr std::string_view kPrefix = "AGENT_MEMORY_";

std::string EnvironmentName(const std::string& flag) {
  std::string name(kPrefix);
  for (char c : flag)
    name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

// Whether Kubernetes sets the variable in each container for a Service called agent-memory-…:
// …_SERVICE_HOST, …_SERVICE_PORT, …_PORT and …_PORT_7437_TCP_ADDR. These are no settings.
bool IsServiceLink(const std::string& name) {
  const std::string parts = "_" + name + "_";
  return parts.find("_PORT_") != std::string::npos ||
         parts.find("_SERVICE_HOST_") != std::string::npos;
}

// Converts a variable, without the prefix, to its flag.
std::string FlagName(std::string_view variable) {
  std::string flag;
  for (char c : variable)
    flag += c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return flag;
}

std::string Help(const Program& program) {
  std::string text = program.name + ": " + program.summary +
                     "\n\nSettings (flag, or environment variable " + EnvironmentName("") +
                     "<FLAG>, or key of the --config file):\n";
  auto line = [&](const std::string& flag, const std::string& help) {
    text += "  " + flag + std::string(flag.size() < 30 ? 30 - flag.size() : 1, ' ') + help + "\n";
  };
  for (const Setting& setting : program.settings) {
    std::string fallback = setting.kind == Kind::kBool && setting.fallback == "false" ? ""
                           : setting.fallback.empty()                                 ? ""
                                                      : " (" + setting.fallback + ")";
    line("--" + setting.name + (setting.kind == Kind::kBool ? "" : " VALUE"),
         setting.help + fallback);
  }
  line("--config FILE", "YAML file of settings");
  line("--check-config", "check the settings and exit");
  line("--version", "print the version and exit");
  line("--help", "print this and exit");
  return program.epilogue.empty() ? text : text + "\n" + program.epilogue + "\n";
}

}  // namespace

// Collects values layer by layer; keeps the first problem.
struct SettingsLoader {
  const Program& program;
  Settings settings;
  std::string problem;
  std::vector<std::string> warnings;

  std::vector<std::string> Names(const std::string& before = "") const {
    std::vector<std::string> names;
    for (const Setting& setting : program.settings) {
      const bool letter = setting.name.size() == 1 && before == "--";
      names.push_back((letter ? "-" : before) + setting.name);
    }
    return names;
  }
  const Setting* Find(const std::string& name) {
    for (const Setting& setting : program.settings) {
      if (setting.name == name) return &setting;
    }
    return nullptr;
  }
  void Give(const Setting& setting, const std::string& text, const std::string& where) {
    if (Status valid = Validate(setting, text); !valid && problem.empty())
      problem = where + ": " + valid.error().message;
    settings.values_[setting.name] = {setting, text};
    settings.given_[setting.name] = true;
  }
  void Defaults() {
    for (const Setting& setting : program.settings)
      settings.values_[setting.name] = {setting, setting.fallback};
  }
  void File(const std::string& path) {
    Result<std::string> text = ReadFile(path, 256 << 10);
    if (!text) return Fail("--config: " + text.error().message);
    Result<Json> root = Trim(*text).empty() ? Result<Json>(Json::object()) : ParseYaml(*text);
    if (!root) return Fail(path + ": " + root.error().message);
    if (!root->is_object()) return Fail(path + ": must be a map of settings");
    for (const auto& [key, value] : root->items()) {
      const Setting* setting = Find(key);
      if (!setting)
        return Fail(path + ": unknown key '" + key + "'" + DidYouMean(key, Names()) +
                    "--help lists the settings");
      Result<std::string> given = FileText(*setting, value);
      if (!given) return Fail(path + ": " + key + " " + given.error().message);
      Give(*setting, *given, path + ": " + key);
    }
  }
  void FromEnvironment(const std::vector<std::string>& environment) {
    for (const Setting& setting : program.settings) {
      std::string prefix = EnvironmentName(setting.name) + "=";
      for (const std::string& entry : environment) {
        if (entry.starts_with(prefix))
          Give(setting, entry.substr(prefix.size()), prefix.substr(0, prefix.size() - 1));
      }
    }
    for (const std::string& entry : environment)
      if (entry.starts_with(kPrefix)) CheckVariable(entry.substr(0, entry.find('=')));
  }
  // A misspelled variable is an error, like a misspelled flag. A variable that resembles no setting
  // is only a warning: it may be another program's, or another controller may have added it to the
  // pod. AGENT_MEMORY_URL is the agent's.
  void CheckVariable(const std::string& variable) {
    const std::string name = variable.substr(kPrefix.size());
    const std::string flag = FlagName(name);
    if (Find(flag) || IsServiceLink(name) || flag == "url") return;
    const std::string near = NearestWord(flag, Names());
    if (!near.empty())
      return Fail(variable + ": unknown setting; did you mean " + EnvironmentName(near) + "?");
    warnings.push_back(variable + " is no setting of " + program.name);
  }
  void Fail(std::string why) {
    if (problem.empty()) problem = std::move(why);
  }
};

namespace {

// The parsed command line, before settings get values.
struct Words {
  std::vector<std::pair<const Setting*, std::string>> flags;
  std::vector<std::string> arguments;
  std::string config;
  bool check = false;
};

// Reads one flag at argv[i] and its value, which may be the next word. False: noted a problem.
bool ReadFlag(SettingsLoader& loader, const std::vector<std::string>& argv, size_t& i,
              Words& words) {
  const std::string& word = argv[i];
  // One-letter flags have a setting of that name: -f is the setting "f".
  std::string name = word.substr(word.starts_with("--") ? 2 : 1), value;
  size_t equals = name.find('=');
  bool has_value = equals != std::string::npos;
  if (has_value) {
    value = name.substr(equals + 1);
    name.resize(equals);
  }
  const Setting* setting = loader.Find(name);
  if (!setting && name != "config") {
    const std::string flag = word.substr(0, word.find('='));
    std::vector<std::string> known = loader.Names("--");
    for (const char* more : {"--config", "--check-config", "--version", "--help"})
      known.emplace_back(more);
    loader.Fail("unknown flag " + flag + DidYouMean(flag, known) + "--help lists the flags");
    return false;
  }
  if (!has_value && setting && setting->kind == Kind::kBool) {
    value = "true";
  } else if (!has_value) {
    if (i + 1 >= argv.size()) {
      loader.Fail(word + " needs a value");
      return false;
    }
    value = argv[++i];
  }
  if (name == "config") {
    words.config = value;
  } else {
    words.flags.emplace_back(setting, value);
  }
  return true;
}

Invocation Answer(std::string text) {
  Invocation answer;
  answer.output = std::move(text);
  return answer;
}

void GiveFlags(SettingsLoader& loader, const Words& words) {
  std::map<std::string, std::string> lists;  // a list flag given twice adds to the list
  for (const auto& [setting, value] : words.flags) {
    std::string text = value;
    if (setting->kind == Kind::kList) {
      std::string& list = lists[setting->name];
      text = list = list.empty() ? value : list + "," + value;
    }
    loader.Give(*setting, text, "--" + setting->name);
  }
}

}  // namespace

namespace {

// The error for a word that is no flag, if the program takes none: a daemon must not start with it.
std::string UnknownWord(const Program& program, const std::string& word) {
  if (program.commands.empty())
    return "unknown word '" + word + "': there are only flags here; --help lists them";
  return "unknown command '" + word + "'" + DidYouMean(word, program.commands) +
         "commands: " + Join(program.commands, ", ") +
         "; --help lists the flags of a start without one";
}

// Fills `words`, or returns an answer that ends the program at once (--help, --version).
std::optional<Invocation> ReadWords(SettingsLoader& loader, const std::vector<std::string>& argv,
                                    Words& words) {
  const Program& program = loader.program;
  for (size_t i = 1; i < argv.size(); ++i) {
    const std::string& word = argv[i];
    const bool asks_help = word == "help" && !program.takes_words;
    if (word == "--help" || word == "-h" || asks_help) return Answer(Help(program));
    if (word == "--version") return Answer(program.name + " " AGENT_MEMORY_VERSION "\n");
    if (word == "--check-config") {
      words.check = true;
    } else if (word.starts_with("-") && word != "-") {
      if (!ReadFlag(loader, argv, i, words)) break;
    } else if (program.takes_words) {
      words.arguments.push_back(word);
    } else {
      loader.Fail(UnknownWord(program, word));
    }
  }
  return std::nullopt;
}

}  // namespace

Invocation ReadCommandLine(const Program& program, const std::vector<std::string>& argv,
                           const std::vector<std::string>& environment) {
  Invocation invocation;
  SettingsLoader loader{program, {}, {}, {}};
  loader.Defaults();
  Words words;
  if (auto answer = ReadWords(loader, argv, words)) return *std::move(answer);
  if (!words.config.empty()) loader.File(words.config);
  loader.FromEnvironment(environment);
  GiveFlags(loader, words);
  if (loader.problem.empty() && program.check) {
    if (Status checked = program.check(loader.settings); !checked)
      loader.Fail(checked.error().message);
  }
  if (!loader.problem.empty()) {
    invocation.exit_code = 64;  // EX_USAGE of sysexits.h
    invocation.output = program.name + ": " + loader.problem + "\n";
    return invocation;
  }
  invocation.run = !words.check;
  if (words.check) invocation.output = program.name + ": the settings are good\n";
  invocation.settings = std::move(loader.settings);
  invocation.arguments = std::move(words.arguments);
  invocation.warnings = std::move(loader.warnings);
  return invocation;
}

const std::string& Settings::Raw(const std::string& name, Setting::Kind kind) const {
  auto found = values_.find(name);
  CHECK(found != values_.end() && found->second.first.kind == kind);
  return found->second.second;
}

std::string Settings::Text(const std::string& name) const { return Raw(name, Kind::kString); }
int64_t Settings::Int(const std::string& name) const {
  return *ParseNumber(Kind::kInt, Raw(name, Kind::kInt));
}
bool Settings::Bool(const std::string& name) const { return Raw(name, Kind::kBool) == "true"; }
int64_t Settings::Milliseconds(const std::string& name) const {
  return *ParseNumber(Kind::kDuration, Raw(name, Kind::kDuration));
}
int64_t Settings::Bytes(const std::string& name) const {
  return *ParseNumber(Kind::kBytes, Raw(name, Kind::kBytes));
}

std::vector<std::string> Settings::List(const std::string& name) const {
  std::vector<std::string> items;
  for (std::string& item : Split(Raw(name, Kind::kList), ',')) {
    if (!Trim(item).empty()) items.emplace_back(Trim(item));
  }
  return items;
}

bool Settings::IsSet(const std::string& name) const { return given_.contains(name); }

void StartLog(const Invocation& invocation) {
  const Result<Level> level = ParseLevel(invocation.settings.Text("log-level"));
  if (level) SetLogLevel(*level);
  for (const std::string& warning : invocation.warnings) LogWarn(warning);
}

std::vector<std::string> Environment() {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry; ++entry) entries.emplace_back(*entry);
  return entries;
}

}  // namespace base
