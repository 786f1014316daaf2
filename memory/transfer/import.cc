// POST /import: takes an export in while it arrives, in batches. Idempotent: a broken import is
// repeated.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "lib/api/limits.h"
#include "lib/base/archive/tar.h"
#include "lib/base/text/text.h"
#include "memory/api/shared/shared_handlers.h"
#include "memory/api/traces/trace_json.h"
#include "memory/api/validate.h"
#include "memory/transfer/formats/body_formats.h"
#include "memory/transfer/formats/csv_records.h"
#include "memory/transfer/notes/note_files.h"
#include "memory/transfer/rows/bodies.h"
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
constexpr const char *kAuto = "auto", *kClaudeMem = "claude-mem";

struct Reading {
  PeekableBody& body;
  const ForeignDefaults& defaults;
  Store& store;
  Importer& importer;
};

Status ReadJson(const Reading& in) {
  const Converter* converter = ConverterNamed(in.defaults.format);
  if (converter != nullptr && converter->starts_as_lines != nullptr) {
    ASSIGN_OR_RETURN(const std::string_view beginning, in.body.Peek(kLookAtBytes));
    if (converter->starts_as_lines(beginning))
      return ReadForeignLines(in.body, *converter, in.defaults, in.importer);
  }
  return ReadJsonBody(in.body, in.defaults, in.importer);
}

Status ReadJsonLines(const Reading& in) { return ReadLines(in.body, in.importer); }

Status ReadFolder(const Reading& in) { return ReadVault(in.body, in.defaults, in.importer); }

Status ReadMarkdown(const Reading& in) {
  ASSIGN_OR_RETURN(const std::string_view beginning, in.body.Peek(kLookAtBytes));
  if (base::StartsAsTar(beginning)) return ReadFolder(in);
  return ReadNotes(in.body, in.defaults, in.importer);
}

Status ReadTable(const Reading& in) {
  ASSIGN_OR_RETURN(const std::string_view peeked, in.body.Peek(kLookAtBytes));
  const std::string beginning(peeked);
  return ReadCsv(in.body, beginning, in.defaults, in.importer);
}

// The rows of a file may hold what JSON cannot: they take the same way through the same checks.
Status ReadFile(const Reading& in) {
  ASSIGN_OR_RETURN(Spool spool, in.store.NewUpload());
  for (;;) {
    ASSIGN_OR_RETURN(std::string piece, in.body.Read());
    if (piece.empty()) break;
    RETURN_IF_ERROR(spool.Append(piece));
  }
  Importer& importer = in.importer;
  ASSIGN_OR_RETURN(const std::shared_ptr<BrainCursor> brain, in.store.OpenBrain(spool.path()));
  if (brain && brain->of_claude_mem()) {
    ClaudeMemRows rows;
    return brain->Walk([&](const std::string& table, Result<Json> row) {
      if (row)
        return TakeForeignRows(rows.Take(table, *row), kClaudeMem, Json(), in.defaults, importer);
      importer.RefuseObservation(row.error(), {{"table", table}});
      return Status();
    });
  }
  if (in.defaults.format == kClaudeMem)
    return Error{Code::kInvalid, "the body is no database of claude-mem"};
  if (brain) {
    return brain->Walk([&](const std::string& array, Result<Json> row) {
      return importer.TakeAgentOs(array, std::move(row));
    });
  }
  ASSIGN_OR_RETURN(std::shared_ptr<ExportCursor> rows, in.store.OpenCopy(spool.path()));
  RETURN_IF_ERROR(importer.SetFormat(kExportFormat));
  for (const KindRow& kind : KindRows())
    RETURN_IF_ERROR(
        kind.walk(*rows, [&](const Json& row) { return importer.Take(kind.kind(), row); }));
  return {};
}

// Beside those of Converters, which ReadJson reads.
constexpr std::pair<const char*, Status (*)(const Reading&)> kFormats[] = {
    {"json", ReadJson},         {"jsonl", ReadJsonLines}, {"sqlite", ReadFile},
    {"markdown", ReadMarkdown}, {"obsidian", ReadFolder}, {"notes", ReadMarkdown},
    {"csv", ReadTable},         {"agentops", ReadJson},   {"agentos-json", ReadJson},
    {kClaudeMem, ReadFile}};

auto ReaderOf(const std::string& format) {
  const auto* found =
      std::ranges::find_if(kFormats, [&](auto& one) { return format == one.first; });
  return found == std::end(kFormats) ? ReadJson : found->second;
}

// The media type of the body, in lower case and without parameters; "": none is given.
std::string TypeOf(const Request& request) {
  const std::string given = request.headers.Get("Content-Type").value_or("");
  return base::FoldCase(base::Trim(std::string_view(given).substr(0, given.find(';'))));
}

Result<std::string> FormatOf(const Request& request, PeekableBody& body) {
  std::string format = TextParameter(request, "format").value_or(kAuto);
  if (!api::IsOneOf(format, api::kImportFormats)) {
    return Error{Code::kInvalid, "format must be one of " + api::Listed(api::kImportFormats) +
                                     ", it is \"" + base::Ellipsize(format, 40) + "\""};
  }
  if (format != kAuto) return format;
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

struct Asked {
  ImportOptions options;
  ForeignDefaults defaults;
};

Result<Asked> AskedOf(const Api& api, const Request& request, PeekableBody& body) {
  Asked asked;
  ImportOptions& options = asked.options;
  if (request.Query("dedup")) {
    ASSIGN_OR_RETURN(options.dedup, FlagParameter(request, "dedup"));
  }
  ASSIGN_OR_RETURN(options.restore, FlagParameter(request, "restore"));
  ASSIGN_OR_RETURN(options.vouched, IsVouched(api, request));
  ForeignDefaults& defaults = asked.defaults;
  ASSIGN_OR_RETURN(defaults.format, FormatOf(request, body));
  ASSIGN_OR_RETURN(options.viewer, ViewerOf(request));
  options.unite_tags = defaults.format == "sqlite";
  options.now_ms = defaults.now_ms = api.clock.NowMs();
  defaults.project = TextParameter(request, "project").value_or(defaults.project);
  ASSIGN_OR_RETURN(defaults.context, ContextOf(request, Json::object()));
  return asked;
}

}  // namespace

Response Import(const Api& api, const Request& request) {
  PeekableBody body(*request.stream);
  const Result<Asked> asked = AskedOf(api, request, body);
  if (!asked) return http::ErrorResponse(asked.error());
  const ForeignDefaults& defaults = asked->defaults;
  std::set<std::string> owners;  // each may take an access review
  const auto may_share = [&](const std::string& owner) -> Status {
    if (!owners.contains(owner) && owners.size() == size_t{kMostSharedOwners})
      return Error{Code::kDenied, "one import writes for at most " +
                                      std::to_string(kMostSharedOwners) + " Agents"};
    owners.insert(owner);
    return MayWriteShared(api, request, owner);
  };
  Importer importer({api.store, may_share}, asked->options, api.administrator,
                    api.store.Conversations(api.caller), defaults.context);
  Status read = ReaderOf(defaults.format)({body, defaults, api.store, importer});
  Status flushed = importer.Finish();
  const Json report = importer.Report();
  if (read && flushed) return http::JsonResponse(200, report);
  // Rows before the break stay: importing the whole again skips them.
  const Error& error = read ? flushed.error() : read.error();
  return http::ErrorResponse(
      {error.code, error.message + " (before that " + report["imported_sessions"].dump() +
                       " sessions and " + report["imported_observations"].dump() +
                       " observations were imported; the same import can be repeated)"});
}

}  // namespace memory
