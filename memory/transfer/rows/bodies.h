// Readers of request bodies: a peek at the beginning, and lines, while the body arrives.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "lib/http/message/message.h"

namespace memory {

class PeekableBody : public http::BodyReader {
 public:
  explicit PeekableBody(http::BodyReader& body) : body_(body) {}
  // Waits for `bytes` bytes or the end; Read still returns them.
  base::Result<std::string_view> Peek(size_t bytes) {
    while (start_.size() < bytes) {
      ASSIGN_OR_RETURN(std::string piece, body_.Read());
      if (piece.empty()) break;
      start_ += piece;
    }
    return std::string_view(start_).substr(0, bytes);
  }
  base::Result<std::string> Read() override {
    if (start_.empty()) return body_.Read();
    return std::exchange(start_, std::string());
  }

 private:
  http::BodyReader& body_;
  std::string start_;
};

// Calls `on_line` with each line and its end, which the last one may lack. kTooLarge: a line of
// more than `most` bytes; errors of `on_line` and of the body.
template <class OnLine>
base::Status ForEachLine(http::BodyReader& body, size_t most, OnLine&& on_line) {
  std::string open;  // the beginning of the line that still arrives
  for (;;) {
    ASSIGN_OR_RETURN(std::string piece, body.Read());
    if (piece.empty()) break;
    std::string_view rest = piece;
    for (size_t end; (end = rest.find('\n')) != rest.npos; rest.remove_prefix(end + 1)) {
      open += rest.substr(0, end + 1);
      RETURN_IF_ERROR(on_line(open));
      open.clear();
    }
    open += rest;
    if (open.size() > most) {
      return base::Error{base::Code::kTooLarge,
                         "one line is over " + std::to_string(most) + " bytes"};
    }
  }
  return open.empty() ? base::Status() : on_line(open);
}

}  // namespace memory
