// The rounds of an engine over its open stores, the same over files and over a server.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "memory/sqlite/engine/open_stores.h"

namespace memory {

class SqlEngine : public Engine {
 public:
  bool Sweep(const std::stop_token& stop,
             const std::function<void(const base::Result<Swept>&)>& on_swept) override;
  void Tidy() override;
  bool FillRemoteVectors(const std::stop_token& stop) override;
  std::shared_ptr<Store> NextOpen(std::string& name) override;

 protected:
  explicit SqlEngine(std::shared_ptr<RemoteEmbedder> remote) : remote_(std::move(remote)) {}
  void Use(OpenStores& stores) { stores_ = &stores; }  // before any other call; outlives it
  void ReadFigures(EngineFigures& figures) const;      // of the open stores

 private:
  const std::shared_ptr<RemoteEmbedder> remote_;
  std::chrono::steady_clock::time_point remote_from_;  // used by the thread of remote vectors
  OpenStores* stores_ = nullptr;
};

}  // namespace memory
