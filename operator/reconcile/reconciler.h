// One kind's part of the operator: which changes bring which of its objects back, and what is done
// for one of them. A new kind is a subclass and a line in controller.cc.
#pragma once

#include <string>
#include <vector>

#include "lib/kube/controller/controller_loop.h"

namespace controller {

// A change in `cache` brings `keys` of it to the reconciler's queue.
struct Watched {
  const kube::ObjectStore& cache;
  kube::MapToKeys keys;
};

class Reconciler {
 public:
  virtual ~Reconciler() = default;
  virtual std::string Name() const = 0;  // of its queue, in metrics: the kind in lower case
  // Called once, before anything else.
  virtual std::vector<Watched> Watches() = 0;
  // Makes the object at `key`, which may be gone, what it should be. On the threads of its queue,
  // never twice at once for a key; no call is begun after `stop`.
  virtual base::Result<kube::When> Reconcile(const kube::ObjectKey& key, std::stop_token stop) = 0;

  void UseQueue(kube::WorkQueue& queue) { queue_ = &queue; }  // before the first Reconcile

 protected:
  void Enqueue(const kube::ObjectKey& key) { queue_->Add(key); }

 private:
  kube::WorkQueue* queue_ = nullptr;
};

}  // namespace controller
