// The memory server as one object: directory, stores, identity, API and admin port. main() and
// tests start it.
#pragma once

#include <memory>
#include <string>

#include "lib/base/process/clock.h"
#include "memory/identity/access_reviewer.h"
#include "memory/identity/token_reviewer.h"
#include "memory/server_settings.h"
#include "memory/store/engine.h"

namespace memory {

class RunningServer {
 public:
  // Locks the directory, opens the store, listens. Errors name the remedy. `clock` outlives the
  // server, and so do the reviewers, which replace the cluster's if `tokens` is given.
  static base::Result<std::unique_ptr<RunningServer>> Start(const ServerSettings& settings,
                                                            const base::Clock& clock,
                                                            TokenReviewer* tokens = nullptr,
                                                            AccessReviewer* access = nullptr);
  ~RunningServer();  // Stop()
  std::string api_address() const;
  std::string aegis_address() const;  // empty: none
  std::string admin_address() const;
  Engine& engine();
  // Finishes active requests, commits queued writes, closes the files.
  void Stop();

 private:
  struct Parts;
  static base::Status MakeIdentityCheck(Parts& parts, const base::Clock& clock,
                                        TokenReviewer* tokens, AccessReviewer* access);
  explicit RunningServer(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace memory
