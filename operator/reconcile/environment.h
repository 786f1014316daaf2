// The shared parts of all reconcilers: client, caches, Events, clock, settings, and the end of a
// reconcile. Each reconciler has its own state.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/process/clock.h"
#include "lib/kube/controller/event_recorder.h"
#include "operator/plan/settings.h"
#include "operator/reconcile/caches.h"
#include "operator/reconcile/event_reader.h"
#include "operator/reconcile/execute.h"

namespace controller {

using StoresByKind = std::map<std::string, const kube::ObjectStore*>;

struct EnvironmentOptions {
  Settings settings;
  std::string agent_class;               // of the served Agents, see IsOfClass
  std::vector<std::string> name_spaces;  // empty: all
  std::string instance;                  // ID of this process in Events
};

// Any thread, once the loop has started.
class Environment {
 public:
  // All must outlive this.
  Environment(kube::KubeClient& client, kube::ControllerLoop& loop, EnvironmentOptions options,
              const base::Clock& clock);

  kube::KubeClient& client() { return client_; }
  const base::Clock& clock() const { return clock_; }
  const Settings& settings() const { return options_.settings; }
  const std::string& agent_class() const { return options_.agent_class; }
  bool sees_all_namespaces() const { return options_.name_spaces.empty(); }
  const std::string& started() const { return started_; }  // start time, like creationTimestamp
  Caches& caches() { return caches_; }
  kube::EventRecorder& events() { return events_; }
  EventReader& event_reader() { return event_reader_; }
  bool synced() const { return loop_.synced(); }  // the first lists are in the caches

  // Reads the object from the API server; nullopt: it does not exist.
  base::Result<std::optional<base::Json>> Read(const kube::Resource& kind,
                                               const kube::ObjectKey& key,
                                               const std::stop_token& stop);
  // Ends a reconcile after the execution of `plan`: emits its Events if the status was written,
  // waits until `stores` have the own writes, at most 10 s, and logs and returns the first error.
  base::Status Conclude(const base::Json& object, const Plan& plan, const Outcome& outcome,
                        const StoresByKind& stores, const std::stop_token& stop);

 private:
  void EmitEvents(const base::Json& object, const Plan& plan);
  void AwaitOwnWrites(const Outcome& outcome, const StoresByKind& stores,
                      const std::stop_token& stop) const;

  kube::KubeClient& client_;
  kube::ControllerLoop& loop_;
  const EnvironmentOptions options_;
  const base::Clock& clock_;
  const std::string started_;
  Caches caches_;
  kube::EventRecorder events_;
  EventReader event_reader_;
};

}  // namespace controller
