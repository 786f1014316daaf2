// Parses names, times, numbers and objects of traces.
#include "memory/api/traces/trace_fields.h"

#include "lib/api/limits.h"
#include "lib/base/json/stored.h"
#include "lib/base/process/clock.h"
#include "lib/base/text/text.h"
#include "memory/store/trace.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

namespace {

Result<std::string> OneOf(const Json& body, const char* field, bool (*known)(std::string_view),
                          std::string_view words, const std::string& fallback) {
  ASSIGN_OR_RETURN(const auto given, base::OptionalString(body, field));
  if (!given || given->empty()) return fallback;
  if (known(*given)) return *given;
  return Error{Code::kInvalid, std::string(field) + " must be one of " + api::Listed(words) +
                                   ", it is \"" + std::string(base::Prefix(*given, 50)) + "\""};
}

}  // namespace

Error InvalidTrace(std::string message) { return Error{Code::kInvalid, std::move(message)}; }

Result<std::string> KindField(const Json& body, const std::string& fallback) {
  return OneOf(body, "type", IsTraceKind, api::kTraceKinds, fallback);
}

Result<std::string> ScopeField(const Json& body, const std::string& fallback) {
  return OneOf(body, "scope", IsTraceScope, api::kTraceScopes, fallback);
}

// 0001-01-01T00:00:00Z, Go's zero time: the field was not set.
constexpr int64_t kUnsetMs = -62'135'596'800'000;

Result<std::optional<int64_t>> TraceTimeField(const Json& body, const char* field) {
  const auto given = body.find(field);
  if (given == body.end() || given->is_null()) return std::optional<int64_t>();
  if (given->is_number_integer() && *given >= 0 && *given < int64_t{1} << 53)
    return std::optional(given->get<int64_t>());
  if (given->is_string()) {
    const auto time = base::ParseTime(given->get<std::string>());
    if (time && *time == kUnsetMs) return std::optional<int64_t>();
    // An export has the number, which is from 0 on.
    if (time && *time >= 0) return std::optional(*time);
  }
  return InvalidTrace(std::string(field) +
                      " must be an RFC 3339 time or milliseconds since 1970, it is " +
                      std::string(base::Prefix(base::DumpJson(*given), 50)));
}

Result<Json> ObjectField(const Json& body, const char* field) {
  const auto given = body.find(field);
  if (given == body.end() || given->is_null()) return Json::object();
  if (!given->is_object()) return InvalidTrace(std::string(field) + " must be an object");
  return *given;
}

Result<std::optional<double>> NumberField(const Json& body, const char* field, double least,
                                          double most) {
  const auto given = body.find(field);
  if (given == body.end() || given->is_null()) return std::optional<double>();
  if (given->is_number() && *given >= least && *given <= most)
    return std::optional(given->get<double>());
  return InvalidTrace(std::string(field) + " must be a number from " + base::DumpJson(least) +
                      " to " + base::DumpJson(most) + ", it is " +
                      std::string(base::Prefix(base::DumpJson(*given), 50)));
}

Status CheckExtras(const Json& emotions, const Json& metadata, size_t levels) {
  RETURN_IF_ERROR(base::CheckLevels("emotions", emotions, levels));
  RETURN_IF_ERROR(base::CheckLevels("metadata", metadata, levels));
  const size_t bytes = base::DumpJson(emotions).size() + base::DumpJson(metadata).size();
  if (bytes <= api::kMaxTraceExtras) return {};
  return Error{Code::kTooLarge, "emotions and metadata have " + std::to_string(bytes) +
                                    " bytes of JSON, the limit is " +
                                    std::to_string(api::kMaxTraceExtras)};
}

}  // namespace memory
