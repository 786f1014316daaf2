// One look at each word; texts and code of other languages are passed over.
#include "sidecar/denial/unjudged_words.h"

#include <algorithm>
#include <string_view>

#include "lib/base/text/text.h"
#include "sidecar/denial/path_judge.h"
#include "sidecar/denial/script_texts.h"
#include "sidecar/shell/script_words.h"

namespace sidecar {
namespace {

// No word of theirs is opened.
constexpr std::string_view kTakesNoPaths[] = {
    "echo",   "printf",   "[",       "[[",      "test",   "case",  "let",  "expr",
    "export", "basename", "dirname", "seq",     "set",    "unset", "kill", "sleep",
    "exit",   "read",     "local",   "declare", "return", "shift"};

bool TakesNoPaths(const std::string& program) { return base::IsOneOf(program, kTakesNoPaths); }

}  // namespace

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

std::vector<std::string> UnjudgedOfScript(const std::string& script, bool commands, bool paths) {
  std::vector<ShellWord> words;
  (void)AddScriptWords(script, words);  // what cannot be read was denied
  MarkTexts(words);
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

}  // namespace sidecar
