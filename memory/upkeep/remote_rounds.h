// The thread that has the remote model asked for the vectors of rows, in the background.
#pragma once

#include <stop_token>
#include <thread>

#include "memory/store/engine.h"

namespace memory {

class RemoteRounds {
 public:
  explicit RemoteRounds(Engine& engine);  // which outlives this
  ~RemoteRounds();                        // ends a request that is under way

 private:
  void Loop(const std::stop_token& stop);
  Engine& engine_;
  std::jthread thread_;
};

}  // namespace memory
