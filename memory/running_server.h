// The memory server as one object: directory, store, API and admin port. main() and tests start it.
#pragma once

#include <memory>
#include <string>

#include "lib/base/clock.h"
#include "memory/server_settings.h"

namespace memory {

class RunningServer {
 public:
  // Takes the directory, opens the store, listens. Errors say what to do. `clock` outlives the
  // server.
  static base::Result<std::unique_ptr<RunningServer>> Start(const ServerSettings& settings,
                                                            const base::Clock& clock);
  ~RunningServer();  // Stop()
  std::string api_address() const;
  std::string admin_address() const;
  Store& store();
  // Lets running requests end, commits what waits, closes the files.
  void Stop();

 private:
  struct Parts;
  explicit RunningServer(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace memory
