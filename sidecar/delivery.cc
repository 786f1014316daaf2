// The delivery loop. A row leaves the outbox only after a 2xx; a crash before that sends it again
// with the same Idempotency-Key, which the server answers as before.
#include "sidecar/delivery.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

#include "lib/api/memory_api.h"
#include "lib/base/log.h"
#include "lib/base/text.h"

namespace sidecar {
namespace {

constexpr int64_t kPage = 256;       // rows looked at together
constexpr size_t kCommitEvery = 64;  // settled rows in one commit
constexpr int64_t kIdleMs = 1'000;   // a look at the outbox without being woken
constexpr int kConflictAttempts = 5;
constexpr int kFlushAttempts = 3;
constexpr size_t kReasonCharacters = 300;
constexpr int64_t kReplayAfterMs = 30'000;  // a row that waited so long is no news any more
constexpr int64_t kLongestBudgetWaitS = 60;

// The namespace of name.namespace.svc…; for other hosts the host itself.
std::string PlaceOf(const std::string& url) {
  const size_t scheme = url.find("://");
  std::string host = scheme == std::string::npos ? url : url.substr(scheme + 3);
  host = host.substr(0, host.find('/'));
  if (host.find(']') == std::string::npos) host = host.substr(0, host.find(':'));
  const auto parts = base::Split(host, '.');
  if (parts.size() >= 3 && parts[2] == "svc") return parts[1] + ".svc";
  return host;
}

bool Overloaded(int status) { return status == 502 || status == 503 || status == 504; }

int64_t RetryAfterMs(const http::Response& answer) {
  const std::string text = answer.headers.Get("Retry-After").value_or("");
  int64_t seconds = 1;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return std::clamp<int64_t>(seconds, 1, kLongestBudgetWaitS) * 1000;
}

}  // namespace

Verdict Judge(int status, int attempts) {
  if (status >= 200 && status < 300) return Verdict::kDelivered;
  if (status == 409) return attempts < kConflictAttempts ? Verdict::kRetry : Verdict::kDead;
  // 401 is about the token, not the row: a rotated or late token heals it.
  if (status == 401 || status == 408 || status == 425 || status == 429) return Verdict::kRetry;
  if (status >= 500 || status < 200) return Verdict::kRetry;
  return Verdict::kDead;
}

Destination Redirect(const std::string& captured, const std::string& current) {
  if (captured.empty() || current.empty() || captured == current) {
    return {captured.empty() ? current : captured, true};
  }
  if (PlaceOf(captured) == PlaceOf(current)) return {current, true};
  return {captured, false};
}

Delivery::Delivery(State& state, SendToServer send, std::function<std::string()> current_url,
                   const base::Clock& clock, Options options)
    : state_(state),
      send_(std::move(send)),
      current_url_(std::move(current_url)),
      clock_(clock),
      options_(options),
      server_backoff_(options.retry_first_ms, options.retry_longest_ms, options.seed),
      seeds_(options.seed + 1) {}

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
  // A round that runs may be past the lane's rows; the one after it is not.
  const uint64_t last_round = rounds_ + (in_round_ ? 2 : 1);
  for (bool woken = false;; woken = true) {
    const uint64_t seen = settled_;
    const bool over = rounds_ >= last_round || stopping_;
    lock.unlock();
    ASSIGN_OR_RETURN(const bool waits, has_pending());
    if (!waits || over || !reachable_) return !waits;
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
    lanes_.clear();
    const int64_t wait_ms = std::min<int64_t>(Round(), options_.retry_first_ms);
    auto totals = state_.Read([](sqlite::Database& db) { return ReadTotals(db); });
    pending = totals ? totals->pending : -1;
    if (pending == 0 || IsOver()) break;
    away = reachable_ ? 0 : away + 1;
    const int64_t left_ms = std::min(wait_ms, end_ms_ - clock_.MonotonicMs());
    std::this_thread::sleep_for(std::chrono::milliseconds(std::max<int64_t>(left_ms, 1)));
  }
  end_ms_ = kNever;
  return pending;
}

int64_t Delivery::Round() {
  const int64_t now_ms = clock_.MonotonicMs();
  if (now_ms < server_due_ms_) return server_due_ms_ - now_ms;
  return RoundAt(now_ms);
}

int64_t Delivery::RoundAt(int64_t now_ms) {
  std::vector<Settled> settled;
  int64_t after = 0, wait_ms = kIdleMs;
  std::set<std::string> waiting;  // lanes that this round leaves alone
  for (auto& [lane, retry] : lanes_) {
    if (now_ms >= retry.due_ms) continue;
    waiting.insert(lane);
    wait_ms = std::min(wait_ms, retry.due_ms - now_ms);
  }
  while (true) {
    auto heads = state_.Read([&](sqlite::Database& db) { return PendingRows(db, after, kPage); });
    if (!heads || heads->empty()) break;
    for (const OutboxHead& head : *heads) {
      if (IsOver()) break;
      after = head.sequence;
      if (waiting.contains(head.lane)) continue;
      if (clock_.MonotonicMs() < budget_due_ms_[IsReplay(head.created_ms)]) {
        waiting.insert(head.lane);
        continue;
      }
      auto row = state_.Read([&](sqlite::Database& db) { return LoadRow(db, head.sequence); });
      if (!row || !*row) continue;
      const Outcome outcome = Deliver(**row, settled);
      if (outcome == Outcome::kLaneWaits) waiting.insert(head.lane);
      if (outcome == Outcome::kServerAway) {
        Commit(settled);
        return std::max<int64_t>(server_due_ms_ - clock_.MonotonicMs(), 1);
      }
      if (settled.size() >= kCommitEvery && !Commit(settled)) return kIdleMs;
    }
    if (IsOver()) break;
  }
  Commit(settled);
  for (auto& [lane, retry] : lanes_) wait_ms = std::min(wait_ms, retry.due_ms - now_ms);
  for (int64_t due_ms : budget_due_ms_)
    if (due_ms > now_ms) wait_ms = std::min(wait_ms, due_ms - now_ms);
  return std::max<int64_t>(wait_ms, 1);
}

Delivery::Outcome Delivery::Deliver(const OutboxRow& row, std::vector<Settled>& settled) {
  if (!row.sound) {
    settled.push_back({row.sequence, "damaged",
                       "its bytes are not those that were written: the disk changed them; nothing "
                       "of it was sent, and it is not sent again"});
    return Outcome::kSettled;
  }
  const Destination to = Redirect(row.destination, current_url_());
  if (!to.allowed) {
    settled.push_back(
        {row.sequence, "destination",
         "captured for " + row.destination + ", which the policy left for another namespace"});
    return Outcome::kSettled;
  }
  auto answer = Send(row, to.url);
  if (!answer) {
    ServerAway();
    return Outcome::kServerAway;
  }
  return OnAnswer(row, *answer, settled);
}

// A trace of its own, linked to the turn, which did not wait for it.
base::Result<http::Response> Delivery::Send(const OutboxRow& row, const std::string& url) {
  std::unique_ptr<telemetry::Span> span;
  if (options_.tracer) {
    span = options_.tracer->Start({.name = "deliver " + row.kind,
                                   .kind = telemetry::SpanKind::kClient,
                                   .cause = telemetry::ParseTraceparent(row.cause)});
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
  reachable_ = true;
  // Said once: the next rows would be refused alike, until the token or the server is put right.
  if (last_status_.exchange(answer.status) != 401 && answer.status == 401) {
    base::LogError("the memory server does not know our token; captures wait and are sent again",
                   {{"reason", base::Ellipsize(base::ToUtf8(answer.body), kReasonCharacters)}});
  }
  const int attempts = ++attempts_[row.sequence];
  if (answer.status == 429) {
    BudgetWaits(IsReplay(row.created_ms), answer);
    return Outcome::kLaneWaits;
  }
  if (Overloaded(answer.status)) {
    ServerAway();
    return Outcome::kServerAway;
  }
  const Verdict verdict = Judge(answer.status, attempts);
  if (verdict == Verdict::kRetry) {
    LaneWaits(row.lane);
    return Outcome::kLaneWaits;
  }
  server_backoff_.Reset();
  lanes_.erase(row.lane);
  attempts_.erase(row.sequence);
  Settled done{row.sequence, {}, {}};
  if (verdict == Verdict::kDead) {
    done.dead_cause = std::to_string(answer.status);
    done.dead_reason = base::Ellipsize(base::ToUtf8(answer.body), kReasonCharacters);
    base::LogWarn("the memory server refused a write for good",
                  {{"sequence", row.sequence}, {"kind", row.kind}, {"status", answer.status}});
  }
  settled.push_back(std::move(done));
  return Outcome::kSettled;
}

bool Delivery::IsReplay(int64_t created_ms) const {
  return clock_.NowMs() - created_ms >= kReplayAfterMs;
}

void Delivery::BudgetWaits(bool replay, const http::Response& answer) {
  budget_due_ms_[replay] = clock_.MonotonicMs() + RetryAfterMs(answer);
}

void Delivery::LaneWaits(const std::string& lane) {
  auto retry = lanes_.try_emplace(lane, Retry{NewBackoff(), 0}).first;
  retry->second.due_ms = clock_.MonotonicMs() + retry->second.backoff.NextMs();
}

void Delivery::ServerAway() {
  reachable_ = false;
  server_due_ms_ = clock_.MonotonicMs() + std::max<int64_t>(server_backoff_.NextMs(), 1);
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

base::Backoff Delivery::NewBackoff() {
  return base::Backoff(options_.retry_first_ms, options_.retry_longest_ms, seeds_++);
}

}  // namespace sidecar
