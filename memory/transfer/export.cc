// GET /export: every row, written while it is read (pages: ADR 0035).
#include <algorithm>
#include <iterator>
#include <utility>

#include "lib/api/limits.h"
#include "lib/base/archive/tar.h"
#include "lib/base/text/text.h"
#include "lib/conversation/routes/aegis.h"
#include "memory/api/episodes/episode_json.h"
#include "memory/api/shared/shared_handlers.h"
#include "memory/api/validate.h"
#include "memory/transfer/export_body.h"
#include "memory/transfer/notes/note_files.h"
#include "memory/transfer/rows/row_kinds.h"
#include "memory/transfer/transfer_handlers.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Status;
using http::Request;
using http::Response;

namespace {

// The values of an AEGIS memory service under its keys.
Status WriteAegis(ExportCursor& cursor, conversation::Host& conversations, ExportBody& body) {
  bool any = false;
  const auto start = [&](const std::string& key) -> Status {
    RETURN_IF_ERROR(body.Write(
        std::exchange(any, true) ? ",\n" : ",\n\"" + std::string(kAegisSection) + "\":{\n"));
    return body.Write(base::DumpJson(key) + ":");
  };
  RETURN_IF_ERROR(conversation::WalkAegisHashes(
      conversations, [&](const std::string& key, const Json& hash) -> Status {
        RETURN_IF_ERROR(start(key));
        return body.Write(base::DumpJson(hash));
      }));
  bool rows = false;
  RETURN_IF_ERROR(cursor.WalkEpisodes([&](const Episode& episode) -> Status {
    if (!std::exchange(rows, true)) {
      RETURN_IF_ERROR(start("episodic_memories"));
      RETURN_IF_ERROR(body.BeginArray("["));
    }
    return body.Element(EncodeExportedEpisode(episode));
  }));
  if (rows) RETURN_IF_ERROR(body.Write("]"));
  return any ? body.Write("}") : Status();
}

// `conversations`: the caller's, null in an export of one project.
Status WriteObject(ExportCursor& cursor, conversation::Host* conversations, int64_t now_ms,
                   http::BodyWriter& writer) {
  ExportBody body(writer);
  RETURN_IF_ERROR(body.Write("{\"format\":\"" + std::string(kExportFormat) +
                             "\",\n\"exported_at\":\"" + base::FormatTime(now_ms) + "\""));
  const char* before = ",\n\"";  // the next array
  for (const KindRow& kind : KindRows()) {
    bool open = false;
    const auto begin = [&]() -> Status {
      if (std::exchange(open, true)) return {};
      return body.BeginArray(std::exchange(before, "],\n\"") + std::string(kind.array) + "\":[");
    };
    // An earlier version knows these two arrays alone; others are there when they hold anything.
    if (kind.kind() <= RowKind::kObservation) RETURN_IF_ERROR(begin());
    RETURN_IF_ERROR(kind.walk(cursor, [&](const Json& row) -> Status {
      RETURN_IF_ERROR(begin());
      return body.Element(row);
    }));
  }
  RETURN_IF_ERROR(body.Write("]"));
  if (conversations) RETURN_IF_ERROR(WriteAegis(cursor, *conversations, body));
  RETURN_IF_ERROR(body.Write("}\n"));
  return body.Flush();
}

Status WriteLines(ExportCursor& cursor, conversation::Host* conversations, int64_t now_ms,
                  http::BodyWriter& writer) {
  ExportBody body(writer);
  const auto line = [&](const char* kind, Json json) {
    json["kind"] = kind;
    return body.Write(base::DumpJson(json) + "\n");
  };
  RETURN_IF_ERROR(
      line("export", {{"format", kExportFormat}, {"exported_at", base::FormatTime(now_ms)}}));
  Json end = {{"sessions", 0}, {"observations", 0}};  // an earlier version knows no other kind
  for (const KindRow& kind : KindRows()) {
    int64_t count = 0;
    RETURN_IF_ERROR(kind.walk(cursor, [&](Json row) {
      ++count;
      return line(kind.line, std::move(row));
    }));
    if (count > 0) end[Plural(kind.line)] = count;
  }
  if (conversations) {
    RETURN_IF_ERROR(conversation::WalkAegisHashes(
        *conversations, [&](const std::string& key, const Json& hash) {
          return line("aegis", {{"key", key}, {"hash", hash}});
        }));
  }
  RETURN_IF_ERROR(line("end", std::move(end)));
  return body.Flush();
}

Status WriteNotes(ExportCursor& cursor, conversation::Host*, int64_t now_ms,
                  http::BodyWriter& writer) {
  ExportBody body(writer);
  size_t sessions = 0, observations = 0;
  RETURN_IF_ERROR(body.Write(FirstNote(now_ms)));
  RETURN_IF_ERROR(cursor.WalkSessions([&](const api::Session& session) {
    ++sessions;
    return body.Write(NoteOf(FrontOf(session), session.summary));
  }));
  RETURN_IF_ERROR(cursor.WalkObservations(true, [&](const ExportedRow& row) {
    ++observations;
    return body.Write(NoteOf(row));
  }));
  RETURN_IF_ERROR(body.Write(LastNote(sessions, observations)));
  return body.Flush();
}

template <bool kLinked>
Status WriteVault(ExportCursor& cursor, conversation::Host*, int64_t, http::BodyWriter& writer) {
  ExportBody body(writer);
  RETURN_IF_ERROR(cursor.WalkSessions(
      [&](const api::Session& session) { return body.Write(VaultEntry(session)); }));
  RETURN_IF_ERROR(cursor.WalkObservations(
      true, [&](const ExportedRow& row) { return body.Write(VaultEntry(row, kLinked)); }));
  RETURN_IF_ERROR(body.Write(base::TarEnd()));
  return body.Flush();
}

struct StreamedFormat {
  const char* name;
  const char* content_type;
  Status (*write)(ExportCursor&, conversation::Host*, int64_t now_ms, http::BodyWriter&);
  bool of_callers = false;  // without a project it has what belongs to no project, too
};
constexpr StreamedFormat kStreamed[] = {
    {"json", "application/json", WriteObject, true},
    {"jsonl", "application/x-ndjson", WriteLines, true},
    {"notes", "text/markdown; charset=utf-8", WriteNotes},
    {"markdown", "application/x-tar", WriteVault<false>},
    {"obsidian", "application/x-tar", WriteVault<true>},
};

// The whole file is there before the first byte is sent, so that an error is still an answer.
Response ExportFile(const Api& api, const std::optional<std::string>& project,
                    const std::optional<Viewer>& viewer) {
  base::Result<Spool> made = api.store.Copy(project, viewer);
  if (!made) return http::ErrorResponse(made.error());
  made->Unname();  // what only this answer reads is gone with it, whatever happens to us
  Response response;
  response.headers.Set("Content-Type", "application/vnd.sqlite3");
  response.stream =
      [spool = std::make_shared<Spool>(std::move(*made))](http::BodyWriter& writer) -> Status {
    for (;;) {
      ASSIGN_OR_RETURN(std::string piece, spool->Read());
      if (piece.empty()) return Status();
      RETURN_IF_ERROR(writer.Write(piece));
    }
  };
  return response;
}

}  // namespace

Response Export(const Api& api, const Request& request) {
  const std::string format = TextParameter(request, "format").value_or("json");
  const base::Result<std::optional<Viewer>> viewer = ViewerOf(request);
  if (!viewer) return http::ErrorResponse(viewer.error());
  if (format == "sqlite") return ExportFile(api, TextParameter(request, "project"), *viewer);
  if (format == "agentos-json") return ExportAgentOs(api, request);
  const auto* found = std::find_if(std::begin(kStreamed), std::end(kStreamed),
                                   [&](const StreamedFormat& one) { return one.name == format; });
  if (found == std::end(kStreamed)) {
    return http::ErrorResponse(
        {Code::kInvalid, "format must be one of " + api::Listed(api::kExportFormats) +
                             ", it is \"" + base::Ellipsize(format, 40) + "\""});
  }
  const auto project = TextParameter(request, "project");
  base::Result<std::vector<std::string>> owners = std::vector<std::string>();
  std::shared_ptr<conversation::Host> conversations;
  if (found->of_callers && !project) {
    owners = OwnersToRead(api, request);
    if (!owners) return http::ErrorResponse(owners.error());
    conversations = api.store.Conversations(api.caller);
  }
  base::Result<std::shared_ptr<ExportCursor>> cursor =
      api.store.OpenExport(project, *viewer, *std::move(owners));
  if (!cursor) return http::ErrorResponse(cursor.error());
  Response response;
  response.headers.Set("Content-Type", found->content_type);
  response.stream = [write = found->write, cursor = *cursor, conversations,
                     now_ms = api.clock.NowMs()](http::BodyWriter& writer) {
    return write(*cursor, conversations.get(), now_ms, writer);
  };
  return response;
}

}  // namespace memory
