// Parts of the client that are independent of connections: the count of open calls, idempotency of
// requests, valid header text.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string_view>

#include "lib/http/client/request.h"

namespace http {

// Counts the calls that the I/O thread still references; any thread. An abandoned call ends a
// little later on that thread: a process that exits earlier leaves its work in a queue that no
// thread serves.
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

// May be sent twice with the effect of once (RFC 9110, 9.2.2; or the server knows the key).
inline bool IsIdempotent(const ClientRequest& request) {
  return request.method == "GET" || request.method == "HEAD" || request.method == "PUT" ||
         request.method == "DELETE" || request.headers.Get("Idempotency-Key").has_value();
}

// Whether `text` may be the name or value of a header (RFC 9110, 5.5).
inline bool IsFieldText(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
}

}  // namespace http
