// Fields of traces in bodies and imports. Pure. Every error names the field, its limit and the
// value. Absent and null are the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lib/api/limits.h"
#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace memory {

base::Error InvalidTrace(std::string message);

base::Result<std::string> KindField(const base::Json& body, const std::string& fallback);   // type
base::Result<std::string> ScopeField(const base::Json& body, const std::string& fallback);  // scope
// RFC 3339, or milliseconds since 1970.
base::Result<std::optional<int64_t>> TraceTimeField(const base::Json& body, const char* field);
base::Result<base::Json> ObjectField(const base::Json& body, const char* field);
// A number in [least, most].
base::Result<std::optional<double>> NumberField(const base::Json& body, const char* field,
                                                double least, double most);
// kTooLarge: more than api::kMaxTraceExtras bytes of JSON; kInvalid: one nests more than `levels`.
base::Status CheckExtras(const base::Json& emotions, const base::Json& metadata, size_t levels);

}  // namespace memory
