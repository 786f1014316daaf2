// Adds the words of code right after the word that contains it, so that commands keep their order:
// a `cd` inside `sh -c` comes before what follows it.
#include "sidecar/shell/script_words.h"

namespace sidecar {
namespace {

constexpr int kMaxCodeDepth = 4;     // sh -c "sh -c '…'"
constexpr size_t kCommandBits = 20;  // for the numbers of the commands of one text

base::Status AddWords(std::string_view script, int depth, std::vector<ShellWord>& all) {
  if (depth > kMaxCodeDepth)
    return base::Error{base::Code::kInvalid, "its code is nested too deep"};
  ASSIGN_OR_RETURN(const auto words, ParseShellWords(script));
  const size_t first = (all.size() + 1) << kCommandBits;
  for (const ShellWord& word : words) {
    all.push_back(word);
    all.back().command += first;
    const bool marks = word.text.find_first_of(" \t\n\"'\\$`;|&") != std::string::npos;
    const bool code = word.runs && !word.names_command && (word.document || marks);
    if (!code) continue;
    const auto read = AddWords(word.text, depth + 1, all);
    const bool certain = word.program || word.document;  // else it may be a text with an apostrophe
    if (!read && certain) return read;
  }
  if (all.size() > kMaxShellWords)
    return base::Error{base::Code::kInvalid, "it has too many words to be judged"};
  return {};
}

}  // namespace

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

base::Status AddScriptWords(std::string_view script, std::vector<ShellWord>& all) {
  return AddWords(script, 0, all);
}

}  // namespace sidecar
