// Decodes and encodes one small JSON object.
#include "lib/api/server_report.h"

#include <utility>

#include "lib/base/text/text.h"

namespace api {

using base::Json;

constexpr size_t kMaxVersionCharacters = 64, kMaxErrorCharacters = 1'024;

base::Json EncodeServerReport(const ServerReport& report) {
  return {{"version", report.version}, {"schema", report.schema},   {"rows", report.rows},
          {"bytes", report.bytes},     {"by_keys", report.by_keys}, {"error", report.error}};
}

base::Result<ServerReport> DecodeServerReport(const Json& body) {
  if (!body.is_object())
    return base::Error{base::Code::kInvalid, "the server's report is not an object"};
  ServerReport report;
  ASSIGN_OR_RETURN(report.version, base::RequiredString(body, "version"));
  ASSIGN_OR_RETURN(auto schema, base::OptionalInt(body, "schema"));
  ASSIGN_OR_RETURN(auto rows, base::OptionalInt(body, "rows"));
  ASSIGN_OR_RETURN(auto bytes, base::OptionalInt(body, "bytes"));
  ASSIGN_OR_RETURN(auto by_keys, base::OptionalBool(body, "by_keys"));
  ASSIGN_OR_RETURN(auto error, base::OptionalString(body, "error"));
  for (const auto& [name, number] : {std::pair("schema", schema), {"rows", rows}, {"bytes", bytes}})
    if (number.value_or(0) < 0)
      return base::Error{base::Code::kInvalid,
                         std::string(name) + " of the server's report is negative"};
  // The operator stores the report in a status, so texts have limits.
  report.version = base::Ellipsize(report.version, kMaxVersionCharacters);
  report.schema = schema.value_or(0);
  report.rows = rows.value_or(0);
  report.bytes = bytes.value_or(0);
  report.by_keys = by_keys.value_or(false);
  report.error = base::Ellipsize(error.value_or(""), kMaxErrorCharacters);
  return report;
}

}  // namespace api
