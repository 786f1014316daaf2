// Sends the outbox to the memory server: in order per lane, again until it is taken, and never
// twice in effect. What a status means and where a row may go are pure functions; the rest is one
// thread.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "lib/base/backoff.h"
#include "lib/base/clock.h"
#include "lib/telemetry/trace.h"
#include "sidecar/memory_servers.h"
#include "sidecar/outbox.h"
#include "sidecar/state.h"

namespace sidecar {

enum class Verdict { kDelivered, kRetry, kDead };
// 2xx delivered; 401, 408, 409, 425, 429 and 5xx again (409 five times at most); the rest is dead
// at once.
Verdict Judge(int status, int attempts);

// Where a row of `captured` (its destination at the capture) goes now that `current` is in force.
// Empty url: not resolved, wait. A destination in another namespace is never followed: `allowed` is
// false.
struct Destination {
  std::string url;
  bool allowed = true;
};
Destination Redirect(const std::string& captured, const std::string& current);

class Delivery {
 public:
  struct Options {
    int64_t retry_first_ms = 200, retry_longest_ms = 30'000;
    int64_t call_timeout_ms = 5'000;
    uint64_t seed = 1;
    telemetry::Tracer* tracer = nullptr;  // null: no spans
  };
  // `current_url`: the server of the policy in force.
  Delivery(State& state, SendToServer send, std::function<std::string()> current_url,
           const base::Clock& clock, Options options);
  ~Delivery();

  void Start();         // the thread
  void Wake();          // there are new rows
  void ServerIsBack();  // somebody else reached the server: try at once
  // Waits at most `limit_ms` for the thread to send what the lane holds → whether it holds nothing
  // now. While the server is away it does not wait.
  base::Result<bool> AwaitLane(const std::string& lane, int64_t limit_ms);
  void Stop();  // ends the thread; a call that runs is waited for

  // After Stop: sends what can be sent until nothing is pending, the server does not answer three
  // times (unless `to_the_end`), or `limit_ms` has passed; a call that is under way then is given
  // up. → what is still pending.
  int64_t Flush(int64_t limit_ms, bool to_the_end = false);

  // One pass over the outbox; → milliseconds until there is something to do again. Not while the
  // thread runs; for Flush and tests.
  int64_t Round();
  bool reachable() const { return reachable_; }     // the last call had an answer
  int last_status() const { return last_status_; }  // of it; 0: none yet

 private:
  struct Retry {
    base::Backoff backoff;
    int64_t due_ms = 0;
  };
  struct Settled {
    int64_t sequence = 0;
    std::string dead_cause, dead_reason;  // empty cause: delivered
  };
  enum class Outcome { kSettled, kLaneWaits, kServerAway };

  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
  bool IsOver() const { return interrupted_ || clock_.MonotonicMs() >= end_ms_; }
  int64_t RoundAt(int64_t now_ms);
  Outcome Deliver(const OutboxRow& row, std::vector<Settled>& settled);
  base::Result<http::Response> Send(const OutboxRow& row, const std::string& url);
  Outcome OnAnswer(const OutboxRow& row, const http::Response& answer,
                   std::vector<Settled>& settled);
  bool IsReplay(int64_t created_ms) const;
  void BudgetWaits(bool replay, const http::Response& answer);
  void LaneWaits(const std::string& lane);
  void ServerAway();
  bool Commit(std::vector<Settled>& settled);
  base::Backoff NewBackoff();

  State& state_;
  SendToServer send_;
  std::function<std::string()> current_url_;
  const base::Clock& clock_;
  const Options options_;

  std::map<std::string, Retry> lanes_;  // those that wait
  // The server has a budget for what is new and one for what waited here (429): each waits alone.
  std::array<int64_t, 2> budget_due_ms_ = {0, 0};  // by IsReplay
  base::Backoff server_backoff_;
  std::atomic<int64_t> server_due_ms_ = 0;
  std::atomic<bool> reachable_ = true, interrupted_ = false;
  std::atomic<int> last_status_ = 0;
  std::map<int64_t, int> attempts_;  // by row, for Judge
  uint64_t seeds_;
  int64_t end_ms_ = kNever;  // of a flush; no call goes beyond it

  std::mutex mutex_;
  std::condition_variable wake_, progress_;
  bool woken_ = false, stopping_ = false, in_round_ = false;
  uint64_t rounds_ = 0, settled_ = 0;  // rounds that ended, commits of what was settled
  std::jthread thread_;
};

}  // namespace sidecar
