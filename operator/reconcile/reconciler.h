// The interface of a kind's reconciler: its watches, and the reconcile of one object. A new kind is
// a subclass and a line in controller.cc.
#pragma once

#include <string>
#include <vector>

#include "lib/kube/controller/controller_loop.h"

namespace controller {

// A change in `cache` enqueues the keys that `keys` makes of it.
struct Watched {
  const kube::ObjectStore& cache;
  kube::MapToKeys keys;
};

class Reconciler {
 public:
  virtual ~Reconciler() = default;
  virtual std::string Name() const = 0;  // of its queue, in metrics: the kind in lower case
  // Called once, before all other functions.
  virtual std::vector<Watched> Watches() = 0;
  // Reconciles the object at `key`, which may no longer exist. Runs on the threads of its queue,
  // never twice at once for a key; begins no API call after `stop`.
  virtual base::Result<kube::When> Reconcile(const kube::ObjectKey& key, std::stop_token stop) = 0;

  void UseQueue(kube::WorkQueue& queue) { queue_ = &queue; }  // before the first Reconcile

 protected:
  void Enqueue(const kube::ObjectKey& key) { queue_->Add(key); }

 private:
  kube::WorkQueue* queue_ = nullptr;
};

}  // namespace controller
