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

// The levels that a value of a client may nest in a write. A list or an export puts it into up to
// four more: the answer stays within JsonLimits, so that what was read can be written again.
inline constexpr size_t kMaxStoredLevels = JsonLimits().max_depth - 4;
// Those in an import, which may be of an earlier version: a line of an export is one level more.
inline constexpr size_t kMaxImportedLevels = JsonLimits().max_depth - 1;

size_t LevelsOf(const Json& value);  // of brackets: 0 of a text or a number, 2 of [[]]
// kInvalid, with field, levels and limit.
Status CheckLevels(std::string_view field, const Json& value, size_t most = kMaxStoredLevels);

}  // namespace base
