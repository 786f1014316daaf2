// The background thread that requests vectors of rows from the remote model.
#pragma once

#include <stop_token>
#include <thread>

#include "memory/store/engine.h"

namespace memory {

class RemoteRounds {
 public:
  explicit RemoteRounds(Engine& engine);  // which outlives this
  ~RemoteRounds();                        // aborts an active request

 private:
  void Loop(const std::stop_token& stop);
  Engine& engine_;
  std::jthread thread_;
};

}  // namespace memory
