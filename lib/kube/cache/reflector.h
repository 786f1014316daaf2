// Keeps an ObjectStore equal to the API server's objects of one kind: lists, then watches, forever.
// Needs a thread while it reads pages or pauses, and none while its watch is open.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>

#include "lib/base/guarded.h"
#include "lib/base/limits/backoff.h"
#include "lib/kube/cache/object_store.h"
#include "lib/kube/cache/watch.h"

namespace kube {

struct ReflectorOptions {
  Resource resource;
  Selection selection;
  // Streams the list at the beginning of the watch (KEP-3157): one request, and no page in memory.
  // Falls back to pages on a server without streamed lists, and once after a broken stream.
  bool streams_lists = false;
  int page_size = 250;            // objects; a page is in memory as text while it is read
  int64_t backoff_base_ms = 800;  // after failures: doubled up to the cap, with jitter
  int64_t backoff_cap_ms = 30'000;
  int64_t healthy_ms = 120'000;  // a watch of this duration resets the backoff
  uint64_t seed = 0;             // of the jitter; 0: from the system
};

struct ReflectorStats {
  int64_t lists = 0, watches = 0, events = 0;  // lists: in pages
  int64_t streamed_lists = 0;                  // completed ones
  std::map<std::string, int64_t> watch_ends;   // by reason
  std::string last_error;                      // empty after a success
  int64_t failing_since_ms = 0;                // wall clock; 0: not failing
  bool denied = false;                         // last_error is a 401 or 403
};

class Reflector {
 public:
  // `on_change` runs for each changed object, after the store has the change; `resync`: the change
  // is from a list (less urgent than an event). `on_synced` runs after each list and each denied
  // list. Both run on one thread at a time, which other reflectors may share: they must not block.
  // All references must outlive this.
  using OnChange = std::function<void(const Change& change, bool resync)>;
  Reflector(KubeClient& client, ObjectStore& store, ReflectorOptions options, OnChange on_change,
            std::function<void()> on_synced = {}, const base::Clock& clock = base::SystemClock());
  ~Reflector();  // Stop()

  void Start();
  void Stop();          // ends the stream, joins; no callback runs after it. Not from a callback
  bool synced() const;  // a complete list was stored once
  ReflectorStats stats() const;
  const ReflectorOptions& options() const { return options_; }

 private:
  // A round: from the end of a watch to the next watch.
  void StartRound(bool with_pause);
  void Round(const std::stop_token& stop, bool with_pause);
  bool Prepare();
  void OpenWatch();
  bool StreamsList() const;
  bool ListPages();  // false: failed; try again after a pause
  void TakeList(ObjectStore::Listing listing);
  void OnListEvent(WatchEvent&& event);
  void OnListEnd(const WatchEnd& end);
  bool ServerKnowsVersion();
  void OnEvent(WatchEvent&& event);
  void OnEnd(const WatchEnd& end);
  bool MayGoOnAtOnce(const WatchEnd& end);
  void Pause(std::stop_token stop);
  void Heard();
  bool Failed(const base::Error& error);  // returns false

  KubeClient& client_;
  ObjectStore& store_;
  const ReflectorOptions options_;
  const OnChange on_change_;
  const std::function<void()> on_synced_;
  const base::Clock& clock_;
  int page_size_;
  std::mt19937_64 random_;
  base::Backoff backoff_;
  enum class Streams { kYes, kNotNow, kNever } streams_;
  std::optional<ObjectStore::Listing> listing_;  // while the watch streams its list
  bool told_ = false;                            // the present watch had an event or a bookmark
  bool doubt_ = false;      // the last watch broke: check that the server knows version_
  std::string version_;     // the next watch resumes here; empty: list first
  int64_t opened_ms_ = 0;   // of the present watch, monotonic
  ReflectorStats at_open_;  // stats_ when the present watch opened
  std::atomic<bool> synced_{false};
  mutable base::Guarded<ReflectorStats> stats_;
  std::mutex mutex_;
  bool stopped_ = false;          // under mutex_: no new round and no new watch
  std::unique_ptr<Watch> watch_;  // its end starts a round, which replaces it
  std::jthread round_;
};

}  // namespace kube
