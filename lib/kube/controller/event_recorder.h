// Records Events (events.k8s.io/v1) about objects without blocking the caller: a thread of its own
// writes them from a bounded queue.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "lib/kube/client/kube_client.h"
#include "lib/kube/controller/event_limiter.h"

namespace kube {

class EventRecorder {
 public:
  // `controller`: reportingController, such as "agents.agentops.io/operator"; `instance`:
  // reportingInstance, of this process.
  EventRecorder(KubeClient& client, std::string controller, std::string instance,
                const base::Clock& clock = base::SystemClock());
  ~EventRecorder();  // Stop()
  void Stop();       // writes queued Events for at most 2 s; drops later ones

  // `regarding`: the whole object or at least apiVersion, kind and metadata; `action`: such as
  // "Reconcile". A full queue drops the Event; cuts `note` to 960 bytes. Any thread.
  void Normal(const Json& regarding, std::string reason, std::string action, std::string note);
  void Warning(const Json& regarding, std::string reason, std::string action, std::string note);
  int64_t dropped() const;

 private:
  struct Item {
    Json regarding;
    EventFacts facts;
    std::string action;
  };
  void Push(const Json& regarding, std::string type, std::string reason, std::string action,
            std::string note);
  void Run(std::stop_token stop);
  void Write(const Item& item);
  Json Body(const Item& item, const EventLimiter::Decision& decision, const ObjectKey& key) const;

  KubeClient& client_;
  const std::string controller_, instance_;
  const base::Clock& clock_;
  EventLimiter limiter_;  // only of thread_
  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<Item> queue_;
  int64_t dropped_ = 0;
  bool stopped_ = false;
  std::jthread thread_;
};

}  // namespace kube
