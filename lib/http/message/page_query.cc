// Reads and writes the parameters of pages.
#include "lib/http/message/page_query.h"

#include <string>

#include "lib/base/text/text.h"

namespace http {
namespace {

using base::Result;

constexpr size_t kMostDigits = 16;  // fit in an int64
constexpr int64_t kMostCursor = 9'007'199'254'740'991;

}  // namespace

std::optional<int64_t> ParseWhole(std::string_view text) {
  const bool digits = !text.empty() && text.size() <= kMostDigits &&
                      text.find_first_not_of("0123456789") == std::string_view::npos;
  return digits ? std::optional<int64_t>(std::stoll(std::string(text))) : std::nullopt;
}

Result<std::optional<int64_t>> WholeNumber(const Request& request, const char* name, int64_t least,
                                           int64_t most) {
  const auto text = request.Query(name);
  if (!text) return std::optional<int64_t>();
  const auto number = ParseWhole(*text);
  if (number && *number >= least && *number <= most) return number;
  return base::Error{base::Code::kInvalid, std::string(name) + " must be a whole number from " +
                                               std::to_string(least) + " to " +
                                               std::to_string(most) + ", it is \"" +
                                               base::Ellipsize(*text, 40) + "\""};
}

Result<int64_t> PageLimit(const Request& request) {
  ASSIGN_OR_RETURN(const auto limit, WholeNumber(request, "limit", 1, kMostOfAPage));
  return limit.value_or(kMostOfAPage);
}

Result<int64_t> PageCursor(const Request& request) {
  const auto cursor = WholeNumber(request, "cursor", 1, kMostCursor);
  if (cursor) return cursor->value_or(0);
  return base::Error{base::Code::kInvalid,
                     "cursor must be the next_cursor of the page before, it is \"" +
                         base::Ellipsize(request.Query("cursor").value_or(""), 40) + "\""};
}

void AddNextPage(base::Json& answer, int64_t next) {
  if (next == 0) return;
  answer["partial"] = true;
  answer["next_cursor"] = std::to_string(next);
}

}  // namespace http
