// Writes Events from a queue; the next write of a series counts those that the limiter dropped.
#include "lib/kube/controller/event_recorder.h"

#include <chrono>
#include <utility>

#include "lib/base/process/log.h"
#include "lib/base/process/random.h"
#include "lib/base/text/text.h"

namespace kube {

namespace {

constexpr size_t kMaxQueue = 1000;
constexpr size_t kMaxNoteBytes = 1024;
constexpr int64_t kFlushTimeoutMs = 2'000;

std::string CutToBytes(std::string text, size_t bytes) {
  if (text.size() > bytes) text.resize(base::BorderBefore(text, bytes));
  return text;
}

Json ReferenceTo(const Json& object) {
  ObjectKey key = KeyOf(object);
  Json reference = {{"apiVersion", base::StringAt(object, {"apiVersion"})},
                    {"kind", base::StringAt(object, {"kind"})},
                    {"name", key.name}};
  if (!key.name_space.empty()) reference["namespace"] = key.name_space;
  if (!UidOf(object).empty()) reference["uid"] = UidOf(object);
  return reference;
}

}  // namespace

EventRecorder::EventRecorder(KubeClient& client, std::string controller, std::string instance,
                             const base::Clock& clock)
    : client_(client),
      controller_(std::move(controller)),
      instance_(CutToBytes(std::move(instance), 128)),
      clock_(clock),
      thread_([this](std::stop_token stop) { Run(std::move(stop)); }) {}

EventRecorder::~EventRecorder() { Stop(); }

void EventRecorder::Stop() {
  {
    std::lock_guard lock(mutex_);
    if (std::exchange(stopped_, true)) return;
  }
  thread_.request_stop();
  thread_.join();
}

void EventRecorder::Normal(const Json& regarding, std::string reason, std::string action,
                           std::string note) {
  Push(regarding, "Normal", std::move(reason), std::move(action), std::move(note));
}

void EventRecorder::Warning(const Json& regarding, std::string reason, std::string action,
                            std::string note) {
  Push(regarding, "Warning", std::move(reason), std::move(action), std::move(note));
}

int64_t EventRecorder::dropped() const {
  std::lock_guard lock(mutex_);
  return dropped_;
}

void EventRecorder::Push(const Json& regarding, std::string type, std::string reason,
                         std::string action, std::string note) {
  Item item{ReferenceTo(regarding), {}, CutToBytes(std::move(action), 128)};
  std::string uid = UidOf(regarding);
  item.facts = {uid.empty() ? base::DumpJson(item.regarding) : uid, std::move(type),
                CutToBytes(std::move(reason), 128),
                CutToBytes(std::move(note), kMaxNoteBytes - 64)};
  {
    std::lock_guard lock(mutex_);
    if (stopped_ || queue_.size() >= kMaxQueue) {
      ++dropped_;
      return;
    }
    queue_.push_back(std::move(item));
  }
  wake_.notify_one();
}

void EventRecorder::Run(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  int64_t give_up_ms = INT64_MAX;
  for (;;) {
    wake_.wait(lock, stop, [this] { return !queue_.empty(); });
    if (stop.stop_requested() && give_up_ms == INT64_MAX) {
      give_up_ms = clock_.MonotonicMs() + kFlushTimeoutMs;
    }
    if (queue_.empty() || clock_.MonotonicMs() >= give_up_ms) return;
    Item item = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    Write(item);
    lock.lock();
  }
}

Json EventRecorder::Body(const Item& item, const EventLimiter::Decision& decision,
                         const ObjectKey& key) const {
  std::string now = MicroTime(clock_.NowMs());
  Json body = {{"apiVersion", Events().ApiVersion()},
               {"kind", Events().kind},
               {"metadata", {{"name", key.name}, {"namespace", key.name_space}}},
               {"eventTime", now},
               {"reportingController", controller_},
               {"reportingInstance", instance_},
               {"action", item.action},
               {"reason", item.facts.reason},
               {"regarding", item.regarding},
               {"note", decision.note},
               {"type", item.facts.type}};
  if (decision.count > 1) body["series"] = {{"count", decision.count}, {"lastObservedTime", now}};
  return body;
}

void EventRecorder::Write(const Item& item) {
  EventLimiter::Decision decision = limiter_.Decide(item.facts, clock_.NowMs());
  if (decision.act == EventLimiter::Decision::Act::kDrop) return;
  const std::string name_space = base::StringAt(item.regarding, {"namespace"}, "default");
  if (decision.act == EventLimiter::Decision::Act::kCount) {
    Json patch = {
        {"series", {{"count", decision.count}, {"lastObservedTime", MicroTime(clock_.NowMs())}}}};
    auto patched = client_.MergePatch(Events(), {name_space, decision.event}, patch);
    // kNotFound: the server's TTL (an hour) has deleted the Event; create it again.
    if (patched || patched.error().code != base::Code::kNotFound) return;
  }
  // Names have at most 253 characters, the Event's, too.
  std::string stem = base::StringAt(item.regarding, {"name"}).substr(0, 230);
  ObjectKey key{name_space, stem + "." + base::RandomHex(8)};
  auto created = client_.Create(Events(), Body(item, decision, key));
  if (created) return limiter_.Made(item.facts, decision, key.name);
  base::LogWarn("event not written",
                {{"reason", item.facts.reason}, {"error", created.error().message}});
}

}  // namespace kube
