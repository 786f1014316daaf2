// What the client knows of its calls without the library that makes them: how many are under way,
// which may be sent twice, what may stand in a header.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string_view>

#include "lib/http/client/request.h"

namespace http {

// How many calls the library still knows of; any thread. One that was given up ends on the
// library's thread, a little later: who ends the process before leaves its tasks in a queue that
// nobody serves.
class OpenCalls {
 public:
  void Enter() {
    const std::lock_guard lock(mutex_);
    ++count_;
  }
  void Leave() {
    const std::lock_guard lock(mutex_);
    if (--count_ == 0) none_.notify_all();
  }
  void WaitForNone(int64_t limit_ms) {
    std::unique_lock lock(mutex_);
    none_.wait_for(lock, std::chrono::milliseconds(limit_ms), [this] { return count_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable none_;
  int64_t count_ = 0;  // under mutex_
};

// Sent twice it has the effect of once (RFC 9110, 9.2.2; or the server knows the key).
inline bool IsIdempotent(const ClientRequest& request) {
  return request.method == "GET" || request.method == "HEAD" || request.method == "PUT" ||
         request.method == "DELETE" || request.headers.Get("Idempotency-Key").has_value();
}

// May be a header's name or value (RFC 9110, 5.5).
inline bool IsFieldText(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
}

}  // namespace http
