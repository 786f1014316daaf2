// A small TCP client for tests that need to say things no HTTP client would say. Loopback only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace testing {

class RawSocket {
 public:
  // Connects to 127.0.0.1, from `source`, an address of 127.0.0.0/8; ends the process when it
  // cannot.
  explicit RawSocket(int port, const char* source = "127.0.0.1");
  RawSocket(RawSocket&& other) noexcept;
  RawSocket& operator=(RawSocket&&) = delete;
  ~RawSocket();  // closes

  // False when the other side stopped listening, or took no bytes for `timeout_ms`.
  bool Send(std::string_view bytes, int64_t timeout_ms = 5'000);
  void ShutdownWrite();
  void Reset();  // closes with RST

  // Everything up to the end of the stream, or up to `timeout_ms`; `closed()` says which.
  std::string ReadAll(int64_t timeout_ms = 5'000);
  // Up to and with the first occurrence of `end`, or what there is at the end or after
  // `timeout_ms`.
  std::string ReadUntil(std::string_view end, int64_t timeout_ms = 5'000);
  // One answer with a Content-Length, or a chunked one, head and body as they came.
  std::string ReadAnswer(int64_t timeout_ms = 5'000);
  bool closed() const { return closed_; }
  bool was_reset() const { return was_reset_; }

 private:
  bool Receive(int64_t deadline_ms);
  int descriptor_;
  bool closed_ = false, was_reset_ = false;
  std::string received_;
};

// One request on a fresh connection: sends, reads until the end or the time, closes.
std::string Exchange(int port, std::string_view request, int64_t timeout_ms = 5'000);

int StatusOf(std::string_view answer);  // 0: not an HTTP answer

}  // namespace testing
