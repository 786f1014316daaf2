// Words of ordinary programs that are texts, not paths, are known by a table.
#include "sidecar/denial/script_paths.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <vector>

#include "lib/base/text/text.h"
#include "sidecar/denial/script_words.h"

namespace sidecar {
namespace {

constexpr std::string_view kExpressionFirst[] = {"grep", "egrep", "fgrep", "zgrep", "rg",
                                                 "ag",   "ack",   "jq",    "yq",    "man"};
constexpr std::string_view kOnlyTexts[] = {"echo", "printf", "expr", "seq", "man", "export", "tr"};
constexpr std::string_view kMessages[] = {"git", "gh", "glab", "hg", "svn", "jj"};
constexpr std::string_view kMessageOptions[] = {
    "-m",     "-am", "--message", "--title", "--body",   "-b",      "-t",
    "--grep", "-S",  "-G",        "--notes", "--format", "--pretty"};

// Follows commands word by word, for those of substitutions stand between them.
class TextWords {
 public:
  bool Holds(const ShellWord& word) {
    if (word.document || word.file) return false;
    Command& command = commands_[word.command];
    if (word.program) {
      command = {word.text.substr(word.text.rfind('/') + 1), false, false};
      return false;
    }
    if (std::exchange(command.value, false)) return true;
    if (base::IsOneOf(command.program, kOnlyTexts)) return !word.wildcard;
    const bool option = word.text.starts_with("-");
    if (base::IsOneOf(command.program, kMessages)) {
      command.value = base::IsOneOf(word.text, kMessageOptions);
      const std::string_view name = std::string_view(word.text).substr(0, word.text.find('='));
      return option && name.size() < word.text.size() && base::IsOneOf(name, kMessageOptions);
    }
    if (!base::IsOneOf(command.program, kExpressionFirst)) return false;
    if (option) {
      command.value = word.text == "-e" || word.text == "--regexp" || word.text == "--arg";
      command.past_first |= word.text == "-e" || word.text.starts_with("--regexp") ||
                            word.text == "-f" || word.text.starts_with("--f");
      return false;
    }
    return !std::exchange(command.past_first, true);
  }

 private:
  struct Command {
    std::string program;
    bool past_first = false;  // of its operands
    bool value = false;       // the next word is a text
  };
  std::map<size_t, Command> commands_;
};

}  // namespace

std::string RefusalOfScript(const std::string& script, PathJudge& judge, WorkBudget& budget) {
  std::vector<ShellWord> words;
  if (const auto read = AddScriptWords(script, words); !read) {
    return "the policy of this agent limits paths, and this command cannot be read: " +
           read.error().message;
  }
  enum { kElsewhere, kAwaitsDirectory, kEntered } changes = kElsewhere;  // cd, and where to
  bool entered = false;
  TextWords texts;
  for (ShellWord& word : words) word.text_only = texts.Holds(word);
  words.push_back({.names_command = true, .runs = true});  // ends the last command
  for (const ShellWord& word : words) {
    // Behind command, builtin and eval too.
    const bool enters = word.runs && (word.text == "cd" || word.text == "pushd");
    if (word.names_command || enters) {
      if (changes == kAwaitsDirectory) return judge.Refusal("~");  // cd alone goes home
      changes = enters ? kAwaitsDirectory : kElsewhere;
    }
    if ((enters && !word.names_command) || word.text_only) continue;
    if (changes == kAwaitsDirectory && word.text == "-" && !entered) {
      return "the policy of this agent limits paths, and where \"cd -\" leads is not known: name "
             "the directory";
    }
    if (std::string refusal = judge.RefusalOfWord(word); !refusal.empty()) return refusal;
    if (changes == kElsewhere || word.names_command) continue;
    if (word.text == "-" || !word.text.starts_with("-")) {
      changes = kEntered;
      entered = true;
    }
    if (std::string refusal = judge.Enter(word.text); !refusal.empty()) return refusal;
  }
  for (const ShellWord& word : words) {
    const std::string text = word.text.substr(0, word.literal);
    const bool code = text.find_first_of(" \t\n;|&()<>`\"'") != std::string::npos;
    if (!code || word.document || word.text_only || !budget.Spend(text.size())) continue;
    for (const std::string& part : FlatWords(text)) {
      if (!LooksLikePath(part)) continue;
      if (std::string refusal = judge.RefusalOfWord({part}); !refusal.empty()) return refusal;
    }
  }
  return {};
}

}  // namespace sidecar
