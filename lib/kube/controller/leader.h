// Leader election: a thread that takes, renews and releases a Lease. After a loss the same process
// tries again.
#pragma once

#include <functional>
#include <string>
#include <thread>

#include "lib/kube/controller/lease.h"

namespace kube {

class Leader {
 public:
  // `lease` must outlive this. The thread calls `on_change` with true when this replica begins to
  // lead and false when it stops; `on_change` must not block, since the thread also renews. Before
  // each try the thread calls `may_stand` (null: always true). While `may_stand` returns false the
  // Lease is neither taken nor renewed; a held Lease expires instead of being released, since
  // writes of this replica may still be in flight.
  Leader(Lease& lease, std::function<void(bool leads)> on_change,
         std::function<bool()> may_stand = {});
  ~Leader();  // Stop()

  void Start();
  // Ends the tries and releases a held Lease, so that another replica takes over at once. Call it
  // after the last write.
  void Stop();

 private:
  void Run(std::stop_token stop);
  void Tell(const base::Status& tried);

  Lease& lease_;
  const std::function<void(bool)> on_change_;
  const std::function<bool()> may_stand_;
  bool leads_ = false;      // only of thread_
  std::string last_error_;  // only of thread_: logs a repeated error once
  std::jthread thread_;
};

}  // namespace kube
