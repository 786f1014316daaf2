// Connects reflectors to queues, and starts the workers when all caches are synced.
#include "lib/kube/controller/controller_loop.h"

#include <algorithm>

namespace kube {

std::vector<ObjectKey> ToSelf(const Change& change) { return {change.key}; }

MapToKeys ToOwner(std::string kind) {
  return [kind = std::move(kind)](const Change& change) -> std::vector<ObjectKey> {
    Owner owner = ControllerOf(change.object);
    if (owner.kind != kind) return {};
    return {{change.key.name_space, owner.name}};
  };
}

MapToKeys ToLabel(std::string label) {
  return [label = std::move(label)](const Change& change) -> std::vector<ObjectKey> {
    std::string name = LabelOf(change.object, label);
    if (name.empty()) return {};
    return {{change.key.name_space, name}};
  };
}

ControllerLoop::ControllerLoop(KubeClient& client, const base::Clock& clock)
    : client_(client), clock_(clock) {}

ControllerLoop::~ControllerLoop() { Stop(); }

WorkQueue& ControllerLoop::AddQueue(WorkQueue::Work reconcile, WorkQueue::Options options) {
  queues_.push_back(std::make_unique<WorkQueue>(std::move(reconcile), std::move(options), clock_));
  return *queues_.back();
}

ObjectStore& ControllerLoop::AddCache(CachePlan plan) {
  auto source = std::make_unique<Source>();
  source->store = std::make_unique<ObjectStore>(std::move(plan.prune), std::move(plan.label));
  if (plan.name_spaces.empty()) plan.name_spaces = {plan.reflect.selection.name_space};
  auto on_change = [&routes = source->routes](const Change& change, bool resync) {
    for (const Route& route : routes)
      for (const ObjectKey& key : route.map(change))
        route.queue->Add(key, resync ? Priority::kResync : Priority::kEdit);
  };
  for (const std::string& name_space : plan.name_spaces) {
    plan.reflect.selection.name_space = name_space;
    source->reflectors.push_back(std::make_unique<Reflector>(
        client_, *source->store, plan.reflect, on_change, [this] { StartWorkersOnceSynced(); },
        clock_));
  }
  source->may_be_denied = plan.may_be_denied;
  sources_.push_back(std::move(source));
  return *sources_.back()->store;
}

void ControllerLoop::Watch(const ObjectStore& cache, WorkQueue& queue, MapToKeys map) {
  for (auto& source : sources_) {
    if (source->store.get() != &cache) continue;
    source->routes.push_back({&queue, std::move(map)});
    return;
  }
}

void ControllerLoop::Start() {
  for (auto& source : sources_)
    for (auto& reflector : source->reflectors) reflector->Start();
}

void ControllerLoop::Pause() {
  for (auto& queue : queues_) queue->Pause();
}

void ControllerLoop::Resume() {
  for (auto& queue : queues_) queue->Resume();
}

void ControllerLoop::StartWorkersOnceSynced() {
  std::lock_guard lock(mutex_);
  if (working_ || stopped_ || !synced()) return;
  working_ = true;
  for (auto& queue : queues_) queue->Start();
}

void ControllerLoop::Stop(int64_t grace_ms) {
  {
    std::lock_guard lock(mutex_);
    if (std::exchange(stopped_, true)) return;
  }
  // Queues stop before watches, so that a reconcile that waits for its own write still sees it.
  const int64_t end_ms = clock_.MonotonicMs() + grace_ms;
  for (auto& queue : queues_) queue->TakeNoMore();
  for (auto& queue : queues_) queue->Stop(std::max<int64_t>(0, end_ms - clock_.MonotonicMs()));
  for (auto& source : sources_)
    for (auto& reflector : source->reflectors) reflector->Stop();
}

bool ControllerLoop::synced() const {
  return std::all_of(sources_.begin(), sources_.end(), [](const auto& source) {
    return std::all_of(
        source->reflectors.begin(), source->reflectors.end(), [&](const auto& reflector) {
          return reflector->synced() || (source->may_be_denied && reflector->stats().denied);
        });
  });
}

std::vector<ReflectorStats> ControllerLoop::Needed() const {
  std::vector<ReflectorStats> needed;
  for (const auto& source : sources_)
    for (const auto& reflector : source->reflectors)
      if (ReflectorStats stats = reflector->stats(); !source->may_be_denied || !stats.denied)
        needed.push_back(std::move(stats));
  return needed;
}

QueueStats ControllerLoop::queue_stats() const {
  QueueStats all;
  for (const auto& queue : queues_) {
    const QueueStats stats = queue->stats();
    all.depth += stats.depth;
    all.delayed += stats.delayed;
    all.in_work += stats.in_work;
    all.adds += stats.adds;
    all.done += stats.done;
    all.failed += stats.failed;
    all.retries += stats.retries;
    all.exceptions += stats.exceptions;
    all.longest_running_s = std::max(all.longest_running_s, stats.longest_running_s);
    all.unfinished_s += stats.unfinished_s;
  }
  return all;
}

std::vector<std::pair<std::string, ReflectorStats>> ControllerLoop::reflector_stats() const {
  std::vector<std::pair<std::string, ReflectorStats>> all;
  for (const auto& source : sources_) {
    for (const auto& reflector : source->reflectors) {
      all.emplace_back(reflector->options().resource.plural, reflector->stats());
    }
  }
  return all;
}

std::map<std::string, ControllerLoop::CacheStats> ControllerLoop::cache_stats() const {
  std::map<std::string, CacheStats> all;
  for (const auto& source : sources_) {
    CacheStats& cache = all[source->reflectors.front()->options().resource.plural];
    cache.objects += source->store->objects();
    cache.bytes += source->store->bytes();
  }
  return all;
}

int64_t ControllerLoop::FailingMs() const {
  int64_t now_ms = clock_.NowMs(), longest_ms = 0;
  for (const ReflectorStats& stats : Needed()) {
    if (stats.failing_since_ms > 0)
      longest_ms = std::max(longest_ms, now_ms - stats.failing_since_ms);
  }
  return longest_ms;
}

}  // namespace kube
