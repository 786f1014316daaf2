// Stores open and close outside the lock, so that a slow disk delays no other tenant. A closing
// store stays in the table until its file is closed: a second writer would corrupt the file.
#include "memory/sqlite/engine/tenants.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/process/file.h"
#include "lib/base/process/log.h"
#include "lib/base/text/digest.h"
#include "memory/ranking/resident_budget.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

namespace {

constexpr auto kLongestOpenWait = std::chrono::seconds(10);  // while a store opens or closes

}  // namespace

Result<Json> Tenants::ReadNames() {
  const std::string table = directory_ + "/names.json";
  Result<std::string> text = base::ReadFile(table);
  if (!text && text.error().code == Code::kNotFound) return Json::object();
  if (!text) return text.error();
  ASSIGN_OR_RETURN(Json names, base::ParseJson(*text, {64, 1'000'000}));
  if (!names.is_object()) return Error{Code::kInternal, table + " is not an object of names"};
  return names;
}

std::vector<std::string> Tenants::Unclosed() {
  const std::lock_guard lock(names_mutex_);
  std::vector<std::string> found;
  Result<Json> names = ReadNames();
  if (!names) return found;  // opening a tenant reports it
  for (const auto& [file, name] : names->items()) {
    std::error_code ignored;
    const bool log = std::filesystem::exists(directory_ + "/" + file + "-wal", ignored);
    if (log && name.is_string()) found.push_back(name.get<std::string>());
  }
  return found;
}

// hex(sha256(name)). names.json has the name durably before the file is created.
Result<std::string> Tenants::FileOf(const std::string& name) {
  const std::lock_guard lock(names_mutex_);
  const std::string file = base::Sha256Hex(name);
  ASSIGN_OR_RETURN(Json names, ReadNames());
  if (!names.contains(file)) {
    names[file] = name;
    RETURN_IF_ERROR(Replace(directory_ + "/names.json", base::DumpJson(names) + "\n"));
  }
  return directory_ + "/" + file;
}

// An error other than ENOSPC or EACCES may leave unsynced content visible, so it is final like a
// failed sync of a database.
Status Tenants::Replace(const std::string& file, const std::string& content) {
  Status replaced = base::ReplaceFile(file, content);
  if (!replaced && replaced.error().code == Code::kInternal) {
    base::LogError("commit failed", {{"reason", replaced.error().message}});
    options_.on_sync_failure(replaced.error());
  }
  return replaced;
}

Tenants::Tenants(std::string directory, StoreOptions options, size_t most_open)
    : directory_(std::move(directory)),
      options_([&] {
        options.on_sync_failure = [this, tell = options.on_sync_failure](const Error& error) {
          {
            std::lock_guard lock(mutex_);
            if (failed_) return;
            failed_ = true;
          }
          if (tell) tell(error);
        };
        if (!options.index_budget)
          options.index_budget = std::make_shared<ResidentBudget>(options.index_bytes);
        if (!options.spools) options.spools = SpoolBudget::OfVolume(directory_);
        return options;
      }()),
      most_open_(most_open) {}

Tenants::~Tenants() { Close(); }

Result<std::shared_ptr<SqliteStore>> Tenants::Acquire(const std::string& name) {
  Lock lock(mutex_);
  while (true) {
    if (closed_) return Error{Code::kUnavailable, "the program is stopping"};
    if (failed_) return Error{Code::kUnavailable, "a sync to the disk failed; the process ends"};
    if (auto store = FindOpen(name, lock)) return store;
    if (entries_.contains(name))
      return Error{Code::kUnavailable, "the memory of this namespace is being opened; try again"};
    if (entries_.size() < most_open_) break;
    RETURN_IF_ERROR(MakeRoom(lock));
  }
  entries_[name];
  lock.unlock();
  auto opened = [&]() -> Result<std::unique_ptr<SqliteStore>> {
    ASSIGN_OR_RETURN(std::string file, FileOf(name));
    return SqliteStore::Open(file, options_);
  }();
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
std::shared_ptr<SqliteStore> Tenants::FindOpen(const std::string& name, Lock& lock) {
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
Status Tenants::MakeRoom(Lock& lock) {
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

void Tenants::CloseOne(std::map<std::string, Entry>::iterator place, Lock& lock) {
  std::shared_ptr<SqliteStore> store = std::move(place->second.store);
  place->second.state = State::kClosing;
  lock.unlock();
  store->Close();
  store.reset();
  lock.lock();
  entries_.erase(place);
  wake_.notify_all();
}

Status Tenants::ProbeWrite() {
  std::shared_ptr<SqliteStore> latest;
  {
    std::lock_guard lock(mutex_);
    uint64_t used = 0;
    for (const auto& [name, entry] : entries_) {
      if (entry.state != State::kOpen || entry.used < used) continue;
      latest = entry.store;
      used = entry.used;
    }
  }
  // All stores share one disk: the most recently used one is probed for all.
  if (latest) return latest->ProbeWrite();
  return Replace(directory_ + "/probe", "a write is possible\n");
}

bool Tenants::Failed() const {
  std::lock_guard lock(mutex_);
  return failed_;
}

size_t Tenants::QueuedWrites() const {
  std::lock_guard lock(mutex_);
  size_t queued = 0;
  for (const auto& [name, entry] : entries_)
    if (entry.state == State::kOpen) queued += entry.store->QueuedWrites();
  return queued;
}

size_t Tenants::Open() const {
  std::lock_guard lock(mutex_);
  return entries_.size();
}

size_t Tenants::IndexBytes() const { return options_.index_budget->bytes(); }
int64_t Tenants::SpoolBytes() const { return options_.spools->bytes(); }

std::shared_ptr<SqliteStore> Tenants::NextOpen(std::string& name) {
  std::lock_guard lock(mutex_);
  for (auto place = entries_.upper_bound(name); place != entries_.end(); ++place) {
    if (place->second.state != State::kOpen) continue;
    name = place->first;
    return place->second.store;
  }
  return nullptr;
}

std::shared_ptr<SqliteStore> Tenants::IfOpen(const std::string& name) {
  std::lock_guard lock(mutex_);
  const auto place = entries_.find(name);
  if (place == entries_.end() || place->second.state != State::kOpen) return nullptr;
  return place->second.store;
}

Tenants::Usage Tenants::Used() const {
  std::lock_guard lock(mutex_);
  Usage usage;
  for (const auto& [name, entry] : entries_) {
    if (entry.state != State::kOpen) continue;
    const SqliteStore::Used used = entry.store->Usage();
    usage.rows += used.rows;
    usage.due_erasures += entry.store->DueErasures();
    usage.remote_gaps += static_cast<int64_t>(entry.store->RemoteGapCount());
    usage.uncut_rows += entry.store->UncutRows();
    usage.longest_log = std::max(usage.longest_log, used.log_bytes);
    usage.most_rows = std::max(usage.most_rows, used.rows);
    usage.most_bytes = std::max(usage.most_bytes, used.bytes);
  }
  return usage;
}

void Tenants::Close() {
  Lock lock(mutex_);
  closed_ = true;
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
