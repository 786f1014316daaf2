// The delivery loop. A row leaves the outbox after a 2xx; after a crash before that, the row is
// sent again with the same Idempotency-Key, which the server deduplicates.
#include "sidecar/upstream/delivery.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

#include "lib/api/memory_api.h"
#include "lib/base/process/log.h"
#include "lib/base/text/text.h"
#include "sidecar/outbox/outbox_context.h"

namespace sidecar {
namespace {

constexpr int64_t kPage = 256;       // rows of one read
constexpr size_t kCommitEvery = 64;  // settled rows in one commit
// The longest pause; new rows wake the thread.
constexpr int64_t kIdleMs = 60'000;
constexpr int64_t kCommitAgainMs = 1'000;
constexpr int kFlushAttempts = 3;
constexpr size_t kReasonCharacters = 300;
constexpr int64_t kReplayAfterMs = 30'000;  // older rows count against the backlog quota
constexpr int64_t kLongestBudgetWaitS = 60;

int64_t RetryAfterMs(const http::Response& answer) {
  const std::string text = answer.headers.Get("Retry-After").value_or("");
  int64_t seconds = 1;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return std::clamp<int64_t>(seconds, 1, kLongestBudgetWaitS) * 1000;
}

}  // namespace

Delivery::Delivery(State& state, SendToServer send, std::function<std::string()> current_url,
                   const base::Clock& clock, Options options)
    : state_(state),
      send_(std::move(send)),
      current_url_(std::move(current_url)),
      clock_(clock),
      options_(options),
      refusals_(options.retry_first_ms, options.retry_longest_ms, options.seed) {}

Delivery::~Delivery() { Stop(); }

void Delivery::Start() {
  thread_ = std::jthread([this](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::unique_lock lock(mutex_);
      in_round_ = true;
      lock.unlock();
      const int64_t wait_ms = Round();
      lock.lock();
      in_round_ = false;
      ++rounds_;
      progress_.notify_all();
      wake_.wait_for(lock, std::chrono::milliseconds(wait_ms), [&] { return woken_ || stopping_; });
      woken_ = false;
    }
  });
}

void Delivery::Wake() {
  {
    std::lock_guard lock(mutex_);
    woken_ = true;
  }
  wake_.notify_one();
}

void Delivery::ServerIsBack() {
  if (server_due_ms_.exchange(0) != 0) Wake();
}

base::Result<bool> Delivery::AwaitLane(const std::string& lane, int64_t limit_ms) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(limit_ms);
  const auto has_pending = [&] {
    return state_.Read([&](sqlite::Database& db) { return HasPending(db, lane); });
  };
  std::unique_lock lock(mutex_);
  // A running round may be past the lane's rows: waits for the round after it, too.
  const uint64_t last_round = rounds_ + (in_round_ ? 2 : 1);
  for (bool woken = false;; woken = true) {
    const uint64_t seen = settled_;
    const bool over = rounds_ >= last_round || stopping_;
    lock.unlock();
    ASSIGN_OR_RETURN(const bool waits, has_pending());
    if (!waits || over || suspended_) return !waits;
    if (!woken) Wake();
    lock.lock();
    const auto news = [&] { return settled_ != seen || rounds_ >= last_round || stopping_; };
    if (!progress_.wait_until(lock, end, news)) return false;
  }
}

void Delivery::Stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  interrupted_ = true;
  thread_.request_stop();
  wake_.notify_all();
  progress_.notify_all();
  if (thread_.joinable()) thread_.join();
  interrupted_ = false;
}

int64_t Delivery::Flush(int64_t limit_ms, bool to_the_end) {
  end_ms_ = clock_.MonotonicMs() + limit_ms;
  int64_t pending = 0;
  for (int away = 0; to_the_end || away < kFlushAttempts;) {
    server_due_ms_ = 0;
    refusals_.Clear();
    const int64_t wait_ms = std::min<int64_t>(Round(), options_.retry_first_ms);
    auto totals = state_.Read([](sqlite::Database& db) { return ReadTotals(db); });
    pending = totals ? totals->pending : -1;
    if (pending == 0 || MustStop()) break;
    away = suspended_ ? away + 1 : 0;
    const int64_t left_ms = std::min(wait_ms, end_ms_ - clock_.MonotonicMs());
    std::this_thread::sleep_for(std::chrono::milliseconds(std::max<int64_t>(left_ms, 1)));
  }
  end_ms_ = kNever;
  return pending;
}

uint64_t Delivery::rounds() {
  std::lock_guard lock(mutex_);
  return rounds_;
}

int64_t Delivery::Round() {
  Pass pass;
  const int64_t begin_ms = pass.lanes.begin_ms = clock_.MonotonicMs();
  pass.probes = suspended_;
  if (begin_ms < server_due_ms_) return server_due_ms_ - begin_ms;
  for (int64_t after = 0; !MustStop();) {
    auto heads = state_.Read([&](sqlite::Database& db) { return PendingRows(db, after, kPage); });
    if (!heads || heads->empty()) break;
    if (const auto wait_ms = SendPage(*heads, pass)) return *wait_ms;
    after = heads->back().sequence;
  }
  if (!Commit(pass.settled)) return kCommitAgainMs;
  return MustStop() ? 1 : WaitAfter(pass);
}

std::optional<int64_t> Delivery::SendPage(const std::vector<OutboxHead>& heads, Pass& pass) {
  for (const OutboxHead& head : heads) {
    if (MustStop()) return std::nullopt;
    if (!MayGo(head, pass)) continue;
    auto row = state_.Read([&](sqlite::Database& db) { return LoadRow(db, head.sequence); });
    if (!row || !*row) continue;
    const Outcome outcome = Deliver(**row, pass.settled);
    // After a skipped row the pass sends one more row of the lane.
    const bool stepped = pass.lanes.stepped.erase(head.lane) > 0;
    if (stepped || outcome == Outcome::kLaneWaits) pass.lanes.waiting.insert(head.lane);
    if (outcome == Outcome::kSuspended) {
      Commit(pass.settled);
      return std::max<int64_t>(server_due_ms_ - clock_.MonotonicMs(), 1);
    }
    // The probe passed: the next round sends the skipped rows at once.
    if (pass.probes && !suspended_) return Commit(pass.settled) ? 1 : kCommitAgainMs;
    if (pass.settled.size() >= kCommitEvery && !Commit(pass.settled)) return kCommitAgainMs;
  }
  return std::nullopt;
}

bool Delivery::MayGo(const OutboxHead& head, Pass& pass) {
  if (refusals_.TurnOf(head.lane, head.sequence, pass.lanes) != Refusals::Turn::kSend) return false;
  const bool replay = IsReplay(head.created_ms);
  if (clock_.MonotonicMs() >= budget_due_ms_[replay]) return true;
  pass.held[replay] = true;
  pass.lanes.waiting.insert(head.lane);
  return false;
}

int64_t Delivery::WaitAfter(Pass& pass) {
  const int64_t now_ms = clock_.MonotonicMs();
  int64_t wait_ms = kIdleMs;
  for (const bool replay : {false, true}) {
    if (pass.held[replay]) wait_ms = std::min(wait_ms, budget_due_ms_[replay] - now_ms);
  }
  return refusals_.WaitAfter(pass.lanes, now_ms, std::max<int64_t>(wait_ms, 1));
}

Delivery::Outcome Delivery::Deliver(const OutboxRow& row, std::vector<Settled>& settled) {
  if (!row.checksum_ok) {
    return Die(row,
               {row.sequence, "damaged",
                "its checksum does not match: the disk changed it; nothing of it was sent, and it "
                "is not sent again"},
               settled);
  }
  const Destination to = Redirect(row.destination, current_url_());
  if (!to.allowed) {
    return Die(
        row,
        {row.sequence, "destination",
         "captured for " + row.destination + ", which the policy left for another namespace"},
        settled);
  }
  auto answer = Send(row, to.url);
  if (answer) return OnAnswer(row, *answer, settled);
  return OnServerFault(row, ClassifyNoAnswer(), {row.sequence, "no_answer", answer.error().message},
                       settled);
}

// Begins a trace of its own, linked to the turn's: the turn did not wait for the delivery.
base::Result<http::Response> Delivery::Send(const OutboxRow& row, const std::string& url) {
  std::unique_ptr<telemetry::Span> span;
  if (options_.tracer) {
    span = options_.tracer->Start({.name = "deliver " + row.kind,
                                   .kind = telemetry::SpanKind::kClient,
                                   .cause = telemetry::ParseTraceparent(row.traceparent)});
  }
  http::ClientRequest request;
  request.method = row.method;
  request.target = row.path;
  request.body = row.body;
  request.timeout_ms =
      std::clamp<int64_t>(end_ms_ - clock_.MonotonicMs(), 1, options_.call_timeout_ms);
  request.headers.Set("Content-Type", "application/json");
  if (IsReplay(row.created_ms)) request.headers.Set(api::kReplayHeader, "true");
  if (!row.idempotency_key.empty()) request.headers.Set("Idempotency-Key", row.idempotency_key);
  const RowContext context = ContextOf(row);
  if (!context.user.empty()) request.headers.Set(api::kUserHeader, context.user);
  if (!context.agent.empty()) request.headers.Set(api::kAgentHeader, context.agent);
  if (span && span->recording()) {
    request.headers.Set("traceparent", telemetry::FormatTraceparent(span->context()));
    span->Attribute("http.request.body.size", row.body.size());
  }
  auto answer = send_(url, std::move(request));
  if (span && answer) span->Attribute("http.response.status_code", answer->status);
  if (span && (!answer || answer->status >= 300))
    span->Fail(answer ? std::to_string(answer->status) : base::CodeName(answer.error().code));
  return answer;
}

Delivery::Outcome Delivery::OnAnswer(const OutboxRow& row, const http::Response& answer,
                                     std::vector<Settled>& settled) {
  using Kind = DeliveryOutcome::Kind;
  last_status_ = answer.status;
  const DeliveryOutcome outcome = ClassifyResponse(row, answer);
  Settled last_words{row.sequence, std::to_string(answer.status),
                     base::Ellipsize(base::ToUtf8(answer.body), kReasonCharacters)};
  if (outcome.kind == Kind::kServerFault)
    return OnServerFault(row, outcome, std::move(last_words), settled);
  Resume();
  if (outcome.kind == Kind::kThrottled) {
    refusals_.OnWell();
    budget_due_ms_[IsReplay(row.created_ms)] = clock_.MonotonicMs() + RetryAfterMs(answer);
    return Outcome::kLaneWaits;
  }
  const int64_t now_ms = clock_.MonotonicMs();
  if (outcome.kind == Kind::kConflict &&
      refusals_.OnConflict(row, now_ms) == Refusals::Verdict::kLaneWaits)
    return Outcome::kLaneWaits;
  refusals_.OnSettled(row, now_ms);
  if (outcome.kind != Kind::kDelivered) return Die(row, std::move(last_words), settled);
  if (options_.saved) options_.saved->Add(row, answer.body);
  settled.push_back({row.sequence, {}, {}});
  return Outcome::kSettled;
}

// Suspends all rows, lets only the row's lane wait, or makes the row a dead letter.
Delivery::Outcome Delivery::OnServerFault(const OutboxRow& row, const DeliveryOutcome& fault,
                                          Settled last_words, std::vector<Settled>& settled) {
  switch (refusals_.OnServerFault(row, fault, clock_.MonotonicMs())) {
    case Refusals::Verdict::kLaneWaits:
      return Outcome::kLaneWaits;
    case Refusals::Verdict::kRowIsDead:
      last_words.dead_reason =
          "refused again and again while the server took other writes: " + last_words.dead_reason;
      return Die(row, std::move(last_words), settled);
    case Refusals::Verdict::kAllWait:
      Suspend(fault.reason, last_words.dead_cause + ": " + last_words.dead_reason);
  }
  return Outcome::kSuspended;
}

Delivery::Outcome Delivery::Die(const OutboxRow& row, Settled last_words,
                                std::vector<Settled>& settled) {
  base::LogWarn("a write is a dead letter",
                {{"sequence", row.sequence}, {"kind", row.kind}, {"cause", last_words.dead_cause}});
  refusals_.Drop(row);
  settled.push_back(std::move(last_words));
  return Outcome::kSettled;
}

bool Delivery::IsReplay(int64_t created_ms) const {
  return clock_.NowMs() - created_ms >= kReplayAfterMs;
}

void Delivery::Suspend(const char* reason, const std::string& message) {
  server_due_ms_ = clock_.MonotonicMs() + refusals_.PauseOfAll();
  suspended_ = true;
  const int64_t now_ms = clock_.NowMs();
  const bool news = suspension_.With([&](std::optional<Suspension>& now) {
    const bool other = !now || now->reason != reason;
    now = Suspension{reason, message, now ? now->since_ms : now_ms};
    return other;
  });
  if (news) {
    base::LogWarn("the outbox waits: the memory server, or the way to it, takes no writes",
                  {{"reason", reason}, {"message", message}});
  }
}

// Ends a suspension; called after an answer of a working memory server.
void Delivery::Resume() {
  server_due_ms_ = 0;
  if (!suspended_.exchange(false)) return;
  suspension_.Set(std::nullopt);
  base::LogInfo("the outbox is sent again");
}

bool Delivery::Commit(std::vector<Settled>& settled) {
  if (settled.empty()) return true;
  auto committed = state_.Change([&](sqlite::Database& db) -> base::Status {
    for (const Settled& row : settled) {
      RETURN_IF_ERROR(row.dead_cause.empty()
                          ? MarkDelivered(db, row.sequence)
                          : MarkDead(db, row.sequence, row.dead_cause, row.dead_reason));
    }
    return {};
  });
  if (!committed) {
    base::LogError("delivered rows could not be marked; they are sent again with their keys",
                   {{"reason", committed.error().message}});
  }
  settled.clear();
  {
    std::lock_guard lock(mutex_);
    ++settled_;
  }
  progress_.notify_all();
  return committed.has_value();
}

}  // namespace sidecar
