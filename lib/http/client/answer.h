// One request in flight: the queue between the I/O thread, which produces its answer, and the
// thread that consumes it. Independent of connections and of the answer's use. Also the count of
// open calls, idempotency of requests, and valid header text.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "lib/http/client/request.h"
#include "lib/http/message/message.h"

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

using Clock = std::chrono::steady_clock;

// The monitor (mutex and condition) of all calls that one thread consumes.
struct CallMonitor {
  std::mutex mutex;
  std::condition_variable changed;
};

// The state of a request that the I/O thread and the consumer share.
class Call {
 public:
  Call(std::shared_ptr<OpenCalls> open, std::shared_ptr<CallMonitor> monitor);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // For the I/O thread; non-blocking.
  void SetHead(Response head);
  bool Add(std::string_view bytes);              // false: full; add no more before WhenSpace
  void WhenSpace(std::function<void()> resume);  // calls it once, now or later
  // The first call counts. `may_retry`: a connection broke before the head.
  void End(std::optional<base::Error> error, bool may_retry = false);

 private:
  friend class IncomingAnswer;
  const std::shared_ptr<OpenCalls> open_;
  const std::shared_ptr<CallMonitor> monitor_;
  // under the monitor's mutex:
  std::optional<Response> head_;  // until consumed
  bool has_head_ = false, ended_ = false, dropped_ = false;
  std::optional<base::Error> failure_;  // with ended_
  bool retriable_ = false;
  std::deque<std::string> pieces_;
  size_t queued_bytes_ = 0;
  std::function<void()> resume_;   // the connection, which waits for space in the queue
  Clock::time_point received_at_;  // of the last head or piece
};

// The consumer's side; one thread at a time, except where said.
class IncomingAnswer {
 public:
  struct Limits {
    Clock::time_point head_by, end_by;
    int64_t idle_ms;  // longest silence after the head
  };
  struct Started {
    std::shared_ptr<Call> call;
    std::function<void()> cancel;  // ends the call soon
  };
  using Begin = std::function<base::Result<Started>()>;  // sends the request
  struct Step {
    enum class Kind { kHead, kBytes, kEnd } kind;
    Response head;
    std::string bytes;
    base::Status end;
  };

  // `what`: in errors. `may_repeat`: one retry after a dead connection.
  IncomingAnswer(std::string what, Limits limits, bool may_repeat,
                 std::shared_ptr<CallMonitor> monitor, Begin begin);
  ~IncomingAnswer();  // Drop
  IncomingAnswer(const IncomingAnswer&) = delete;
  IncomingAnswer& operator=(const IncomingAnswer&) = delete;

  void Start();  // sends the request
  // With the monitor's mutex held, any thread. Ready: Pop has a step. Deadline: when Ready becomes
  // true without a notification.
  bool Ready() const;
  Clock::time_point Deadline() const;
  // Non-blocking, without that mutex. nullopt: not ready, or the request was sent again. Not after
  // kEnd.
  std::optional<Step> Pop();
  // Abandons the answer; cancels an unfinished call, whose connection is not reused.
  void Drop();

 private:
  Step Next(std::function<void()>& resume);

  const std::string what_;
  const Limits limits_;
  const std::shared_ptr<CallMonitor> monitor_;
  const Begin begin_;
  std::function<void()> cancel_;
  // under the monitor's mutex:
  bool may_repeat_, head_given_ = false;
  std::optional<base::Error> unsent_;
  std::shared_ptr<Call> call_;
  Clock::time_point popped_at_;
};

}  // namespace http
