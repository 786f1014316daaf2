// A token bucket per object, a count per Event, and one combined Event for many similar ones.
#include "lib/kube/controller/event_limiter.h"

#include <algorithm>
#include <utility>

namespace kube {

namespace {

constexpr double kBurst = 25;
constexpr int64_t kRefillMs = 300'000;
constexpr size_t kSimilar = 10;
constexpr int64_t kSimilarMs = 600'000;
constexpr size_t kMaxSeries = 64;
constexpr int64_t kLookMs = 60'000;

double Refilled(double tokens, int64_t refilled_ms, int64_t now_ms) {
  const double more = static_cast<double>(now_ms - refilled_ms) / kRefillMs;
  return std::min(kBurst, tokens + std::max(0.0, more));
}

}  // namespace

bool EventLimiter::TakeToken(Object* object, int64_t now_ms) {
  object->tokens = Refilled(object->tokens, object->refilled_ms, now_ms);
  object->refilled_ms = now_ms;
  if (object->tokens < 1) return false;
  object->tokens -= 1;
  return true;
}

// The series of an occurrence: of its own note, or the combined one of its type and reason.
std::string EventLimiter::SeriesOf(Object* object, const EventFacts& facts, int64_t now_ms) {
  std::string kind = facts.type + "/" + facts.reason;
  auto& notes = object->groups[kind].notes;
  std::erase_if(notes, [&](const auto& note) { return now_ms - note.second > kSimilarMs; });
  if (notes.contains(facts.note) || notes.size() < kSimilar) {
    notes[facts.note] = now_ms;
    return kind + "/" + facts.note;
  }
  for (auto& [note, last_ms] : notes) last_ms = now_ms;  // stays combined while more occur
  return kind;
}

EventLimiter::Decision EventLimiter::Decide(const EventFacts& facts, int64_t now_ms) {
  ForgetSilent(now_ms);
  auto [at, fresh] = objects_.try_emplace(facts.object);
  Object& object = at->second;
  if (fresh) object.refilled_ms = now_ms;
  object.last_ms = now_ms;
  std::string name = SeriesOf(&object, facts, now_ms);
  if (object.series.size() >= kMaxSeries && !object.series.contains(name)) {
    auto oldest = std::min_element(
        object.series.begin(), object.series.end(),
        [](const auto& a, const auto& b) { return a.second.last_ms < b.second.last_ms; });
    object.series.erase(oldest);
  }
  Series& series = object.series[name];
  ++series.count;
  series.last_ms = now_ms;
  Decision decision;
  decision.series = name;
  decision.event = series.event;
  decision.count = series.count;
  bool combined = name == facts.type + "/" + facts.reason;
  decision.note = combined ? "(combined from similar events): " + facts.note : facts.note;
  if (TakeToken(&object, now_ms)) {
    decision.act = series.event.empty() ? Decision::Act::kCreate : Decision::Act::kCount;
  }
  if (fresh) ForgetOldest();
  return decision;
}

void EventLimiter::Made(const EventFacts& facts, const Decision& decision, std::string event) {
  const auto object = objects_.find(facts.object);
  if (object == objects_.end()) return;
  const auto series = object->second.series.find(decision.series);
  if (series != object->second.series.end()) series->second.event = std::move(event);
}

void EventLimiter::ForgetSilent(int64_t now_ms) {
  if (now_ms - looked_ms_ < kLookMs) return;
  looked_ms_ = now_ms;
  std::erase_if(objects_, [&](const auto& named) {
    const Object& object = named.second;
    return now_ms - object.last_ms > kSimilarMs &&
           Refilled(object.tokens, object.refilled_ms, now_ms) >= kBurst;
  });
}

void EventLimiter::ForgetOldest() {
  if (objects_.size() <= max_objects_) return;
  auto oldest = std::min_element(
      objects_.begin(), objects_.end(),
      [](const auto& a, const auto& b) { return a.second.last_ms < b.second.last_ms; });
  objects_.erase(oldest);
}

}  // namespace kube
