// First each word, as the command changes directory; then what stands inside code and quoted texts.
#include "sidecar/denial/script_paths.h"

#include <algorithm>
#include <set>
#include <vector>

#include "sidecar/denial/script_texts.h"
#include "sidecar/denial/unjudged_words.h"
#include "sidecar/shell/script_words.h"

namespace sidecar {
namespace {

bool IsOperand(const ShellWord& word) {
  return !word.file && (word.text == "-" || !word.text.starts_with("-"));
}

// Words of substitutions stand between those of the command.
bool HasOperand(const std::vector<ShellWord>& words, size_t at) {
  return std::any_of(
      words.begin() + static_cast<ptrdiff_t>(at) + 1, words.end(),
      [&](const ShellWord& word) { return word.command == words[at].command && IsOperand(word); });
}

}  // namespace

std::string RefusalOfScript(const std::string& script, PathJudge& judge, WorkBudget& budget) {
  std::vector<ShellWord> words;
  if (const auto read = AddScriptWords(script, words); !read) {
    return "the policy of this agent limits paths, and this command cannot be read: " +
           read.error().message;
  }
  MarkTexts(words);
  std::set<size_t> changes;  // commands that change directory, and have not said where to
  bool entered = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const ShellWord& word = words[i];
    // Behind command, builtin and eval too.
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
    if (directory.empty() && word.expands) continue;  // anywhere: what follows is unjudged
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
