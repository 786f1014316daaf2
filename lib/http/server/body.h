// Takes a request body out of the bytes of a connection: counted or chunked, never more than its
// limit. Pure. Chunks are decoded by Beast's parser.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lib/http/server/head.h"

namespace http {

class BodyDecoder {
 public:
  // `head` is one that ReadHead accepted.
  BodyDecoder(const RequestHead& head, uint64_t max_bytes);
  ~BodyDecoder();

  // Appends the body's bytes found in `bytes` to `out` and says how many of `bytes` it used. What
  // is not used comes again with more behind it; behind the end of the body nothing is used. A
  // refusal: 400 malformed, 413 too large; then the decoder is done for.
  struct Step {
    size_t used = 0;
    std::optional<Refusal> refusal;
  };
  Step Take(std::string_view bytes, std::string& out);
  bool done() const { return done_; }

 private:
  struct Chunked;
  Step TakeCounted(std::string_view bytes, std::string& out);
  Step TakeChunked(std::string_view bytes, std::string& out);

  std::unique_ptr<Chunked> chunked_;
  uint64_t remaining_;  // of a counted body
  bool done_ = false;
};

}  // namespace http
