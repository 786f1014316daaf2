// GET /export: every session and observation of one snapshot, written while it is read.
#include "lib/base/text.h"
#include "memory/handlers.h"
#include "memory/transfer/format.h"
#include "memory/validate.h"

namespace memory {

using base::Code;
using base::Json;
using base::Status;
using http::Request;
using http::Response;

namespace {

constexpr size_t kPieceBytes = 64 << 10;

// Collects small writes into pieces.
class Pieces {
 public:
  explicit Pieces(http::BodyWriter& writer) : writer_(writer) {}
  Status Write(std::string_view text) {
    piece_ += text;
    return piece_.size() < kPieceBytes ? Status() : Flush();
  }
  Status Flush() {
    Status written = piece_.empty() ? Status() : writer_.Write(piece_);
    piece_.clear();
    return written;
  }

 private:
  http::BodyWriter& writer_;
  std::string piece_;
};

Status WriteExport(ExportCursor& cursor, int64_t now_ms, http::BodyWriter& writer) {
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
                  [&](const api::Observation& row) -> Status {
                    RETURN_IF_ERROR(start_rows());
                    return item(api::EncodeObservation(row));
                  }));
  RETURN_IF_ERROR(start_rows());
  RETURN_IF_ERROR(pieces.Write("]}\n"));
  return pieces.Flush();
}

}  // namespace

Response Export(const Api& api, const Request& request) {
  std::string format = TextParameter(request, "format").value_or("json");
  if (format != "json") {
    return http::ErrorResponse(
        {Code::kInvalid, "format must be json, it is \"" + base::Ellipsize(format, 40) + "\""});
  }
  base::Result<std::shared_ptr<ExportCursor>> cursor =
      api.store.OpenExport(TextParameter(request, "project"));
  if (!cursor) return http::ErrorResponse(cursor.error());
  Response response;
  response.headers.Set("Content-Type", "application/json");
  response.stream = [cursor = *cursor, now_ms = api.clock.NowMs()](http::BodyWriter& writer) {
    return WriteExport(*cursor, now_ms, writer);
  };
  return response;
}

}  // namespace memory
