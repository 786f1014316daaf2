// A small TCP client for tests that send bytes that no HTTP client sends. Loopback only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace testing {

class RawSocket {
 public:
  static constexpr int64_t kPatienceMs = 30'000;  // suffices for any machine

  // Connects to 127.0.0.1, from `source`, an address of 127.0.0.0/8; ends the process on an error.
  explicit RawSocket(int port, const char* source = "127.0.0.1");
  RawSocket(RawSocket&& other) noexcept;
  RawSocket& operator=(RawSocket&&) = delete;
  ~RawSocket();  // closes

  // False: the peer closed the connection, or accepted no bytes for `timeout_ms`.
  bool Send(std::string_view bytes, int64_t timeout_ms = kPatienceMs);
  void ShutdownWrite();
  void Reset();  // closes with RST

  // All bytes up to the end of the stream (then closed()), or within `timeout_ms`.
  std::string ReadAll(int64_t timeout_ms = kPatienceMs);
  // The bytes up to and including the first `end`, or those before the end of the stream or
  // `timeout_ms`.
  std::string ReadUntil(std::string_view end, int64_t timeout_ms = kPatienceMs);
  // One answer with a Content-Length or chunks: undecoded head and body.
  std::string ReadAnswer(int64_t timeout_ms = kPatienceMs);
  bool closed() const { return closed_; }
  bool was_reset() const { return was_reset_; }

 private:
  bool Receive(int64_t deadline_ms);
  int descriptor_;
  bool closed_ = false, was_reset_ = false;
  std::string received_;
};

// One request on a new connection: sends, reads until the end or the timeout, and closes.
std::string Exchange(int port, std::string_view request,
                     int64_t timeout_ms = RawSocket::kPatienceMs);

int StatusOf(std::string_view answer);  // 0: no HTTP/1.1 answer

}  // namespace testing
