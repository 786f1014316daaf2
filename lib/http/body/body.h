// Decodes a body, counted or chunked, of a request or an answer, from the bytes of a connection.
// Pure. Chunks go through Beast's parser.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lib/http/message/fields.h"

namespace http {

class BodyDecoder {
 public:
  // `max_bytes`: of a chunked body; callers check Content-Length.
  BodyDecoder(const BodyExtent& framing, uint64_t max_bytes);
  ~BodyDecoder();
  BodyDecoder(BodyDecoder&&) noexcept;
  BodyDecoder& operator=(BodyDecoder&&) noexcept;

  // Appends the body in `bytes` to `out`; `used`: the consumed part of `bytes`. The caller passes
  // the rest again, with more bytes appended. Consumes nothing after the end of the body. A
  // refusal: 400 malformed, 413 too large; the decoder is then unusable.
  struct Step {
    size_t used = 0;
    std::optional<Refusal> refusal;
  };
  Step Consume(std::string_view bytes, std::string& out);
  bool done() const { return done_; }

 private:
  struct Chunked;
  Step ConsumeCounted(std::string_view bytes, std::string& out);
  Step ConsumeChunked(std::string_view bytes, std::string& out);

  std::unique_ptr<Chunked> chunked_;
  uint64_t remaining_;  // of a counted body
  bool done_ = false;
};

}  // namespace http
