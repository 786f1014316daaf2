// The pages of a list that a request asks for: whole numbers of its query with their limits, and
// how large an answer may be. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/http/message/message.h"

namespace sidecar {

inline constexpr size_t kMostAnswerBytes = 8 << 20;  // nothing larger is built in memory
inline constexpr int64_t kMostOfAPage = 1'000;       // things in one page

// A number of decimal digits alone, at most 16 of them; nullopt: `text` is something else.
std::optional<int64_t> ParseWhole(std::string_view text);
// The whole number that the query has under `name`; nullopt: it has none. kInvalid names the
// parameter, its limits and what it is.
base::Result<std::optional<int64_t>> WholeNumber(const http::Request& request, const char* name,
                                                 int64_t least, int64_t most);
// `limit`, of a page; all that a page may have when it is not given.
base::Result<int64_t> PageLimit(const http::Request& request);
// `cursor`: the number in a next_cursor; 0: from the beginning.
base::Result<int64_t> PageCursor(const http::Request& request);
// Says in an answer that there is more, and where it goes on. Nothing for 0.
void SayMore(base::Json& answer, int64_t next);

}  // namespace sidecar
