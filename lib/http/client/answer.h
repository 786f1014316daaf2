// One request in flight: the queue between the I/O thread, which produces its answer, and the
// thread that consumes it. Independent of connections and of the answer's use.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "lib/http/client/calls.h"
#include "lib/http/message/message.h"

namespace http {

using Clock = std::chrono::steady_clock;

// The mutex and condition of all calls that one thread consumes.
struct Meeting {
  std::mutex mutex;
  std::condition_variable changed;
};

// The state of a request that the I/O thread and the consumer share.
class Call {
 public:
  Call(std::shared_ptr<OpenCalls> open, std::shared_ptr<Meeting> meeting);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // For the I/O thread; non-blocking.
  void HeadCame(Response head);
  bool Add(std::string_view bytes);            // false: the queue is full; no more before WhenRoom
  void WhenRoom(std::function<void()> go_on);  // calls it once, now or later
  // The first call counts. `may_retry`: a connection broke before the head.
  void End(std::optional<base::Error> error, bool may_retry = false);

 private:
  friend class IncomingAnswer;
  const std::shared_ptr<OpenCalls> open_;
  const std::shared_ptr<Meeting> meeting_;
  // under the meeting's mutex:
  std::optional<Response> head_;  // until consumed
  bool head_came_ = false, ended_ = false, dropped_ = false;
  std::optional<base::Error> failure_;  // with ended_
  bool retriable_ = false;
  std::deque<std::string> pieces_;
  size_t queued_bytes_ = 0;
  std::function<void()> room_;  // resumes the connection, which waits for room
  Clock::time_point came_at_;   // of the last head or piece
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
  IncomingAnswer(std::string what, Limits limits, bool may_repeat, std::shared_ptr<Meeting> meeting,
                 Begin begin);
  ~IncomingAnswer();  // Drop
  IncomingAnswer(const IncomingAnswer&) = delete;
  IncomingAnswer& operator=(const IncomingAnswer&) = delete;

  void Start();  // sends the request
  // With the meeting's mutex held, any thread. Ready: Take has a step. Deadline: when Ready becomes
  // true without a notification.
  bool Ready() const;
  Clock::time_point Deadline() const;
  // Non-blocking, without that mutex. nullopt: not ready, or the request was sent again. Not after
  // kEnd.
  std::optional<Step> Take();
  // Abandons the answer; cancels an unfinished call, whose connection is not reused.
  void Drop();

 private:
  Step Next(std::function<void()>& room);

  const std::string what_;
  const Limits limits_;
  const std::shared_ptr<Meeting> meeting_;
  const Begin begin_;
  std::function<void()> cancel_;
  // under the meeting's mutex:
  bool may_repeat_, head_given_ = false;
  std::optional<base::Error> unsent_;
  std::shared_ptr<Call> call_;
  Clock::time_point taken_at_;
};

}  // namespace http
