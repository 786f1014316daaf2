// Compares the words of commands and the paths in arguments with the policy's lists.
#include "sidecar/denial.h"

#include <algorithm>
#include <vector>

#include "lib/base/json.h"
#include "lib/base/text.h"
#include "sidecar/tool_text.h"

namespace sidecar {
namespace {

constexpr const char* kCommandArguments[] = {"command", "cmd", "script"};
constexpr const char* kPathArguments[] = {"file_path", "path", "notebook_path"};

// The words of a shell command; operators, quotes and redirections end a word.
std::vector<std::string> Words(std::string_view command) {
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

bool IsInside(const std::string& path, const std::string& prefix) {
  const std::string normal = NormalPath(prefix, "/");
  return normal == "/" || path == normal || path.starts_with(normal + "/");
}

bool IsAllowed(const api::Policy& policy, const std::string& path) {
  return std::any_of(policy.allowed_paths.begin(), policy.allowed_paths.end(),
                     [&](const std::string& prefix) { return IsInside(path, prefix); });
}

// Words of a command that name a path outside the working directory.
bool LooksLikePath(const std::string& word) {
  return word.starts_with("/") || word.starts_with("~") || word.find("..") != std::string::npos;
}

std::vector<std::string> CommandsOf(const base::Json& arguments) {
  std::vector<std::string> commands;
  for (const char* name : kCommandArguments) {
    if (std::string text = base::StringAt(arguments, {name}); !text.empty())
      commands.push_back(text);
  }
  return commands;
}

std::vector<std::string> PathsOf(const base::Json& arguments) {
  std::vector<std::string> paths;
  for (const char* name : kPathArguments) {
    if (std::string text = base::StringAt(arguments, {name}); !text.empty()) paths.push_back(text);
  }
  for (const std::string& command : CommandsOf(arguments)) {
    for (const std::string& word : Words(command)) {
      if (LooksLikePath(word)) paths.push_back(word);
    }
  }
  return paths;
}

}  // namespace

std::string DenialReason(const api::Policy& policy, const api::HookEvent& event) {
  const base::Json arguments = Arguments(event.tool_input);
  for (const std::string& blocked : policy.blocked_commands) {
    for (const std::string& command : CommandsOf(arguments)) {
      if (HoldsWords(Words(command), Words(blocked))) {
        return "the policy of this agent blocks the command \"" + blocked + "\"";
      }
    }
  }
  if (policy.allowed_paths.empty()) return {};
  for (const std::string& path : PathsOf(arguments)) {
    const std::string normal = path.starts_with("~") ? path : NormalPath(path, event.cwd);
    if (!IsAllowed(policy, normal)) {
      return "the policy of this agent allows no access to " + base::Ellipsize(normal, 200) +
             "; allowed: " + base::Join(policy.allowed_paths, ", ");
    }
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
