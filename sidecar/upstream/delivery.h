// Delivers the outbox to the memory server: in order per lane, with retries, idempotent. A fault of
// the server suspends the whole outbox and shows a reason. delivery_outcome.h classifies answers.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "lib/base/guarded.h"
#include "lib/base/process/clock.h"
#include "lib/telemetry/trace.h"
#include "sidecar/outbox/outbox.h"
#include "sidecar/outbox/saved_ids.h"
#include "sidecar/state/state.h"
#include "sidecar/upstream/delivery_outcome.h"
#include "sidecar/upstream/memory_servers.h"
#include "sidecar/upstream/refusals.h"

namespace sidecar {

// The reason for which the whole outbox waits.
struct Suspension {
  std::string reason;   // one of kSuspensionReasons
  std::string message;  // what the server said, for people
  int64_t since_ms = 0;
};

class Delivery {
 public:
  struct Options {
    int64_t retry_first_ms = 200, retry_longest_ms = 30'000;
    int64_t call_timeout_ms = 5'000;
    uint64_t seed = 1;
    telemetry::Tracer* tracer = nullptr;  // null: no spans
    SavedIds* saved = nullptr;            // gets the ids of delivered memories; may be null
  };
  // `current_url`: the server of the policy in force.
  Delivery(State& state, SendToServer send, std::function<std::string()> current_url,
           const base::Clock& clock, Options options);
  ~Delivery();

  void Start();         // starts the thread
  void Wake();          // there are new rows
  void ServerIsBack();  // retries at once: another caller reached the server
  // Waits at most `limit_ms` until no row of the lane is pending; not while the outbox is
  // suspended. → whether the lane is empty.
  base::Result<bool> AwaitLane(const std::string& lane, int64_t limit_ms);
  void Stop();  // joins the thread, after the call that runs

  // After Stop: delivers until no row is pending, three calls got no answer (unless `to_the_end`),
  // or `limit_ms` has passed, which cancels a running call. → pending rows.
  int64_t Flush(int64_t limit_ms, bool to_the_end = false);

  // One pass over the outbox, for Flush and tests; not while the thread runs. → milliseconds until
  // the next pass is due.
  int64_t Round();
  uint64_t rounds();  // passes of the thread so far
  bool suspended() const { return suspended_; }
  std::optional<Suspension> suspension() const { return suspension_.Copy(); }
  int last_status() const { return last_status_; }  // of the last answer; 0: none yet

 private:
  struct Settled {
    int64_t sequence = 0;
    std::string dead_cause, dead_reason;  // empty cause: delivered
  };
  // The state of one pass.
  struct Pass {
    Refusals::Pass lanes;
    bool probes = false;                        // sends one row, whose answer decides for all
    std::array<bool, 2> held = {false, false};  // by IsReplay: rows that wait for the quota
    std::vector<Settled> settled;
  };
  enum class Outcome { kSettled, kLaneWaits, kSuspended };

  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
  bool MustStop() const { return interrupted_ || clock_.MonotonicMs() >= end_ms_; }
  // Delivers one page of rows. A value ends the pass: the milliseconds of Round.
  std::optional<int64_t> SendPage(const std::vector<OutboxHead>& heads, Pass& pass);
  bool MayGo(const OutboxHead& head, Pass& pass);
  int64_t WaitAfter(Pass& pass);
  Outcome Deliver(const OutboxRow& row, std::vector<Settled>& settled);
  base::Result<http::Response> Send(const OutboxRow& row, const std::string& url);
  Outcome OnAnswer(const OutboxRow& row, const http::Response& answer,
                   std::vector<Settled>& settled);
  Outcome OnServerFault(const OutboxRow& row, const DeliveryOutcome& fault, Settled last_words,
                        std::vector<Settled>& settled);
  Outcome Die(const OutboxRow& row, Settled last_words, std::vector<Settled>& settled);
  bool IsReplay(int64_t created_ms) const;
  void Suspend(const char* reason, const std::string& message);
  void Resume();
  bool Commit(std::vector<Settled>& settled);

  State& state_;
  SendToServer send_;
  std::function<std::string()> current_url_;
  const base::Clock& clock_;
  const Options options_;

  Refusals refusals_;
  // The server has one quota for new writes and one for the backlog (429): each waits alone.
  std::array<int64_t, 2> budget_due_ms_ = {0, 0};  // by IsReplay
  std::atomic<int64_t> server_due_ms_ = 0;
  std::atomic<bool> suspended_ = false, interrupted_ = false;
  base::Guarded<std::optional<Suspension>> suspension_;
  std::atomic<int> last_status_ = 0;
  int64_t end_ms_ = kNever;  // the deadline of a flush, also of its calls

  std::mutex mutex_;
  std::condition_variable wake_, progress_;
  bool woken_ = false, stopping_ = false, in_round_ = false;
  uint64_t rounds_ = 0, settled_ = 0;  // ended rounds, commits of settled rows
  std::jthread thread_;
};

}  // namespace sidecar
