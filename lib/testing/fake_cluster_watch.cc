// Watches of the fake API server: each runs on its caller's thread and reads the common history.
#include <algorithm>

#include "lib/testing/fake_cluster.h"
#include "lib/testing/fake_cluster_select.h"

namespace testing {

namespace {

std::string EventLine(const char* type, const Json& object) {
  return base::DumpJson({{"type", type}, {"object", object}}) + "\n";
}

std::string BookmarkLine(int64_t version, const Json& annotations = Json::object()) {
  return EventLine(
      "BOOKMARK",
      {{"metadata", {{"resourceVersion", std::to_string(version)}, {"annotations", annotations}}}});
}

bool BeginsWithList(const Call& call) { return QueryOf(call, "sendInitialEvents") == "true"; }

std::string ExpiredLine() {
  return EventLine("ERROR", Failure(410, "Expired", "too old resource version"));
}

}  // namespace

void FakeCluster::AddEvent(const Target& target, const char* type, const Json& object,
                           const Json& before) {
  history_.push_back({version_, target.collection, type, object, before});
  if (repeat_) history_.push_back(history_.back());
  changed_.notify_all();
}

// The event for this watch: ADDED or DELETED for an object that begins or stops to match the
// selector.
std::optional<std::string> FakeCluster::LineOf(const Event& event, const Call& call,
                                               const Target& target) const {
  if (event.collection != target.collection) return std::nullopt;
  bool now = event.type != "DELETED" && Matches(event.object, call, target.key.name_space);
  bool before = !event.before.is_null() && Matches(event.before, call, target.key.name_space);
  if (!now && !before) return std::nullopt;
  return EventLine(!now ? "DELETED" : !before ? "ADDED" : "MODIFIED", event.object);
}

std::deque<std::string> FakeCluster::FirstLines(const Call& call, const Target& target,
                                                int64_t* version) const {
  std::string from = QueryOf(call, "resourceVersion");
  std::deque<std::string> lines;
  if (!from.empty() && from != "0") {
    *version = std::stoll(from);
    return lines;
  }
  *version = version_;
  for (const auto& [key, stored] : objects_) {
    bool here =
        key.first == target.collection && Matches(stored.object, call, target.key.name_space);
    if (here) lines.push_back(EventLine("ADDED", stored.object));
  }
  return lines;
}

// The next line to send; nullopt: `stop`, or the Watching is broken or closed.
std::optional<std::string> FakeCluster::NextLine(Lock& lock, std::stop_token stop, size_t stream,
                                                 const Call& call, const Target& target,
                                                 int64_t* version,
                                                 std::deque<std::string>* pending) {
  for (;;) {
    Watching& watching = streams_[stream];
    if (stop.stop_requested() || watching.broken || watching.closed) return std::nullopt;
    // Compact dropped unsent events: the watch must get a 410.
    if (!hold_ && *version < compacted_) watching.expired = true;
    if (watching.expired) return ExpiredLine();
    // Like a real server, a watch from a future version gets no events.
    auto event = std::ranges::upper_bound(history_, *version, {}, &Event::version);
    for (; !hold_ && event != history_.end(); ++event) {
      auto line = LineOf(*event, call, target);
      if (line) pending->push_back(*std::move(line));
    }
    if (!hold_) *version = std::max(*version, version_);
    if (!pending->empty()) {
      std::string line = std::move(pending->front());
      pending->pop_front();
      return line;
    }
    if (watching.in_list && !hold_) {
      watching.in_list = false;
      return BookmarkLine(*version, {{"k8s.io/initial-events-end", "true"}});
    }
    if (watching.bookmark && QueryOf(call, "allowWatchBookmarks") == "true") {
      watching.bookmark = false;
      return BookmarkLine(*version);
    }
    changed_.wait(lock, stop, [&] {
      const Watching& now = streams_[stream];
      return now.broken || now.closed || now.expired || now.bookmark ||
             (!hold_ && (now.in_list || version_ > *version));
    });
  }
}

base::Status FakeCluster::StreamCall(Call call, std::stop_token stop,
                                     const http::StreamReader& reader) {
  Lock lock(mutex_);
  auto target = Parse(call.path);
  auto fault = TakeFault(call);
  const bool unknown = BeginsWithList(call) && !stream_lists_;
  call.status = fault ? fault->status : !target ? 404 : unknown ? 422 : 200;
  calls_.push_back(call);
  changed_.notify_all();
  if (call.status == 0)
    return base::Error{base::Code::kUnavailable, "connection broken (injected)"};
  if (call.status != 200) {
    lock.unlock();
    http::Response head = http::EmptyResponse(call.status);
    if (fault && fault->retry_after_s > 0) {
      head.headers.Set("Retry-After", std::to_string(fault->retry_after_s));
    }
    if (reader.on_head(head))
      reader.on_bytes(base::DumpJson(Failure(call.status, "Injected", "refused")));
    return {};
  }
  int64_t version = 0;
  std::deque<std::string> pending = FirstLines(call, *target, &version);
  size_t stream = next_stream_++, piece = piece_bytes_;
  streams_[stream].in_list = BeginsWithList(call);
  lock.unlock();
  bool go_on = reader.on_head(http::EmptyResponse(200));
  lock.lock();
  while (go_on) {
    auto line = NextLine(lock, stop, stream, call, *target, &version, &pending);
    if (!line) break;
    lock.unlock();
    size_t step = piece ? piece : line->size();
    for (size_t at = 0; go_on && at < line->size(); at += step) {
      go_on = reader.on_bytes(std::string_view(*line).substr(at, step));
    }
    lock.lock();
    if (streams_[stream].expired) break;
  }
  auto broken = streams_[stream].broken;
  streams_.erase(stream);
  if (broken) return base::Error{*broken, "the stream was broken (injected)"};
  return {};
}

}  // namespace testing
