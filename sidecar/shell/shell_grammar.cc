// The tables of keywords.
#include "sidecar/shell/shell_grammar.h"

#include <algorithm>
#include <iterator>

#include "lib/base/text/text.h"

namespace sidecar {
namespace {

constexpr std::string_view kBeforeCommand[] = {"!",    "{",  "}",     "if",    "then", "else",
                                               "elif", "do", "while", "until", "time", "coproc"};
constexpr std::string_view kCompounds[] = {"{",  "(",   "((",   "while",  "until",
                                           "if", "for", "case", "select", "[["};

}  // namespace

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool IsAssignment(std::string_view word) {
  const size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 &&
         std::all_of(word.begin(), word.begin() + equals, IsNameCharacter);
}

bool IsBeforeCommand(std::string_view word) { return base::IsOneOf(word, kBeforeCommand); }

bool IsCompound(std::string_view rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  if (rest.starts_with("(")) return true;
  return base::IsOneOf(rest.substr(0, rest.find_first_of(" \t\r\n;&|(")), kCompounds);
}

size_t EndOfDescriptor(std::string_view text, size_t at) {
  const size_t end = std::min(text.find_first_not_of("0123456789-", at), text.size());
  const bool ends = end == text.size() ||
                    std::string_view(" \t\r\n;&|()<>").find(text[end]) != std::string_view::npos;
  return ends ? end : at;
}

size_t EndOfName(std::string_view text, size_t at) {
  if (at < text.size() && (text[at] == '@' || text[at] == '*')) return at + 1;
  while (at < text.size() && IsNameCharacter(text[at])) ++at;
  return at;
}

bool Substitutes(std::string_view text) {
  return text.find("$(") != std::string_view::npos || text.find('`') != std::string_view::npos;
}

bool TimeOptions::Takes(std::string_view word) {
  if (value_) {
    value_ = false;
    return true;
  }
  const bool option = word.starts_with("-");
  value_ = word == "--format" || word == "--output" ||
           (option && (word.ends_with("f") || word.ends_with("o")));
  return option;
}

}  // namespace sidecar
