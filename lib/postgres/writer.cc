// Leading, and what becomes of a batch.
#include "lib/postgres/writer.h"

#include <algorithm>
#include <optional>
#include <thread>

#include "lib/base/limits/backoff.h"
#include "lib/postgres/link.h"

namespace postgres {

using base::Code;
using base::Error;
using base::Result;
using base::Status;

struct Writer::Item {
  enum State : int { kWaits, kLeads, kDone };
  Work work;
  Status outcome;
  std::optional<std::promise<Status>> posted;  // else somebody waits in RunItem
  std::atomic<int> state = kWaits;

  void Become(State next) {
    state = next;
    state.notify_one();
  }
};

Writer::~Writer() {
  std::unique_lock lock(mutex_);
  left_.wait(lock, [&] { return !led_; });
}

size_t Writer::Queued() const {
  const std::lock_guard lock(mutex_);
  return queue_.size();
}

// → whether the caller must lead.
Result<bool> Writer::Enqueue(const std::shared_ptr<Item>& item, Space space) {
  if (space == Space::kConsumes && options_.admit) RETURN_IF_ERROR(options_.admit());
  const std::lock_guard lock(mutex_);
  if (queue_.size() >= options_.queue)
    return Error{Code::kUnavailable,
                 "the queue of writes is full (" + std::to_string(options_.queue) + ")"};
  queue_.push_back(item);
  return !std::exchange(led_, true);
}

Status Writer::RunItem(Work work, Space space) {
  const auto item = std::make_shared<Item>();
  item->work = std::move(work);
  ASSIGN_OR_RETURN(bool leads, Enqueue(item, space));
  while (item->state != Item::kDone) {
    if (leads || item->state == Item::kLeads)
      Lead(item.get());
    else
      item->state.wait(Item::kWaits);
    leads = false;
  }
  return std::move(item->outcome);
}

std::future<Status> Writer::PostItem(Work work, Space space) {
  const auto item = std::make_shared<Item>();
  item->work = std::move(work);
  std::future<Status> answer = item->posted.emplace().get_future();
  const Result<bool> leads = Enqueue(item, space);
  if (!leads) item->posted->set_value(leads.error());
  // Without a free thread the caller leads.
  if (leads && *leads && !workers_.TrySubmit([this] { Lead(nullptr); })) Lead(nullptr);
  return answer;
}

void Writer::Answer(Batch& batch) {
  for (const auto& item : batch) {
    if (item->posted)
      item->posted->set_value(std::move(item->outcome));
    else
      item->Become(Item::kDone);
  }
}

// Runs batches until `own` is done (null: posted items), and then leaves the lead to the first item
// that somebody waits for.
void Writer::Lead(const Item* own) {
  for (;;) {
    Batch batch;
    {
      const std::lock_guard lock(mutex_);
      const auto end =
          queue_.begin() + static_cast<ptrdiff_t>(std::min(queue_.size(), options_.max_batch));
      batch.assign(queue_.begin(), end);
      queue_.erase(queue_.begin(), end);
    }
    RunBatch(batch);
    std::shared_ptr<Item> next;
    bool left = false;
    {
      const std::lock_guard lock(mutex_);
      const auto waits = std::find_if(queue_.begin(), queue_.end(),
                                      [](const auto& item) { return !item->posted; });
      if (waits != queue_.end()) next = *waits;
      if (queue_.empty()) {
        left = true;
        led_ = false;
        left_.notify_all();  // nothing of this object is used from here on
      }
    }
    // The answers first: who writes again at once is in the next batch.
    Answer(batch);
    if (left) return;
    if (own && own->state != Item::kDone) continue;
    if (next) return next->Become(Item::kLeads);
    if (own && workers_.TrySubmit([this] { Lead(nullptr); })) return;
  }
}

void Writer::RunBatch(Batch& batch) {
  const int64_t end_ms = NowMs() + options_.batch_ms;
  base::Backoff pause(10, 200, reinterpret_cast<uintptr_t>(&batch) ^ static_cast<uint64_t>(end_ms));
  Mode mode = Mode::kEager;
  Status ended;
  for (;;) {
    Next next = Next::kAnswer;
    ended = Try(batch, mode, end_ms - NowMs(), next);
    if (next == Next::kAnswer) break;
    if (next == Next::kCarefully) {
      mode = Mode::kCareful;
      continue;
    }
    const int64_t pause_ms = pause.NextMs();
    if (NowMs() + pause_ms >= end_ms) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
  }
  if (ended) return;
  for (const auto& item : batch) item->outcome = ended;
}

// An error is that of all items; else each has its outcome.
Status Writer::Try(Batch& batch, Mode mode, int64_t left_ms, Next& next) {
  ASSIGN_OR_RETURN(Pool::Lease lease,
                   pool_.Checkout(options_.scope(), std::max<int64_t>(left_ms, 0)));
  Database& database = *lease;
  const TimeLimit limit(database, left_ms, {},
                        {Code::kUnavailable, "the deadline of a batch of writes is over"});
  database.ReleaseLate(mode == Mode::kEager);
  Status ran = RunTransaction(database, batch, mode);
  if (database.CommitUnknown()) return ran;
  if (!ran && (database.Passing() || (database.Broken() && !limit.Met())))
    next = Next::kAgain;
  else if (!ran && database.StatementFailed() && mode == Mode::kEager && !limit.Met())
    next = Next::kCarefully;
  return ran;
}

Status Writer::RunTransaction(Database& database, Batch& batch, Mode mode) {
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database));
  // Whatever an item made of it: the error may be another item's.
  const auto late = [&] { return mode == Mode::kEager && database.StatementFailed(); };
  const Error again = {Code::kUnavailable, "a statement of the batch failed"};
  for (const auto& item : batch) {
    // One that is alone needs no savepoint.
    const bool alone = batch.size() == 1;
    item->outcome = [&]() -> Status {
      if (alone) return item->work(database);
      ASSIGN_OR_RETURN(Transaction savepoint, Transaction::Begin(database));
      RETURN_IF_ERROR(item->work(database));
      return savepoint.Commit();
    }();
    if (late()) return again;
    if (!item->outcome && (alone || database.Broken() || database.Passing())) return item->outcome;
  }
  if (options_.before_commit) RETURN_IF_ERROR(options_.before_commit(database));
  if (late()) return again;
  return transaction.Commit();
}

}  // namespace postgres
