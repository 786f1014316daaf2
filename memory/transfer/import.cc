// POST /import: takes an export in while it arrives, in batches. Idempotent: a broken import is
// repeated.
#include <algorithm>

#include "lib/base/text/text.h"
#include "memory/api/episodes/episode_json.h"
#include "memory/api/items/item_json.h"
#include "memory/api/revision.h"
#include "memory/api/traces/exported_traces.h"
#include "memory/api/traces/trace_json.h"
#include "memory/api/validate.h"
#include "memory/transfer/formats/csv_records.h"
#include "memory/transfer/formats/detected_format.h"
#include "memory/transfer/formats/json_lines.h"
#include "memory/transfer/formats/json_rows.h"
#include "memory/transfer/formats/other_formats.h"
#include "memory/transfer/notes/note_files.h"
#include "memory/transfer/notes/tar_archive.h"
#include "memory/transfer/rows/foreign_rows.h"
#include "memory/transfer/rows/format.h"
#include "memory/transfer/rows/importer.h"
#include "memory/transfer/transfer_handlers.h"

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
constexpr const char* kFormats[] = {"json",       "jsonl",    "sqlite",       "markdown",
                                    "obsidian",   "notes",    "csv",          "mem0",
                                    "engram",     "chatgpt",  "agentos-json", "claude",
                                    "claude-mem", "agentops", "mcp-memory",   "gemini"};

// The media type of the body, in lower case and without parameters; "": none is given.
std::string TypeOf(const Request& request) {
  const std::string given = request.headers.Get("Content-Type").value_or("");
  return base::FoldCase(base::Trim(std::string_view(given).substr(0, given.find(';'))));
}

Result<std::string> FormatOf(const Request& request, PeekableBody& body) {
  std::string format = TextParameter(request, "format").value_or("auto");
  if (std::find(std::begin(kFormats), std::end(kFormats), format) != std::end(kFormats))
    return format;
  if (format != "auto") {
    return Error{
        Code::kInvalid,
        "format must be json, jsonl, sqlite, markdown, obsidian, notes, csv, mem0, engram, "
        "chatgpt, agentops, agentos-json, claude, gemini, claude-mem, mcp-memory or auto, it "
        "is \"" +
            base::Ellipsize(format, 40) + "\""};
  }
  ASSIGN_OR_RETURN(std::string_view beginning, body.Peek(kLookAtBytes));
  return FormatByType(TypeOf(request), beginning);
}

Result<bool> IsVouched(const Api& api, const Request& request) {
  const auto trust = TextParameter(request, "trust");
  if (!trust) return false;
  if (*trust != api::kOriginUser) {
    return Error{Code::kInvalid, "trust must be user, or left out for the class import, it is \"" +
                                     base::Ellipsize(*trust, 40) + "\""};
  }
  if (api.administrator) return true;
  return Error{Code::kDenied,
               "trust=user takes a token of a ServiceAccount that is no pod's (kubectl create "
               "token); leave it out, and the memories are of class import"};
}

// The rows of a file may hold what JSON cannot: they take the same way through the same checks.
Status ReadFile(const ForeignDefaults& defaults, http::BodyReader& body, Store& store,
                Importer& importer) {
  ASSIGN_OR_RETURN(Spool spool, store.NewUpload());
  for (;;) {
    ASSIGN_OR_RETURN(std::string piece, body.Read());
    if (piece.empty()) break;
    RETURN_IF_ERROR(spool.Append(piece));
  }
  ASSIGN_OR_RETURN(const std::shared_ptr<BrainCursor> brain, store.OpenBrain(spool.path()));
  if (brain && brain->of_claude_mem()) {
    ForeignDefaults named = defaults;
    named.format = "claude-mem";
    ClaudeMemRows rows(named);
    return brain->Walk([&](const std::string& table, Result<Json> row) {
      if (row) return TakeOther(rows.Take(table, *row), Json(), importer);
      importer.RefuseObservation(row.error(), {{"table", table}});
      return Status();
    });
  }
  if (defaults.format == "claude-mem")
    return Error{Code::kInvalid, "the body is no database of claude-mem"};
  if (brain) {
    return brain->Walk([&](const std::string& array, Result<Json> row) {
      return importer.TakeAgentOs(array, std::move(row));
    });
  }
  ASSIGN_OR_RETURN(std::shared_ptr<ExportCursor> rows, store.OpenCopy(spool.path()));
  RETURN_IF_ERROR(importer.SetFormat(kExportFormat));
  RETURN_IF_ERROR(rows->Walk(
      [&](const api::Session& row) { return importer.TakeSession(api::EncodeSession(row)); },
      [&](const ExportedRow& row) { return importer.TakeObservation(EncodeRow(row)); }));
  RETURN_IF_ERROR(rows->WalkItems(
      [&](const ExportedItem& item) { return importer.TakeItem(EncodeExportedItem(item)); }));
  RETURN_IF_ERROR(rows->WalkEpisodes(
      [&](const Episode& one) { return importer.TakeEpisode(EncodeExportedEpisode(one)); }));
  RETURN_IF_ERROR(rows->WalkTraces(
      [&](const ExportedTrace& one) { return importer.TakeTrace(EncodeExportedTrace(one)); }));
  return rows->WalkEdges(
      [&](const ExportedEdge& one) { return importer.TakeEdge(EncodeExportedEdge(one)); });
}

Status ReadImport(const ForeignDefaults& defaults, PeekableBody& body, Store& store,
                  Importer& importer) {
  const std::string& format = defaults.format;
  if (format == "sqlite" || format == "claude-mem")
    return ReadFile(defaults, body, store, importer);
  if (format == "mcp-memory") {
    ASSIGN_OR_RETURN(const std::string_view beginning, body.Peek(kLookAtBytes));
    if (StartsAsMcpMemory(beginning)) return ReadMcpMemory(body, defaults, importer);
  }
  if (format == "jsonl") return ReadLines(body, importer);
  if (format == "markdown" || format == "notes") {
    ASSIGN_OR_RETURN(const std::string_view beginning, body.Peek(kLookAtBytes));
    if (StartsAsTar(beginning)) return ReadVault(body, defaults, importer);
    return ReadNotes(body, defaults, importer);
  }
  if (format == "obsidian") return ReadVault(body, defaults, importer);
  if (format == "csv") {
    ASSIGN_OR_RETURN(const std::string_view peeked, body.Peek(kLookAtBytes));
    const std::string beginning(peeked);
    return ReadCsv(body, beginning, defaults, importer);
  }
  return ReadJsonRows(body, defaults, importer);
}

}  // namespace

Response Import(const Api& api, const Request& request) {
  ImportOptions options;
  if (request.Query("dedup")) {
    Result<bool> dedup = FlagParameter(request, "dedup");
    if (!dedup) return http::ErrorResponse(dedup.error());
    options.dedup = *dedup;
  }
  Result<bool> restore = FlagParameter(request, "restore");
  if (!restore) return http::ErrorResponse(restore.error());
  options.restore = *restore;
  Result<bool> vouched = IsVouched(api, request);
  if (!vouched) return http::ErrorResponse(vouched.error());
  options.vouched = *vouched;
  PeekableBody body(*request.stream);
  Result<std::string> format = FormatOf(request, body);
  if (!format) return http::ErrorResponse(format.error());
  Result<std::optional<Viewer>> viewer = ViewerOf(request);
  if (!viewer) return http::ErrorResponse(viewer.error());
  options.viewer = *std::move(viewer);
  options.unite_tags = *format == "sqlite";
  options.now_ms = api.clock.NowMs();
  ForeignDefaults defaults;
  defaults.format = *format;
  defaults.now_ms = options.now_ms;
  defaults.project = TextParameter(request, "project").value_or(defaults.project);
  Result<TraceContext> context = ContextOf(request, Json::object());
  if (!context) return http::ErrorResponse(context.error());
  defaults.context = *context;
  Importer importer(api.store, options, api.administrator, api.store.Conversations(api.caller),
                    *context);
  Status read = ReadImport(defaults, body, api.store, importer);
  Status flushed = importer.Finish();
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
