// Keeps what was looked at until it is read.
#include "memory/transfer/formats/peekable_body.h"

namespace memory {

using base::Result;

Result<std::string_view> PeekableBody::Peek(size_t bytes) {
  while (start_.size() < bytes) {
    ASSIGN_OR_RETURN(std::string piece, body_.Read());
    if (piece.empty()) break;
    start_ += piece;
  }
  return std::string_view(start_).substr(0, bytes);
}

Result<std::string> PeekableBody::Read() {
  if (start_.empty()) return body_.Read();
  return std::exchange(start_, std::string());
}

}  // namespace memory
