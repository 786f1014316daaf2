// GET /export: every session and observation, written while it is read (pages: ADR 0035). An export
// that breaks off is seen as broken: the connection is cut without the body's end.
#include <algorithm>

#include "lib/base/text/text.h"
#include "lib/conversation/routes/aegis_export.h"
#include "memory/api/episodes/episode_json.h"
#include "memory/api/items/item_json.h"
#include "memory/api/revision.h"
#include "memory/api/traces/exported_traces.h"
#include "memory/api/validate.h"
#include "memory/transfer/agentos_export.h"
#include "memory/transfer/notes/note_files.h"
#include "memory/transfer/notes/tar_archive.h"
#include "memory/transfer/pieces.h"
#include "memory/transfer/rows/format.h"
#include "memory/transfer/transfer_handlers.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Status;
using http::Request;
using http::Response;

namespace {

constexpr const char* kItemsArray = "items";
constexpr const char* kEpisodesArray = "episodes";
constexpr const char *kTracesArray = "traces", *kEdgesArray = "traces_edges";

// What an AEGIS memory service keeps, under its keys.
Status WriteAegis(ExportCursor& cursor, conversation::Host& conversations, Pieces& pieces) {
  bool any = false;
  auto start = [&](const std::string& key) -> Status {
    RETURN_IF_ERROR(pieces.Write(any ? ",\n" : ",\n\"" + std::string(kAegisSection) + "\":{\n"));
    any = true;
    return pieces.Write(base::DumpJson(key) + ":");
  };
  RETURN_IF_ERROR(conversation::WalkAegisHashes(
      conversations, [&](const std::string& key, const Json& hash) -> Status {
        RETURN_IF_ERROR(start(key));
        return pieces.Write(base::DumpJson(hash));
      }));
  bool rows = false;
  RETURN_IF_ERROR(cursor.WalkEpisodes([&](const Episode& episode) -> Status {
    if (!rows) RETURN_IF_ERROR(start("episodic_memories"));
    RETURN_IF_ERROR(pieces.Write(rows ? ",\n" : "[\n"));
    rows = true;
    return pieces.Write(base::DumpJson(EncodeExportedEpisode(episode)));
  }));
  if (rows) RETURN_IF_ERROR(pieces.Write("]"));
  return any ? pieces.Write("}") : Status();
}

// `conversations`: the caller's, null in an export of one project.
Status WriteObject(ExportCursor& cursor, conversation::Host* conversations, int64_t now_ms,
                   http::BodyWriter& writer) {
  Pieces pieces(writer);
  bool first = true, in_rows = false;
  auto item = [&](const Json& json) -> Status {
    RETURN_IF_ERROR(pieces.Write(first ? "\n" : ",\n"));
    first = false;
    return pieces.Write(base::DumpJson(json));
  };
  auto start_rows = [&]() -> Status {
    if (in_rows) return {};
    in_rows = first = true;
    return pieces.Write("],\n\"observations\":[");
  };
  RETURN_IF_ERROR(pieces.Write("{\"format\":\"" + std::string(kExportFormat) +
                               "\",\n\"exported_at\":\"" + base::FormatTime(now_ms) +
                               "\",\n\"sessions\":["));
  RETURN_IF_ERROR(
      cursor.Walk([&](const api::Session& session) { return item(api::EncodeSession(session)); },
                  [&](const ExportedRow& row) -> Status {
                    RETURN_IF_ERROR(start_rows());
                    return item(EncodeRow(row));
                  }));
  RETURN_IF_ERROR(start_rows());
  // Arrays that an earlier version does not know are there when they hold anything.
  std::string_view in;
  auto in_array = [&](std::string_view name, const Json& json) -> Status {
    if (in != name) RETURN_IF_ERROR(pieces.Write("],\n\"" + std::string(name) + "\":["));
    first = first || in != name;
    in = name;
    return item(json);
  };
  RETURN_IF_ERROR(cursor.WalkItems(
      [&](const ExportedItem& one) { return in_array(kItemsArray, EncodeExportedItem(one)); }));
  RETURN_IF_ERROR(cursor.WalkEpisodes(
      [&](const Episode& one) { return in_array(kEpisodesArray, EncodeExportedEpisode(one)); }));
  RETURN_IF_ERROR(cursor.WalkTraces(
      [&](const ExportedTrace& one) { return in_array(kTracesArray, EncodeExportedTrace(one)); }));
  RETURN_IF_ERROR(cursor.WalkEdges(
      [&](const ExportedEdge& one) { return in_array(kEdgesArray, EncodeExportedEdge(one)); }));
  RETURN_IF_ERROR(pieces.Write("]"));
  if (conversations) RETURN_IF_ERROR(WriteAegis(cursor, *conversations, pieces));
  RETURN_IF_ERROR(pieces.Write("}\n"));
  return pieces.Flush();
}

Status WriteLines(ExportCursor& cursor, conversation::Host* conversations, int64_t now_ms,
                  http::BodyWriter& writer) {
  Pieces pieces(writer);
  size_t sessions = 0, observations = 0, items = 0, episodes = 0, traces = 0, edges = 0;
  auto line = [&](const char* kind, Json json) {
    json["kind"] = kind;
    return pieces.Write(base::DumpJson(json) + "\n");
  };
  RETURN_IF_ERROR(
      line("export", {{"format", kExportFormat}, {"exported_at", base::FormatTime(now_ms)}}));
  RETURN_IF_ERROR(cursor.Walk(
      [&](const api::Session& session) {
        ++sessions;
        return line("session", api::EncodeSession(session));
      },
      [&](const ExportedRow& row) {
        ++observations;
        return line("observation", EncodeRow(row));
      }));
  RETURN_IF_ERROR(cursor.WalkItems([&](const ExportedItem& item) {
    ++items;
    return line("item", EncodeExportedItem(item));
  }));
  RETURN_IF_ERROR(cursor.WalkEpisodes([&](const Episode& episode) {
    ++episodes;
    return line("episode", EncodeExportedEpisode(episode));
  }));
  RETURN_IF_ERROR(cursor.WalkTraces([&](const ExportedTrace& trace) {
    ++traces;
    return line("trace", EncodeExportedTrace(trace));
  }));
  RETURN_IF_ERROR(cursor.WalkEdges([&](const ExportedEdge& edge) {
    ++edges;
    return line("trace_edge", EncodeExportedEdge(edge));
  }));
  if (conversations) {
    RETURN_IF_ERROR(conversation::WalkAegisHashes(
        *conversations, [&](const std::string& key, const Json& hash) {
          return line("aegis", {{"key", key}, {"hash", hash}});
        }));
  }
  Json end = {{"sessions", sessions}, {"observations", observations}};
  if (episodes > 0) end["episodes"] = episodes;
  if (traces > 0) end["traces"] = traces;
  if (edges > 0) end["trace_edges"] = edges;
  if (items > 0) end["items"] = items;  // an earlier version knows none
  RETURN_IF_ERROR(line("end", std::move(end)));
  return pieces.Flush();
}

Status WriteNotes(ExportCursor& cursor, conversation::Host*, int64_t now_ms,
                  http::BodyWriter& writer) {
  Pieces pieces(writer);
  size_t sessions = 0, observations = 0;
  RETURN_IF_ERROR(pieces.Write(FirstNote(now_ms)));
  RETURN_IF_ERROR(cursor.WalkNotes(
      [&](const api::Session& session) {
        ++sessions;
        return pieces.Write(NoteOf(FrontOf(session), session.summary));
      },
      [&](const ExportedRow& row) {
        ++observations;
        return pieces.Write(NoteOf(row));
      }));
  RETURN_IF_ERROR(pieces.Write(LastNote(sessions, observations)));
  return pieces.Flush();
}

template <bool kLinked>
Status WriteVault(ExportCursor& cursor, conversation::Host*, int64_t, http::BodyWriter& writer) {
  Pieces pieces(writer);
  RETURN_IF_ERROR(cursor.WalkNotes(
      [&](const api::Session& session) { return pieces.Write(VaultEntry(session)); },
      [&](const ExportedRow& row) { return pieces.Write(VaultEntry(row, kLinked)); }));
  RETURN_IF_ERROR(pieces.Write(TarEnd()));
  return pieces.Flush();
}

struct StreamedFormat {
  const char* name;
  const char* content_type;
  Status (*write)(ExportCursor&, conversation::Host*, int64_t now_ms, http::BodyWriter&);
};
constexpr StreamedFormat kStreamed[] = {
    {"json", "application/json", WriteObject},
    {"jsonl", "application/x-ndjson", WriteLines},
    {"notes", "text/markdown; charset=utf-8", WriteNotes},
    {"markdown", "application/x-tar", WriteVault<false>},
    {"obsidian", "application/x-tar", WriteVault<true>},
};

// The whole file is there before the first byte is sent, so what is wrong is still an answer.
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
        {Code::kInvalid,
         "format must be json, jsonl, sqlite, markdown, obsidian, notes or agentos-json, it is \"" +
             base::Ellipsize(format, 40) + "\""});
  }
  base::Result<std::shared_ptr<ExportCursor>> cursor =
      api.store.OpenExport(TextParameter(request, "project"), *viewer);
  if (!cursor) return http::ErrorResponse(cursor.error());
  Response response;
  response.headers.Set("Content-Type", found->content_type);
  std::shared_ptr<conversation::Host> conversations;
  if (!TextParameter(request, "project")) conversations = api.store.Conversations(api.caller);
  response.stream = [write = found->write, cursor = *cursor, conversations,
                     now_ms = api.clock.NowMs()](http::BodyWriter& writer) {
    return write(*cursor, conversations.get(), now_ms, writer);
  };
  return response;
}

}  // namespace memory
