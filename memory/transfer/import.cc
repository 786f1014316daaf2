// POST /import: takes an export in while it arrives, in batches. Idempotent: a broken import is
// repeated.
#include "lib/base/text.h"
#include "memory/handlers.h"
#include "memory/revision.h"
#include "memory/transfer/format.h"
#include "memory/transfer/importer.h"
#include "memory/transfer/json_elements.h"
#include "memory/transfer/json_lines.h"
#include "memory/validate.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;
using http::Request;
using http::Response;

namespace {

constexpr size_t kLookAtBytes = 4 << 10;  // a first line is far shorter

Status ReadObject(http::BodyReader& body, Importer& importer) {
  ElementHandlers handlers;
  handlers.on_element = [&](const std::string& array, const Json& element) -> Status {
    if (array == "sessions") return importer.TakeSession(element);
    if (array == "observations") return importer.TakeObservation(element);
    return {};
  };
  handlers.on_field = [&](const std::string& name, const Json& value) -> Status {
    if (name == "format") return importer.SetFormat(value);
    if ((name == "sessions" || name == "observations") && !value.is_null())
      return Error{Code::kInvalid, name + " must be an array"};
    return {};
  };
  return ReadElements(body, handlers);
}

Result<std::string> FormatOf(const Request& request, PeekedBody& body) {
  std::string format = TextParameter(request, "format").value_or("auto");
  if (format == "json" || format == "jsonl" || format == "sqlite") return format;
  if (format != "auto") {
    return Error{Code::kInvalid, "format must be json, jsonl, sqlite or auto, it is \"" +
                                     base::Ellipsize(format, 40) + "\""};
  }
  ASSIGN_OR_RETURN(std::string_view beginning, body.Peek(kLookAtBytes));
  if (beginning.starts_with(kSqliteMagic)) return std::string("sqlite");
  return std::string(StartsAsLines(beginning) ? "jsonl" : "json");
}

// The rows of a file may hold what JSON cannot: they take the same way through the same checks.
Status ReadFile(http::BodyReader& body, Store& store, Importer& importer) {
  ASSIGN_OR_RETURN(Spool spool, store.NewSpool());
  for (;;) {
    ASSIGN_OR_RETURN(std::string piece, body.Read());
    if (piece.empty()) break;
    RETURN_IF_ERROR(spool.Append(piece));
  }
  ASSIGN_OR_RETURN(std::shared_ptr<ExportCursor> rows, OpenForeign(spool.path()));
  RETURN_IF_ERROR(importer.SetFormat(kExportFormat));
  return rows->Walk(
      [&](const api::Session& row) { return importer.TakeSession(api::EncodeSession(row)); },
      [&](const ExportedRow& row) { return importer.TakeObservation(EncodeRow(row)); });
}

Status ReadImport(const std::string& format, PeekedBody& body, Store& store, Importer& importer) {
  if (format == "sqlite") return ReadFile(body, store, importer);
  return format == "jsonl" ? ReadLines(body, importer) : ReadObject(body, importer);
}

}  // namespace

Response Import(const Api& api, const Request& request) {
  ImportOptions options;
  if (request.Query("dedup")) {
    Result<bool> dedup = FlagParameter(request, "dedup");
    if (!dedup) return http::ErrorResponse(dedup.error());
    options.dedup = *dedup;
  }
  PeekedBody body(*request.stream);
  Result<std::string> format = FormatOf(request, body);
  if (!format) return http::ErrorResponse(format.error());
  options.unite_tags = *format == "sqlite";
  Importer importer(api.store, options);
  Status read = ReadImport(*format, body, api.store, importer);
  Status flushed = importer.Flush();
  if (read && flushed) return http::JsonResponse(200, importer.Report());
  // What came before the break is kept: importing the whole again skips it.
  Json report = importer.Report();
  const Error& error = read ? flushed.error() : read.error();
  return http::ErrorResponse(
      {error.code, error.message + " (before that " + report["imported_sessions"].dump() +
                       " sessions and " + report["imported_observations"].dump() +
                       " observations were imported; the same import can be repeated)"});
}

}  // namespace memory
