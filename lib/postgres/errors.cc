// Codes by class of SQLSTATE (appendix A of PostgreSQL's manual), with the exceptions first.
#include "lib/postgres/errors.h"

#include "lib/base/text/text.h"

namespace postgres {

using base::Code;

Code CodeOf(std::string_view state) {
  if (state == "57014") return Code::kTimeout;                      // query_canceled
  if (state == "53100") return Code::kFull;                         // disk_full
  if (state == "22021" || state == "22P05") return Code::kInvalid;  // no UTF-8, or a zero byte
  if (state == "25006" || state == "3D000" || IsPassing(state) || IsOutdated(state))
    return Code::kUnavailable;  // a server that only reads, no such database
  const std::string_view kind = state.substr(0, 2);
  if (kind == "23") return Code::kConflict;
  if (kind == "54") return Code::kTooLarge;
  // Connections, authorization of the user, resources, the operator's intervention, the system.
  static constexpr std::string_view kUnavailable[] = {"08", "28", "53", "57", "58", ""};
  return base::IsOneOf(kind, kUnavailable) ? Code::kUnavailable : Code::kInternal;
}

bool IsOutdated(std::string_view state) { return state == "0A000" || state == "26000"; }

bool IsPassing(std::string_view state) {
  return state == "40001" || state == "40P01" || state == "55P03";
}

std::string OneLine(const char* message, const std::string& secret) {
  std::string line = base::CollapseWhitespace(message ? message : "");
  for (size_t at; !secret.empty() && (at = line.find(secret)) != std::string::npos;)
    line.replace(at, secret.size(), "…");
  return line;
}

base::Error MakeError(const PGresult* result, const std::string& server) {
  const char* field = libpq().PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const std::string state = field ? field : "";
  const char* primary = libpq().PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  const Code code = CodeOf(state);
  std::string text = OneLine(primary ? primary : libpq().PQresultErrorMessage(result));
  if (!state.empty()) text += " (SQLSTATE " + state + ")";
  return {code, "PostgreSQL" + (code == Code::kUnavailable ? " at " + server : "") + ": " + text};
}

}  // namespace postgres
