// JSON that a program has stored: its reading, which tells damage from overload, and its weight.
#pragma once

#include <cstddef>
#include <string_view>

#include "lib/base/json/json.h"

namespace base {

// `damaged` if the text is no JSON. An error of any other code says nothing about the text: the
// request's memory budget does not grant its values.
Result<Json> ParseStored(std::string_view text, Json damaged);

// The bytes that JSON counts for in a limit of an answer or a batch: those of its text, or more if
// it consists of many small values ({"1":0,…} in memory is many times larger than its text).
size_t WeightOfText(std::string_view text);  // of valid JSON, without parsing it
size_t WeightOf(const Json& value);

}  // namespace base
