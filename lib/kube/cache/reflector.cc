// Lists, then watches from the list's version, forever. The reason for the end of a watch decides
// between a resume and a new list, at once or after a pause.
#include "lib/kube/cache/reflector.h"

#include <malloc.h>

#include <algorithm>
#include <random>

#include "lib/base/process/log.h"

namespace kube {

namespace {

constexpr int kShortestWatch_s = 240, kLongestWatch_s = 300;
constexpr int64_t kBrief_ms = 10'000;

void Sleep(int64_t ms, std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_for(lock, stop, std::chrono::milliseconds(ms), [] { return false; });
}

uint64_t SeedOf(const ReflectorOptions& options) {
  return options.seed ? options.seed : std::random_device{}();
}

}  // namespace

Reflector::Reflector(KubeClient& client, ObjectStore& store, ReflectorOptions options,
                     OnChange on_change, std::function<void()> on_synced, const base::Clock& clock)
    : client_(client),
      store_(store),
      options_(std::move(options)),
      on_change_(std::move(on_change)),
      on_synced_(std::move(on_synced)),
      clock_(clock),
      page_size_(options_.page_size),
      random_(SeedOf(options_)),
      backoff_(options_.backoff_base_ms, options_.backoff_cap_ms, SeedOf(options_)),
      streams_(options_.streams_lists ? Streams::kYes : Streams::kNever) {}

Reflector::~Reflector() { Stop(); }

void Reflector::Start() { StartRound(/*with_pause=*/false); }

void Reflector::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  round_.request_stop();
  if (round_.joinable()) round_.join();
  watch_.reset();
}

bool Reflector::synced() const { return synced_; }

ReflectorStats Reflector::stats() const { return stats_.Copy(); }

// Called at the end of a watch. The assignment joins the previous round, which opened that watch
// and only has to return.
void Reflector::StartRound(bool with_pause) {
  const std::lock_guard lock(mutex_);
  if (stopped_) return;
  round_ =
      std::jthread([this, with_pause](const std::stop_token& stop) { Round(stop, with_pause); });
}

void Reflector::Round(const std::stop_token& stop, bool with_pause) {
  watch_.reset();
  if (with_pause) Pause(stop);
  while (!stop.stop_requested()) {
    if (Prepare()) return OpenWatch();
    Pause(stop);
  }
}

bool Reflector::StreamsList() const { return version_.empty() && streams_ == Streams::kYes; }

// False: failed; try again after a pause.
bool Reflector::Prepare() {
  if (StreamsList()) {
    doubt_ = false;
    return true;
  }
  if (version_.empty() && !ListPages()) return false;
  if (doubt_ && !ServerKnowsVersion()) return false;
  doubt_ = false;
  return true;
}

// At least the base, so that a server that refuses at once gets no requests in a tight loop.
void Reflector::Pause(std::stop_token stop) {
  int64_t wait_ms = std::max(options_.backoff_base_ms, backoff_.NextMs());
  Sleep(std::max(wait_ms, client_.RetryAfterMs(options_.resource)), std::move(stop));
}

bool Reflector::ListPages() {
  stats_.With([](ReflectorStats& stats) { ++stats.lists; });
  ObjectStore::Listing listing = store_.NewListing();
  ListPage page;
  do {
    auto result = client_.List(options_.resource, options_.selection, page_size_, page.next, {},
                               [&](Json&& item) { listing.Add(std::move(item)); });
    if (!result) {
      // A page of large objects exceeds the limit of an answer: try half the page.
      if (result.error().code == base::Code::kTooLarge) page_size_ = std::max(1, page_size_ / 2);
      Failed(result.error());
      if (result.error().code == base::Code::kDenied && on_synced_) on_synced_();
      return false;
    }
    page = *std::move(result);
    if (page.expired) {
      return Failed({base::Code::kUnavailable, "the list expired before its last page"});
    }
    Heard();
  } while (!page.next.empty());
  version_ = page.resource_version;
  page = {};
  if (streams_ == Streams::kNotNow) streams_ = Streams::kYes;
  TakeList(std::move(listing));
  return true;
}

namespace {

// glibc would keep the memory of the pages. One at a time: where a sanitizer replaces malloc, the
// first call initializes glibc's own without a lock, and a second one would read half of it.
void GiveMemoryBack() {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  malloc_trim(0);
}

}  // namespace

// Stores a list of version_ and reports its changes.
void Reflector::TakeList(ObjectStore::Listing listing) {
  store_.Replace(options_.selection.name_space, std::move(listing), version_,
                 [this](const Change& change) { on_change_(change, /*resync=*/true); });
  GiveMemoryBack();
  synced_ = true;
  if (on_synced_) on_synced_();
}

// A server restored from a backup has older versions. It accepts a watch from version_ but stays
// silent until it has caught up; a list of version_ fails at once (504).
bool Reflector::ServerKnowsVersion() {
  auto page = client_.List(options_.resource, options_.selection, 1, {}, version_);
  if (page) return true;
  if (page.error().code == base::Code::kTimeout) version_.clear();
  return Failed(page.error());
}

void Reflector::OpenWatch() {
  stats_.With([](ReflectorStats& stats) { ++stats.watches; });
  at_open_ = stats();
  told_ = false;
  // An open stream counts as contact: the first event may be a minute away.
  WatchOptions watch{options_.selection, version_, kShortestWatch_s, [this] { Heard(); },
                     StreamsList()};
  if (watch.from_list) listing_.emplace(store_.NewListing());
  watch.timeout_s +=
      static_cast<int>(random_() % static_cast<uint64_t>(kLongestWatch_s - kShortestWatch_s));
  opened_ms_ = clock_.MonotonicMs();
  const std::lock_guard lock(mutex_);  // the watch's end starts no round before watch_ is set
  if (stopped_) return;
  watch_ = std::make_unique<Watch>(
      client_, options_.resource, std::move(watch),
      [this](WatchEvent&& event) { OnEvent(std::move(event)); },
      [this](const WatchEnd& end) { OnEnd(end); });
}

void Reflector::OnEnd(const WatchEnd& end) {
  if (listing_) return OnListEnd(end);
  const bool with_pause = !MayGoOnAtOnce(end);
  if (clock_.MonotonicMs() - opened_ms_ >= options_.healthy_ms) backoff_.Reset();
  StartRound(with_pause);
}

bool Reflector::MayGoOnAtOnce(const WatchEnd& end) {
  const int64_t lived_ms = clock_.MonotonicMs() - opened_ms_;
  stats_.With([&](ReflectorStats& stats) { ++stats.watch_ends[ReasonName(end.reason)]; });
  switch (end.reason) {
    case WatchEnd::Reason::kIdle:
      doubt_ = true;
      [[fallthrough]];
    case WatchEnd::Reason::kClosed:
      // A server that closes a watch at once is unhealthy, whatever its status.
      return lived_ms >= options_.backoff_base_ms;
    case WatchEnd::Reason::kExpired:
      version_.clear();
      Failed(end.error);
      return lived_ms >= options_.backoff_base_ms;
    case WatchEnd::Reason::kVersionTooLarge:
      version_.clear();
      break;
    case WatchEnd::Reason::kFailed:
      doubt_ = true;
      break;
  }
  // A brief watch without an event does not end a failure: restore the error from before.
  if (!told_ && lived_ms < kBrief_ms) {
    stats_.With([&](ReflectorStats& stats) {
      stats.last_error = at_open_.last_error;
      stats.failing_since_ms = at_open_.failing_since_ms;
    });
  }
  return Failed(end.error);
}

// The watch ended before its list was complete. Lists in pages at once; a failure there pauses.
void Reflector::OnListEnd(const WatchEnd& end) {
  listing_.reset();
  const bool unknown = end.error.code == base::Code::kInvalid && !told_;
  streams_ = unknown ? Streams::kNever : Streams::kNotNow;
  if (!unknown) stats_.With([&](auto& stats) { ++stats.watch_ends[ReasonName(end.reason)]; });
  if (!unknown && end.reason != WatchEnd::Reason::kClosed) Failed(end.error);
  StartRound(/*with_pause=*/false);
}

// Changes during the streamed list are part of the list.
void Reflector::OnListEvent(WatchEvent&& event) {
  if (event.type == WatchEvent::Type::kDeleted) {
    listing_->Remove(event.object);
  } else if (event.type != WatchEvent::Type::kBookmark) {
    listing_->Add(std::move(event.object));
  } else if (event.ends_list) {
    stats_.With([](ReflectorStats& stats) { ++stats.streamed_lists; });
    version_ = ResourceVersionOf(event.object);
    ObjectStore::Listing listing = *std::move(listing_);
    listing_.reset();
    TakeList(std::move(listing));
  }
}

void Reflector::OnEvent(WatchEvent&& event) {
  told_ = true;
  Heard();
  if (listing_) return OnListEvent(std::move(event));
  std::string version = ResourceVersionOf(event.object);
  std::optional<Change> change;
  switch (event.type) {
    case WatchEvent::Type::kAdded:
    case WatchEvent::Type::kModified:
      change = store_.Upsert(std::move(event.object));
      break;
    case WatchEvent::Type::kDeleted:
      change = store_.Erase(event.object);
      break;
    case WatchEvent::Type::kBookmark:
      store_.SawVersion(version);
      break;
    case WatchEvent::Type::kError:
      return;
  }
  if (!version.empty()) version_ = version;
  if (!change) return;
  stats_.With([](ReflectorStats& stats) { ++stats.events; });
  on_change_(*change, /*resync=*/false);
}

void Reflector::Heard() {
  stats_.With([](ReflectorStats& stats) {
    stats.last_error.clear();
    stats.failing_since_ms = 0;
    stats.denied = false;
  });
}

bool Reflector::Failed(const base::Error& error) {
  bool is_new = stats_.With([&](ReflectorStats& stats) {
    bool differs = stats.last_error != error.message;
    stats.last_error = error.message;
    stats.denied = error.code == base::Code::kDenied;
    if (stats.failing_since_ms == 0) stats.failing_since_ms = clock_.NowMs();
    return differs;
  });
  if (is_new) {
    base::LogWarn("watching failed",
                  {{"resource", options_.resource.plural}, {"error", error.message}});
  }
  return false;
}

}  // namespace kube
