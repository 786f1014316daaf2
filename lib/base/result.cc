// The names of the error codes.
#include "lib/base/result.h"

namespace base {

const char* CodeName(Code code) {
  switch (code) {
    case Code::kInvalid:
      return "invalid";
    case Code::kNotFound:
      return "not_found";
    case Code::kDenied:
      return "denied";
    case Code::kConflict:
      return "conflict";
    case Code::kTooLarge:
      return "too_large";
    case Code::kFull:
      return "full";
    case Code::kUnavailable:
      return "unavailable";
    case Code::kTimeout:
      return "timeout";
    case Code::kInternal:
      return "internal";
  }
  return "internal";
}

Error Wrap(std::string_view context, const Error& error) {
  return {error.code, std::string(context) + ": " + error.message};
}

}  // namespace base
