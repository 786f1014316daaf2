// Registers the reconcilers, and starts and stops their caches and queues.
#include "operator/controller.h"

#include <algorithm>

#include "operator/names/kinds.h"

namespace controller {
namespace {

constexpr int64_t kLongestFailureMs = 30'000, kLongestUnreadyMs = 60'000;
constexpr int kFewWorkers = 2;  // for kinds with few objects, or little work for each

}  // namespace

Controller::Controller(kube::KubeClient& client, const ControllerOptions& options,
                       const base::Clock& clock)
    : loop_(client, clock),
      environment_(client, loop_,
                   {options.settings, options.agent_class, options.name_spaces, options.instance},
                   clock),
      agents_(environment_.caches().Of(CachedAgents())) {
  const int few = std::min(kFewWorkers, options.workers);
  Add(std::make_unique<AgentReconciler>(environment_, options.agents), options.workers, options);
  Add(std::make_unique<RunReconciler>(environment_), few, options);
  Add(std::make_unique<MemoryServerReconciler>(environment_, options.probe_server), few, options);
  if (options.settings.foreign_pods.Served())
    Add(std::make_unique<ForeignPodReconciler>(environment_, options.foreign_pods), few, options);
}

Controller::~Controller() { Stop(0); }

void Controller::Add(std::unique_ptr<Reconciler> reconciler, int workers,
                     const ControllerOptions& options) {
  kube::WorkQueue::Options queue_options;
  queue_options.workers = workers;
  queue_options.paused = options.standby;
  if (options.on_done)
    queue_options.on_done = [name = reconciler->Name(), on_done = options.on_done](
                                const char* result, double seconds) {
      on_done(name, result, seconds);
    };
  if (options.on_taken)
    queue_options.on_taken = [name = reconciler->Name(), on_taken = options.on_taken](
                                 double seconds) { on_taken(name, seconds); };
  kube::WorkQueue& queue = loop_.AddQueue(
      [target = reconciler.get()](const kube::ObjectKey& key, std::stop_token stop) {
        return target->Reconcile(key, std::move(stop));
      },
      std::move(queue_options));
  reconciler->UseQueue(queue);
  for (Watched& watched : reconciler->Watches())
    loop_.Watch(watched.cache, queue, std::move(watched.keys));
  entries_.push_back({std::move(reconciler), workers, &queue});
}

void Controller::Start() { loop_.Start(); }
void Controller::Stop(int64_t grace_ms) {
  loop_.Stop(grace_ms);
  environment_.events().Stop();
}
void Controller::Lead(bool leads) { leads ? loop_.Resume() : loop_.Pause(); }

base::Status Controller::Ready() const {
  if (!loop_.synced())
    return base::Error{base::Code::kUnavailable, "the first lists are not read yet"};
  if (loop_.FailingMs() > kLongestFailureMs)
    return base::Error{base::Code::kUnavailable, "the API server does not answer"};
  return {};
}

bool Controller::MayLead() const {
  return loop_.synced() && loop_.FailingMs() <= kLongestFailureMs + kLongestUnreadyMs;
}

base::Result<std::optional<base::Json>> Controller::FindAgent(const kube::ObjectKey& key,
                                                              kube::KubeClient& asking) const {
  if (!loop_.synced())
    return base::Error{base::Code::kUnavailable, "the first lists are not read yet"};
  if (auto known = agents_.Get(key)) return known;
  auto found = asking.Get(Agents(), key);
  if (found) return std::optional<base::Json>(*std::move(found));
  if (found.error().code == base::Code::kNotFound) return std::optional<base::Json>();
  return found.error();
}

std::vector<Controller::Queue> Controller::queues() const {
  std::vector<Queue> queues;
  for (const Entry& entry : entries_)
    queues.push_back({entry.reconciler->Name(), entry.workers, entry.queue->stats()});
  return queues;
}

}  // namespace controller
