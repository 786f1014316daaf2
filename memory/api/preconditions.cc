// Decoding of preconditions.
#include "memory/api/preconditions.h"

#include <charconv>

#include "lib/base/process/clock.h"
#include "lib/base/text/text.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;

namespace {

Error InvalidWrite(std::string message) { return Error{Code::kInvalid, std::move(message)}; }

}  // namespace

Result<Precondition> DecodePrecondition(const http::Headers& headers) {
  Precondition condition;
  if (const auto none = headers.Get("If-None-Match")) {
    if (base::Trim(*none) != "*")
      return InvalidWrite("If-None-Match must be *, it is " + base::Ellipsize(*none, 40));
    condition.absent = true;
  }
  const auto match = headers.Get("If-Match");
  if (!match) return condition;
  condition.present = true;
  std::string_view text = base::Trim(*match);
  if (text == "*") return condition;
  if (text.size() > 2 && text.front() == '"' && text.back() == '"')
    text = text.substr(1, text.size() - 2);
  int64_t version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc() || end != text.data() + text.size() || version < 0)
    return InvalidWrite("If-Match must be a version such as \"3\" or *, it is " +
                        base::Ellipsize(*match, 40));
  condition.version = version;
  return condition;
}

}  // namespace memory
