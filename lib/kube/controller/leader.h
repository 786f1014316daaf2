// Keeps one replica of several in charge: a thread that takes, renews and gives up a Lease. A loss
// ends nothing here: the replica stands again, in the same process.
#pragma once

#include <functional>
#include <string>
#include <thread>

#include "lib/kube/controller/lease.h"

namespace kube {

class Leader {
 public:
  // `lease` must outlive this. `on_change` is called on the thread, with true when this replica
  // begins to lead and false when it no longer does; it must not block, for nobody renews
  // meanwhile. `may_stand` (may be null: always) is asked before each try: while it is false the
  // Lease is neither taken nor renewed, and what is held ends by itself, since writes of this
  // replica may still be under way.
  Leader(Lease& lease, std::function<void(bool leads)> on_change,
         std::function<bool()> may_stand = {});
  ~Leader();  // Stop()

  void Start();
  // No more tries; what is held is given up, so that another takes over at once. After the last
  // write.
  void Stop();

 private:
  void Run(std::stop_token stop);
  void Tell(const base::Status& tried);

  Lease& lease_;
  const std::function<void(bool)> on_change_;
  const std::function<bool()> may_stand_;
  bool leads_ = false;      // the thread's own
  std::string last_error_;  // the thread's own: each is logged once
  std::jthread thread_;
};

}  // namespace kube
