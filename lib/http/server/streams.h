// Streamed bodies: the worker itself reads from and writes to the socket, so that backpressure
// reaches the other side and nothing accumulates in between.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lib/http/body/body.h"
#include "lib/http/message/message.h"
#include "lib/http/server/head.h"

namespace http {

class SocketReader : public BodyReader {
 public:
  // `received`: bytes of the body that came with the head.
  SocketReader(int descriptor, const RequestHead& head, uint64_t max_bytes, int64_t timeout_ms,
               std::string received);
  base::Result<std::string> Read() override;
  bool done() const { return decoder_.done(); }
  std::string ReleaseUnused() { return std::move(received_); }  // after the end of the body

 private:
  base::Status Receive();

  const int descriptor_;
  const int64_t timeout_ms_;
  bool must_continue_;  // the client waits for "100 Continue"
  BodyDecoder decoder_;
  std::string received_;
  std::optional<base::Error> failure_;  // permanent: no read after a failure
  int64_t waited_ms_ = 0;
  uint64_t total_bytes_ = 0;
};

class SocketWriter : public BodyWriter {
 public:
  // Without `chunked` the bytes are sent unframed.
  SocketWriter(int descriptor, bool chunked, int64_t timeout_ms)
      : descriptor_(descriptor), chunked_(chunked), timeout_ms_(timeout_ms) {}
  bool Send(std::string_view raw);  // for the head; false: the client is gone
  base::Status Write(std::string_view bytes) override;
  bool Finish();  // the last chunk

 private:
  const int descriptor_;
  const bool chunked_;
  const int64_t timeout_ms_;
  bool broken_ = false;
  int64_t waited_ms_ = 0;
  uint64_t total_bytes_ = 0;
};

inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace http
