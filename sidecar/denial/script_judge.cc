// Paths are judged in two passes: each word in order, following changes of directory; then the
// parts of code and of quoted texts. Unjudged words: visits each word once; skips texts, and code
// of other languages.
#include "sidecar/denial/script_judge.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "lib/base/text/text.h"
#include "sidecar/denial/path_judge.h"
#include "sidecar/denial/script_texts.h"
#include "sidecar/shell/script_words.h"

namespace sidecar {
namespace {

// Programs that open none of their arguments.
constexpr std::string_view kTakesNoPaths[] = {
    "echo",   "printf",   "[",       "[[",      "test",   "case",  "let",  "expr",
    "export", "basename", "dirname", "seq",     "set",    "unset", "kill", "sleep",
    "exit",   "read",     "local",   "declare", "return", "shift"};

bool TakesNoPaths(const std::string& program) { return base::IsOneOf(program, kTakesNoPaths); }

// Why the word may name an unknown path: it expands, its wildcard may match a link, or xargs reads
// it. Empty: it is judged. Requires ClassifyWords.
std::string WhyPathIsUnjudged(const ShellWord& word) {
  if (word.from_input && !TakesNoPaths(word.text))
    return "xargs gives " + word.text + " paths that are not known";
  const bool names_path = word.text.find_first_of("/~") != std::string::npos;
  if (word.elsewhere && (names_path || word.expands || word.text.find("..") != std::string::npos))
    return "paths of " + word.owner + " exec are those of a container";
  if (word.text_only || word.code || word.document || (TakesNoPaths(word.owner) && !word.file))
    return {};
  if (word.expands && (word.program || word.owner.empty()))
    return "a program is only known when it runs";
  if (word.expands) return "words of " + word.owner + " are only known when it runs";
  const bool plain = word.names_command || word.assigns || word.text.starts_with("-") ||
                     word.text.find("://") != std::string::npos;
  const size_t value = word.text.find('=');  // npos + 1: the whole text
  if (!word.wildcard && IsPattern(std::string_view(word.text).substr(value + 1)))
    return "patterns of " + word.owner + " may name paths";
  if (!word.wildcard || plain) return {};
  return "wildcards of " + word.owner + " may name links";
}

bool IsOperand(const ShellWord& word) {
  return !word.file && (word.text == "-" || !word.text.starts_with("-"));
}

// Words of substitutions are interleaved with those of the command.
bool HasOperand(const std::vector<ShellWord>& words, size_t at) {
  return std::any_of(
      words.begin() + static_cast<ptrdiff_t>(at) + 1, words.end(),
      [&](const ShellWord& word) { return word.command == words[at].command && IsOperand(word); });
}

}  // namespace

std::vector<std::string> UnjudgedOfScript(const std::string& script, bool commands, bool paths) {
  std::vector<ShellWord> words;
  (void)AddScriptWords(script, words);  // an unreadable script was denied before
  ClassifyWords(words);
  std::vector<std::string> reasons;
  const auto add = [&](const std::string& why) {
    const std::string reason = "command: " + why;
    if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end())
      reasons.push_back(reason);
  };
  for (const ShellWord& word : words) {
    if (commands && word.runs && word.expands && !word.assigns)
      add("what it runs is only known when it runs");
    if (!paths) continue;
    if (const std::string why = WhyPathIsUnjudged(word); !why.empty()) add(why);
  }
  return reasons;
}

std::string RefusalOfScript(const std::string& script, PathJudge& judge, WorkBudget& budget) {
  std::vector<ShellWord> words;
  if (const auto read = AddScriptWords(script, words); !read) {
    return "the policy of this agent limits paths, and this command cannot be read: " +
           read.error().message;
  }
  ClassifyWords(words);
  std::set<size_t> changes;  // commands that change directory, before the word that names it
  bool entered = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const ShellWord& word = words[i];
    // Also after command, builtin and eval.
    const bool enters = word.runs && (word.text == "cd" || word.text == "pushd");
    if (enters && !HasOperand(words, i)) return judge.Refusal("~");  // cd alone goes home
    if (enters) changes.insert(word.command);
    if (const std::string why = WhyPathIsUnjudged(word); judge.strict() && !why.empty()) {
      return "the policy of this agent limits paths strictly, and " + why + ": write them out";
    }
    if ((enters && !word.names_command) || word.text_only || word.code) continue;
    const bool target = !enters && IsOperand(word) && changes.erase(word.command) > 0;
    if (target && word.text == "-" && !entered) {
      return "the policy of this agent limits paths, and where \"cd -\" leads is not known: name "
             "the directory";
    }
    if (std::string refusal = judge.RefusalOfWord(OnThisMachine(word)); !refusal.empty())
      return refusal;
    if (!target) continue;
    entered = true;
    const std::string directory = word.text.substr(0, word.literal);
    if (directory.empty() && word.expands) continue;  // unknown: reported as unjudged
    if (std::string refusal = judge.Enter(directory); !refusal.empty()) return refusal;
  }
  for (const ShellWord& word : words) {
    const bool code = word.code || word.text.find_first_of(" \t\n;|&()<>`\"'") < word.literal;
    if (!code || word.document || word.text_only || !budget.Spend(word.text.size())) continue;
    for (const std::string& part : PartsOfCode(word)) {
      if (!judge.IsPathInCode(part)) continue;
      if (std::string refusal = judge.RefusalOfWord({part}); !refusal.empty()) return refusal;
    }
  }
  return {};
}

}  // namespace sidecar
