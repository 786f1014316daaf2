// The tables of keywords.
#include "sidecar/shell_grammar.h"

#include <algorithm>
#include <iterator>

namespace sidecar {
namespace {

constexpr std::string_view kBeforeCommand[] = {"!",    "{",  "}",     "if",    "then", "else",
                                               "elif", "do", "while", "until", "time", "coproc"};
constexpr std::string_view kCompounds[] = {"{",  "(",   "((",   "while",  "until",
                                           "if", "for", "case", "select", "[["};

template <size_t N>
bool IsOneOf(std::string_view word, const std::string_view (&words)[N]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

}  // namespace

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool IsAssignment(std::string_view word) {
  const size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 &&
         std::all_of(word.begin(), word.begin() + equals, IsNameCharacter);
}

bool IsBeforeCommand(std::string_view word) { return IsOneOf(word, kBeforeCommand); }

bool IsCompound(std::string_view rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  if (rest.starts_with("(")) return true;
  return IsOneOf(rest.substr(0, rest.find_first_of(" \t\r\n;&|(")), kCompounds);
}

}  // namespace sidecar
