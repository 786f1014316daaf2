// Writers of exports: buffered, while rows are read. A writer that fails cuts the connection
// without the body's end, so that a broken export is seen as broken.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "lib/base/json/json.h"
#include "memory/api/handlers.h"

namespace memory {

// Buffers small writes to a response body into chunks, and separates elements of arrays.
class ExportBody {
 public:
  explicit ExportBody(http::BodyWriter& writer) : writer_(writer) {}
  base::Status Write(std::string_view text) {
    piece_ += text;
    return piece_.size() < kPieceBytes ? base::Status() : Flush();
  }
  // `begin`: the text before the first element, which ends with its bracket.
  base::Status BeginArray(std::string_view begin) {
    first_ = true;
    return Write(begin);
  }
  base::Status Element(const base::Json& json) {
    RETURN_IF_ERROR(Write(std::exchange(first_, false) ? "\n" : ",\n"));
    return Write(base::DumpJson(json));
  }
  base::Status Flush() {  // after the last write
    base::Status written = piece_.empty() ? base::Status() : writer_.Write(piece_);
    piece_.clear();
    return written;
  }

 private:
  static constexpr size_t kPieceBytes = 64 << 10;
  http::BodyWriter& writer_;
  std::string piece_;
  bool first_ = true;
};

// GET /export?format=agentos-json: everything that AgentOS' JSON has a place for. With
// `includeEmbeddings` also vectors; the caller's conversations unless
// `includeConversations=false`, or the export is of one project.
http::Response ExportAgentOs(const Api& api, const http::Request& request);

}  // namespace memory
