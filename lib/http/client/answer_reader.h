// Reads the bytes of an answer (RFC 9112), with a limit for everything that is kept: the head with
// the interim answers before it, a chunk's size line, the trailers. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lib/base/result.h"
#include "lib/http/body/body.h"
#include "lib/http/message/message.h"

namespace http {

// Of the final head and all interim (1xx) answers before it, together.
inline constexpr size_t kMaxAnswerHeadBytes = 64 << 10;
inline constexpr size_t kMaxAnswerFields = 256;

class AnswerReader {
 public:
  // `to_head`: the request's method is HEAD, whose answers have no body. `max_body_bytes`: of a
  // chunked body, refused before the chunk is read.
  AnswerReader(bool to_head, uint64_t max_body_bytes)
      : to_head_(to_head), max_body_bytes_(max_body_bytes) {}

  struct Step {
    std::optional<Response> head;  // once, without its body
    std::string body;              // the body's bytes in this step
    bool done = false;             // the answer is complete
    std::optional<base::Error>
        fault;  // kTooLarge: the body; else kUnavailable. The reader is then unusable
  };
  Step Consume(std::string_view bytes);
  Step End();  // the connection ended

  bool began() const { return began_; }
  // After `done`: the connection takes another request.
  bool reusable() const { return keep_alive_ && rest_.empty(); }

 private:
  void ReadHeads(Step& step);
  bool ReadOneHead(std::string_view raw, Step& step);
  void ReadBody(Step& step);

  const bool to_head_;
  const uint64_t max_body_bytes_;
  bool began_ = false, keep_alive_ = false, until_end_ = false;
  std::string rest_;                 // received, not consumed
  size_t scanned_ = 0;               // this much of rest_ has no end of a head
  size_t head_bytes_ = 0;            // of interim answers
  std::optional<BodyDecoder> body_;  // since the head
};

}  // namespace http
