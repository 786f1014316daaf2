// Counts quotes and checks words.
#include "lib/api/query_operators.h"

#include <string>
#include <vector>

#include "lib/base/text/text.h"

namespace api {

namespace {

bool IsOperator(std::string_view word) { return word == "AND" || word == "OR" || word == "NOT"; }

}  // namespace

bool HasOperators(std::string_view query) {
  size_t quotes = 0;
  for (const char c : query) quotes += c == '"';
  if (quotes % 2 != 0) return false;
  if (quotes > 0) return true;
  const std::vector<std::string> words = base::Split(base::CollapseWhitespace(query), ' ');
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool between = i > 0 && i + 1 < words.size();
    if (between && IsOperator(word)) return true;
    if (word.size() > 1 && word.back() == '*' && word.find('*') == word.size() - 1) return true;
  }
  return false;
}

}  // namespace api
