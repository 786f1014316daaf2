// A request body with a peek at its beginning.
#pragma once

#include <string>

#include "lib/http/message/message.h"

namespace memory {

class PeekableBody : public http::BodyReader {
 public:
  explicit PeekableBody(http::BodyReader& body) : body_(body) {}
  // Waits for `bytes` bytes or the end; what was looked at is still read.
  base::Result<std::string_view> Peek(size_t bytes);
  base::Result<std::string> Read() override;

 private:
  http::BodyReader& body_;
  std::string start_;
};

}  // namespace memory
