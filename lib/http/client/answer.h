// One request under way: between the library's threads, which bring its answer, and the thread that
// takes it. Knows neither the library nor what the answer is for.
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

// Where a thread waits for any of the calls that it takes.
struct Meeting {
  std::mutex mutex;
  std::condition_variable changed;
};

// What the library's threads and the taker's share about one request.
class Call {
 public:
  Call(std::shared_ptr<OpenCalls> open, std::shared_ptr<Meeting> meeting);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // For the library's threads; none waits.
  void HeadCame(Response head);
  bool Add(std::string_view bytes);            // false: enough waits, no more before WhenRoom
  void WhenRoom(std::function<void()> go_on);  // calls it once, now or later
  // The first time counts. `may_retry`: a connection broke before a head came.
  void End(std::optional<base::Error> error, bool may_retry = false);

 private:
  friend class IncomingAnswer;
  const std::shared_ptr<OpenCalls> open_;
  const std::shared_ptr<Meeting> meeting_;
  // under the meeting's mutex:
  std::optional<Response> head_;  // until it is taken
  bool head_came_ = false, ended_ = false, dropped_ = false;
  std::optional<base::Error> failure_;  // with ended_
  bool retriable_ = false;
  std::deque<std::string> pieces_;
  size_t queued_bytes_ = 0;
  std::function<void()> room_;  // the library waits for it
  Clock::time_point came_at_;   // the last of the above
};

// The taker's side; one thread at a time, but for what says otherwise.
class IncomingAnswer {
 public:
  struct Limits {
    Clock::time_point head_by, end_by;
    int64_t idle_ms;  // longest silence behind the head
  };
  struct Started {
    std::shared_ptr<Call> call;
    std::function<void()> cancel;  // the library then ends it soon
  };
  using Begin = std::function<base::Result<Started>()>;  // sends the request
  struct Step {
    enum class Kind { kHead, kBytes, kEnd } kind;
    Response head;
    std::string bytes;
    base::Status end;
  };

  // `what` stands in errors. `may_repeat`: a dead connection is worth one more try.
  IncomingAnswer(std::string what, Limits limits, bool may_repeat, std::shared_ptr<Meeting> meeting,
                 Begin begin);
  ~IncomingAnswer();  // Drop
  IncomingAnswer(const IncomingAnswer&) = delete;
  IncomingAnswer& operator=(const IncomingAnswer&) = delete;

  void Start();  // sends it
  // With the meeting's mutex held, any thread: whether Take brings something; until when that is
  // known without a word from the meeting.
  bool Ready() const;
  Clock::time_point Deadline() const;
  // Waits for nothing, without that mutex. None: not yet, or it was sent once more. After kEnd: no
  // more.
  std::optional<Step> Take();
  // Nothing more is wanted; the connection is not used on when the answer has not ended.
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
