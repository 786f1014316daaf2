// Reads the page parameters of a list's request, and limits the size of an answer. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/http/message/message.h"

namespace http {

inline constexpr size_t kMostAnswerBytes = 8 << 20;  // largest answer built in memory
inline constexpr int64_t kMostOfAPage = 1'000;       // elements of one page

// A number of 1 to 16 decimal digits; nullopt: other text.
std::optional<int64_t> ParseWhole(std::string_view text);
// The whole number of the query parameter `name`; nullopt: the query has none. kInvalid names the
// parameter, its limits and its value.
base::Result<std::optional<int64_t>> WholeNumber(const Request& request, const char* name,
                                                 int64_t least, int64_t most);
// The parameter `limit`; kMostOfAPage: not given.
base::Result<int64_t> PageLimit(const Request& request);
// The parameter `cursor`, the number of a next_cursor; 0: not given.
base::Result<int64_t> PageCursor(const Request& request);
// Adds partial and next_cursor to an answer; nothing when `next` is 0.
void AddNextPage(base::Json& answer, int64_t next);

}  // namespace http
