// Recursion goes as deep as JsonLimits lets a value nest. The weight of a text counts separators
// and brackets outside of strings.
#include "lib/base/json/stored.h"

#include <algorithm>

namespace base {
namespace {

// Half of the memory of an object's member: an answer has two copies of it, and AnswerCharge counts
// four copies of its text.
constexpr size_t kBytesOfValue = 56;

size_t CountValues(const Json& value) {
  size_t values = 1;
  if (value.is_structured())
    for (const Json& inner : value) values += CountValues(inner);
  return values;
}

// The number of values, or more: each follows a comma, an opening bracket, or nothing.
size_t CountValues(std::string_view text) {
  size_t values = 1;
  bool in_string = false;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string && c == '\\') {
      ++at;
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string && (c == ',' || c == '[' || c == '{')) {
      ++values;
    }
  }
  return values;
}

}  // namespace

Result<Json> ParseStored(std::string_view text, Json damaged) {
  Result<Json> read = ParseJson(text);
  if (!read && read.error().code == Code::kInvalid) return damaged;
  return read;
}

size_t WeightOfText(std::string_view text) {
  return std::max(text.size(), CountValues(text) * kBytesOfValue);
}

size_t WeightOf(const Json& value) {
  return std::max(DumpJson(value).size(), CountValues(value) * kBytesOfValue);
}

size_t LevelsOf(const Json& value) {
  if (!value.is_structured()) return 0;
  size_t inner = 0;
  for (const Json& one : value) inner = std::max(inner, LevelsOf(one));
  return inner + 1;
}

Status CheckLevels(std::string_view field, const Json& value, size_t most) {
  const size_t levels = LevelsOf(value);
  if (levels <= most) return {};
  return Error{Code::kInvalid, std::string(field) + " nests " + std::to_string(levels) +
                                   " levels deep, the limit is " + std::to_string(most)};
}

}  // namespace base
