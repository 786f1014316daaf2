// Stores open and close outside the lock, so that a slow disk delays no other tenant. A closing
// store stays in the table until it is closed: a second writer would corrupt a file.
#include "memory/sqlite/engine/open_stores.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;

namespace {

constexpr auto kLongestOpenWait = std::chrono::seconds(10);  // while a store opens or closes

}  // namespace

Result<std::shared_ptr<SqlStore>> OpenStores::Acquire(const std::string& name) {
  Lock lock(mutex_);
  while (true) {
    if (refused_) return Error{Code::kUnavailable, refused_};
    if (auto store = FindOpen(name, lock)) return store;
    if (entries_.contains(name))
      return Error{Code::kUnavailable, "the memory of this namespace is being opened; try again"};
    if (entries_.size() < most_open_) break;
    RETURN_IF_ERROR(MakeRoom(lock));
  }
  entries_[name];
  lock.unlock();
  Result<std::unique_ptr<SqlStore>> opened = open_(name);
  lock.lock();
  wake_.notify_all();
  if (!opened) {
    entries_.erase(name);
    return opened.error();
  }
  Entry& entry = entries_[name];
  entry = {State::kOpen, std::move(*opened), ++uses_};
  return entry.store;
}

// Waits while the store opens or closes. Null: it is not open, or the wait was too long.
std::shared_ptr<SqlStore> OpenStores::FindOpen(const std::string& name, Lock& lock) {
  wake_.wait_for(lock, kLongestOpenWait, [&] {
    auto place = entries_.find(name);
    return place == entries_.end() || place->second.state == State::kOpen;
  });
  auto place = entries_.find(name);
  if (place == entries_.end() || place->second.state != State::kOpen) return nullptr;
  place->second.used = ++uses_;
  return place->second.store;
}

// Closes the least recently used store that nobody holds; a store with pending erasures, for which
// its close waits, only without another candidate. Releases the lock during the close.
Status OpenStores::MakeRoom(Lock& lock) {
  auto oldest = entries_.end();
  for (auto place = entries_.begin(); place != entries_.end(); ++place) {
    // Pointers are copied only under the lock: a use count of 1 is stable here.
    if (place->second.state != State::kOpen || place->second.store.use_count() > 1) continue;
    auto rank = [](const Entry& entry) {
      return std::pair(entry.store->DueErasures() > 0, entry.used);
    };
    if (oldest == entries_.end() || rank(place->second) < rank(oldest->second)) oldest = place;
  }
  if (oldest == entries_.end())
    return Error{Code::kUnavailable, "as many namespaces as may be served at once (" +
                                         std::to_string(most_open_) + ") are busy; try again"};
  CloseOne(oldest, lock);
  return {};
}

void OpenStores::CloseOne(std::map<std::string, Entry>::iterator place, Lock& lock) {
  std::shared_ptr<SqlStore> store = std::move(place->second.store);
  place->second.state = State::kClosing;
  lock.unlock();
  store->Close();
  store.reset();
  lock.lock();
  entries_.erase(place);
  wake_.notify_all();
}

std::shared_ptr<SqlStore> OpenStores::Latest() {
  const std::lock_guard lock(mutex_);
  const Entry* latest = nullptr;
  for (const auto& [name, entry] : entries_)
    if (entry.state == State::kOpen && (!latest || entry.used > latest->used)) latest = &entry;
  return latest ? latest->store : nullptr;
}

bool OpenStores::Refuse(const char* reason) {
  const std::lock_guard lock(mutex_);
  return !std::exchange(refused_, refused_ ? refused_ : reason);
}

size_t OpenStores::Open() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

std::shared_ptr<SqlStore> OpenStores::NextOpen(std::string& name) {
  std::lock_guard lock(mutex_);
  for (auto place = entries_.upper_bound(name); place != entries_.end(); ++place) {
    if (place->second.state != State::kOpen) continue;
    name = place->first;
    return place->second.store;
  }
  return nullptr;
}

std::shared_ptr<SqlStore> OpenStores::IfOpen(const std::string& name) {
  std::lock_guard lock(mutex_);
  const auto place = entries_.find(name);
  if (place == entries_.end() || place->second.state != State::kOpen) return nullptr;
  return place->second.store;
}

OpenStores::Usage OpenStores::Used() const {
  std::lock_guard lock(mutex_);
  Usage usage;
  for (const auto& [name, entry] : entries_) {
    if (entry.state != State::kOpen) continue;
    const SqlStore::Used used = entry.store->Usage();
    usage.rows += used.rows;
    usage.queued_writes += static_cast<int64_t>(entry.store->QueuedWrites());
    usage.due_erasures += entry.store->DueErasures();
    usage.remote_gaps += static_cast<int64_t>(entry.store->RemoteGapCount());
    usage.uncut_rows += entry.store->UncutRows();
    usage.longest_log = std::max(usage.longest_log, used.log_bytes);
    usage.most_rows = std::max(usage.most_rows, used.rows);
    usage.most_bytes = std::max(usage.most_bytes, used.bytes);
  }
  return usage;
}

void OpenStores::Close() {
  (void)Refuse("the program is stopping");
  Lock lock(mutex_);
  while (!entries_.empty()) {
    auto place = std::find_if(entries_.begin(), entries_.end(),
                              [](const auto& entry) { return entry.second.state == State::kOpen; });
    if (place != entries_.end()) {
      CloseOne(place, lock);
    } else {
      wake_.wait(lock);
    }
  }
}

}  // namespace memory
