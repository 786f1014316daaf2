// Buffers small writes to a response body into chunks.
#pragma once

#include <string>
#include <string_view>

#include "lib/http/message/message.h"

namespace memory {

class Pieces {
 public:
  explicit Pieces(http::BodyWriter& writer) : writer_(writer) {}
  base::Status Write(std::string_view text) {
    piece_ += text;
    return piece_.size() < kPieceBytes ? base::Status() : Flush();
  }
  base::Status Flush() {  // behind the last write
    base::Status written = piece_.empty() ? base::Status() : writer_.Write(piece_);
    piece_.clear();
    return written;
  }

 private:
  static constexpr size_t kPieceBytes = 64 << 10;
  http::BodyWriter& writer_;
  std::string piece_;
};

}  // namespace memory
