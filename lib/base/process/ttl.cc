// A number is in nanoseconds, like a duration in Go's JSON.
#include "lib/base/process/ttl.h"

#include <string>
#include <utility>

#include "lib/base/process/clock.h"
#include "lib/base/text/text.h"

namespace base {
namespace {

Error WrongTtl(std::string message) { return Error{Code::kInvalid, std::move(message)}; }

}  // namespace

Result<int64_t> DecodeTtl(const Json& ttl) {
  if (ttl.is_number_integer()) {
    const bool fits = !ttl.is_number_unsigned() || ttl.get<uint64_t>() <= INT64_MAX;
    if (fits && ttl.get<int64_t>() >= 0) return ttl.get<int64_t>();
    return WrongTtl("ttl must be from 0 (for ever) to 9223372036854775807 nanoseconds, it is " +
                    ttl.dump());
  }
  if (!ttl.is_string()) return WrongTtl("ttl must be nanoseconds, or a duration such as \"24h\"");
  constexpr int64_t kNsOfMs = 1'000'000;
  const std::string& text = ttl.get_ref<const std::string&>();
  const Result<int64_t> ms = ParseDuration(text);
  if (!ms || *ms > INT64_MAX / kNsOfMs) {
    return WrongTtl(
        "ttl must be a duration such as \"24h\" or \"1h30m\", at most 292 years, it "
        "is \"" +
        Ellipsize(text, 40) + "\"");
  }
  const bool zero = text.find_first_of("123456789") == std::string::npos;
  // A positive duration that rounds to 0 ms must not mean no expiry.
  return *ms == 0 && !zero ? kNsOfMs : *ms * kNsOfMs;
}

}  // namespace base
