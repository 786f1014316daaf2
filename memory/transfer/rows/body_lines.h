// The lines of a request body, while it arrives.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "lib/http/message/message.h"

namespace memory {

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
