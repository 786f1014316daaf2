// Reads a call into commands and paths, and compares them with the policy's lists. Whatever cannot
// be told for certain is taken for the worse.
#include "sidecar/denial.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "lib/base/json.h"
#include "lib/base/text.h"
#include "sidecar/shell_words.h"
#include "sidecar/tool_text.h"

namespace sidecar {
namespace {

constexpr const char* kCommandArguments[] = {"command", "cmd", "script"};
constexpr const char* kPathArguments[] = {"file_path", "path",   "notebook_path",
                                          "paths",     "source", "destination"};
constexpr std::string_view kDevices[] = {"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"};

// The words of a command whatever its quotes mean, so that code inside a quoted argument counts.
std::vector<std::string> FlatWords(std::string_view command) {
  std::vector<std::string> words(1);
  for (const char c : command) {
    if (std::string_view(" \t\r\n;|&()<>`$\"'{}=").find(c) == std::string_view::npos) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

// The first word's program name counts, wherever it lies: /bin/rm is rm.
bool SameWord(const std::string& wanted, const std::string& word, bool first) {
  if (base::MatchesGlob(wanted, word)) return true;
  const size_t slash = word.rfind('/');
  return first && slash != std::string::npos && base::MatchesGlob(wanted, word.substr(slash + 1));
}

bool HoldsWords(const std::vector<std::string>& words, const std::vector<std::string>& wanted) {
  if (wanted.empty() || words.size() < wanted.size()) return false;
  for (size_t begin = 0; begin + wanted.size() <= words.size(); ++begin) {
    bool same = true;
    for (size_t i = 0; same && i < wanted.size(); ++i) {
      same = SameWord(wanted[i], words[begin + i], i == 0);
    }
    if (same) return true;
  }
  return false;
}

// Where every command may read and write: they keep nothing.
bool IsDevice(std::string_view path) {
  constexpr std::string_view kDescriptors = "/dev/fd/";
  if (path.starts_with(kDescriptors) && path.size() > kDescriptors.size()) {
    return path.find_first_not_of("0123456789", kDescriptors.size()) == std::string_view::npos;
  }
  return std::find(std::begin(kDevices), std::end(kDevices), path) != std::end(kDevices);
}

// What file:/x and file://host/x name, however the scheme is written; nullopt for other texts.
std::optional<std::string> PathOfFileUrl(const std::string& text) {
  constexpr std::string_view kScheme = "file:";
  if (text.size() <= kScheme.size()) return std::nullopt;
  for (size_t i = 0; i < kScheme.size(); ++i) {
    const char c = text[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != kScheme[i]) {
      return std::nullopt;
    }
  }
  const std::string rest = text.substr(kScheme.size());
  if (!rest.starts_with("//")) return rest;
  const size_t slash = rest.find('/', 2);
  return slash == std::string::npos ? "/" : rest.substr(slash);
}

constexpr int kMaxCodeDepth = 4;        // sh -c "sh -c '…'"
constexpr size_t kMaxDirectories = 16;  // that a command may be in

// What a call names, as far as it can be read.
struct NamedThings {
  std::vector<std::string> scripts, paths;
  std::string unreadable;  // why not all of it could be read; empty: all was
};

// A list of arguments as the shell would have to be given it.
std::string AsScript(const std::vector<std::string>& arguments) {
  std::string script;
  for (const std::string& argument : arguments) {
    script += script.empty() ? "'" : " '";
    for (const char c : argument) script += c == '\'' ? std::string("'\\''") : std::string(1, c);
    script += "'";
  }
  return script;
}

// A text, or a list of texts. Anything else is not readable.
std::vector<std::string> TextsOf(const base::Json& arguments, const char* name,
                                 NamedThings& things) {
  std::vector<std::string> texts;
  const auto found = arguments.find(name);
  if (found == arguments.end() || found->is_null()) return texts;
  const base::Json list = found->is_array() ? *found : base::Json::array({*found});
  for (const base::Json& one : list) {
    if (one.is_string()) {
      texts.push_back(one.get<std::string>());
    } else {
      things.unreadable = std::string("its argument ") + name + " is neither text nor a list of it";
    }
  }
  return texts;
}

NamedThings ReadCall(const base::Json& input) {
  NamedThings things;
  const base::Json arguments = Arguments(input);
  if (input.is_string() && arguments.empty()) {
    things.scripts.push_back(input.get<std::string>());
  } else if (!input.is_string() && !input.is_object() && !input.is_null()) {
    things.unreadable = "its input is neither an object nor text";
  }
  for (const char* name : kCommandArguments) {
    const auto texts = TextsOf(arguments, name, things);
    if (texts.empty()) continue;
    things.scripts.push_back(arguments[name].is_array() ? AsScript(texts) : texts[0]);
  }
  for (const char* name : kPathArguments) {
    for (std::string& path : TextsOf(arguments, name, things))
      things.paths.push_back(std::move(path));
  }
  return things;
}

// The pattern of Glob is a path with wildcards; that of Grep is an expression over contents.
void AddGlobPaths(const api::HookEvent& event, NamedThings& things) {
  const base::Json arguments = Arguments(event.tool_input);
  std::vector<std::string> patterns = TextsOf(arguments, "glob", things);
  if (ToolMatches("glob", event.tool_name)) {
    for (std::string& pattern : TextsOf(arguments, "pattern", things))
      patterns.push_back(std::move(pattern));
  }
  for (std::string& pattern : patterns) {
    const bool climbs = pattern.find("..") != std::string::npos;
    if (climbs && pattern.find('{') != std::string::npos) pattern = "~";  // {a,../..}: not read
    if (climbs || pattern.starts_with("/") || pattern.starts_with("~"))
      things.paths.push_back(std::move(pattern));
  }
}

// All words of a command, those of code that it hands to a shell included.
base::Status AddWords(std::string_view script, int depth, std::vector<ShellWord>& all) {
  if (depth > kMaxCodeDepth)
    return base::Error{base::Code::kInvalid, "its code is nested too deep"};
  ASSIGN_OR_RETURN(const auto words, ParseShellWords(script));
  for (const ShellWord& word : words) {
    all.push_back(word);
    const bool code = word.runs && !word.names_command &&
                      word.text.find_first_of(" \t\n\"'\\$`;|&") != std::string::npos;
    if (code) RETURN_IF_ERROR(AddWords(word.text, depth + 1, all));
  }
  if (all.size() > kMaxShellWords)
    return base::Error{base::Code::kInvalid, "it has too many words to be judged"};
  return {};
}

std::string BlockedReason(const api::Policy& policy, const NamedThings& things) {
  for (const std::string& script : things.scripts) {
    std::vector<ShellWord> words;
    const auto read = AddWords(script, 0, words);
    std::vector<std::string> texts;
    for (const ShellWord& word : words) texts.push_back(word.text);
    for (const std::string& blocked : policy.blocked_commands) {
      const auto wanted = FlatWords(blocked);
      if (HoldsWords(texts, wanted) || HoldsWords(FlatWords(script), wanted)) {
        return "the policy of this agent blocks the command \"" + blocked + "\"";
      }
    }
    if (!read) {
      return "the policy of this agent blocks commands, and this one cannot be read: " +
             read.error().message;
    }
    const bool hidden = std::any_of(words.begin(), words.end(), [](const ShellWord& word) {
      return word.runs && word.expands && !word.assigns;
    });
    if (hidden) {
      return "the policy of this agent blocks commands, and what this one runs is only known when "
             "it runs: write it out";
    }
  }
  return {};
}

bool IsInside(const std::string& path, const std::string& prefix) {
  const std::string normal = NormalPath(prefix, "/");
  return normal == "/" || path == normal || path.starts_with(normal + "/");
}

// Judges paths against allowedPaths.
class PathJudge {
 public:
  PathJudge(const api::Policy& policy, const RealPath& real_path, const std::string& directory)
      : policy_(policy), real_path_(real_path) {
    if (directory.starts_with("/")) directories_.insert(directory);
    knows_directory_ = !directories_.empty();
    for (const std::string& prefix : policy.allowed_paths)
      real_prefixes_.push_back(real_path(prefix));
  }

  // Why the path may not be touched; empty: it may.
  std::string Refusal(const std::string& path) const {
    if (path.starts_with("~")) return NoAccess(path);
    if (IsDevice(path)) return {};
    for (const std::string& segment : base::Split(path, '/')) {
      const bool may_be_parent = segment.starts_with(".") &&
                                 segment.find_first_of("*?[") != std::string::npos &&
                                 (base::MatchesGlob(segment, "..") || segment[1] == '[');
      if (may_be_parent) return NoAccess(path);
    }
    if (path.starts_with("/")) return RefusalIn(path, "/");
    if (!knows_directory_) return RefusalWithoutDirectory(path);
    for (const std::string& directory : directories_) {
      if (std::string refusal = RefusalIn(path, directory); !refusal.empty()) return refusal;
    }
    return {};
  }

  // A word of a command, which may be a path, hold one, or be something else.
  std::string RefusalOfWord(const ShellWord& word) const {
    const std::string& text = word.text;
    if (word.expands) {
      return "the policy of this agent limits paths, and those of this command are only known when "
             "it runs: write them out";
    }
    if (word.document) return {};  // the words in it are judged one by one
    if (const size_t equals = text.find('='); equals != std::string::npos) {
      std::string refusal = RefusalOfPart(text.substr(equals + 1));
      if (!refusal.empty() || text.starts_with("-")) return refusal;
    }
    if (text.starts_with("-")) return RefusalOfOption(text);
    if (word.names_command && text.find('/') == std::string::npos) return {};
    return RefusalOfPart(text);
  }

  // From now on the command may be in `path` too; whether it got there is not known, so that each
  // relative path must be allowed from every such directory.
  std::string Enter(const std::string& path) {
    std::set<std::string> more;
    for (const std::string& directory : directories_) more.insert(NormalPath(path, directory));
    if (path.starts_with("/")) more.insert(NormalPath(path, "/"));
    directories_.insert(more.begin(), more.end());
    if (directories_.size() <= kMaxDirectories) return {};
    return "the policy of this agent limits paths, and this command changes its directory too "
           "often";
  }

 private:
  // -I../x, -C/x; -xf/x is taken for f and /x.
  std::string RefusalOfOption(const std::string& text) const {
    const size_t slash = text.find('/');
    const bool dotted = text.size() > 2 && text[2] == '.';
    if (dotted || (slash == std::string::npos && text.find("..") != std::string::npos)) {
      return RefusalOfPart(text.substr(2));
    }
    return slash == std::string::npos ? "" : RefusalOfPart(text.substr(slash));
  }
  std::string RefusalOfPart(const std::string& part) const {
    if (part.empty()) return {};
    if (part.starts_with("@") && part.size() > 1) {  // curl -d @file; else a name like any other
      if (std::string refusal = RefusalOfPart(part.substr(1)); !refusal.empty()) return refusal;
    }
    if (const auto path = PathOfFileUrl(part)) return Refusal(*path);
    if (part.find("://") != std::string::npos) return {};
    return Refusal(part);
  }
  // It may be any directory: only when all are allowed is a relative path too.
  std::string RefusalWithoutDirectory(const std::string& path) const {
    if (IsInsideAny("/", policy_.allowed_paths)) return {};
    return "the policy of this agent limits paths, and the event names no cwd in which \"" +
           base::Ellipsize(path, 200) + "\" could be judged: send cwd, or write whole paths";
  }
  std::string RefusalIn(const std::string& path, const std::string& directory) const {
    const std::string normal = NormalPath(path, directory);
    if (!IsInsideAny(normal, policy_.allowed_paths)) return NoAccess(normal);
    const std::string whole = path.starts_with("/") ? path : directory + "/" + path;
    const std::string real = real_path_(whole);
    const bool inside =
        IsInsideAny(real, real_prefixes_) || IsInsideAny(real, policy_.allowed_paths);
    return inside ? "" : NoAccess(real + " (a link leads there)");
  }
  static bool IsInsideAny(const std::string& path, const std::vector<std::string>& prefixes) {
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](const std::string& prefix) { return IsInside(path, prefix); });
  }
  std::string NoAccess(const std::string& path) const {
    return "the policy of this agent allows no access to " + base::Ellipsize(path, 200) +
           "; allowed: " + base::Join(policy_.allowed_paths, ", ");
  }

  const api::Policy& policy_;
  const RealPath& real_path_;
  std::vector<std::string> real_prefixes_;
  std::set<std::string> directories_;
  bool knows_directory_ = false;
};

// Words that look like a path in any reading, for code inside quotes.
bool LooksLikePath(const std::string& word) {
  return word.starts_with("/") || word.starts_with("~") || word.find("..") != std::string::npos;
}

std::string RefusalOfScript(const std::string& script, PathJudge& judge) {
  std::vector<ShellWord> words;
  if (const auto read = AddWords(script, 0, words); !read) {
    return "the policy of this agent limits paths, and this command cannot be read: " +
           read.error().message;
  }
  enum { kElsewhere, kAwaitsDirectory, kEntered } changes = kElsewhere;  // cd, and where to
  words.push_back({"", false, true, true});                              // ends the last command
  for (const ShellWord& word : words) {
    // Behind command, builtin and eval too.
    const bool enters = word.runs && (word.text == "cd" || word.text == "pushd");
    if (word.names_command || enters) {
      if (changes == kAwaitsDirectory) return judge.Refusal("~");  // cd alone goes home
      changes = enters ? kAwaitsDirectory : kElsewhere;
    }
    if (enters && !word.names_command) continue;
    if (std::string refusal = judge.RefusalOfWord(word); !refusal.empty()) return refusal;
    if (changes == kElsewhere || word.names_command) continue;
    if (word.text == "-" || !word.text.starts_with("-")) changes = kEntered;
    if (std::string refusal = judge.Enter(word.text); !refusal.empty()) return refusal;
  }
  for (const ShellWord& word : words) {
    if (word.document) continue;
    for (const std::string& part : FlatWords(word.text)) {
      if (!LooksLikePath(part)) continue;
      if (std::string refusal = judge.RefusalOfWord({part}); !refusal.empty()) return refusal;
    }
  }
  return {};
}

}  // namespace

std::string DenialReason(const api::Policy& policy, const api::HookEvent& event,
                         const RealPath& real_path) {
  if (policy.blocked_commands.empty() && policy.allowed_paths.empty()) return {};
  NamedThings things = ReadCall(event.tool_input);
  AddGlobPaths(event, things);
  if (!things.unreadable.empty()) {
    return "the policy of this agent limits commands and paths, and this call cannot be read: " +
           things.unreadable;
  }
  if (!policy.blocked_commands.empty()) {
    if (std::string reason = BlockedReason(policy, things); !reason.empty()) return reason;
  }
  if (policy.allowed_paths.empty()) return {};
  PathJudge judge(policy, real_path, event.cwd);
  for (const std::string& path : things.paths) {
    if (std::string refusal = judge.Refusal(path); !refusal.empty()) return refusal;
  }
  for (const std::string& script : things.scripts) {
    if (std::string refusal = RefusalOfScript(script, judge); !refusal.empty()) return refusal;
  }
  return {};
}

std::string NormalPath(std::string_view path, std::string_view directory) {
  std::string whole =
      path.starts_with("/") ? std::string(path) : std::string(directory) + "/" + std::string(path);
  std::vector<std::string> steps;
  for (const std::string& step : base::Split(whole, '/')) {
    if (step.empty() || step == ".") continue;
    if (step != "..") {
      steps.push_back(step);
    } else if (!steps.empty()) {
      steps.pop_back();
    }
  }
  return "/" + base::Join(steps, "/");
}

}  // namespace sidecar
