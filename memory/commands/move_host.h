// The host of export and import: the program's settings, and a data directory that no server uses.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "lib/base/process/clock.h"
#include "lib/base/process/config.h"
#include "memory/store/store.h"

namespace memory {

// A store whose directory this process has locked; the destructor closes it.
class OpenMemory {
 public:
  virtual ~OpenMemory() = default;
  virtual Store& store() = 0;
};

struct MoveHost {
  const base::Program& server;  // its settings apply to the commands too
  // `make`: creates a missing directory and tenant, else kNotFound. kConflict: another process has
  // locked the directory.
  std::function<base::Result<std::unique_ptr<OpenMemory>>(const base::Settings& settings,
                                                          const std::string& tenant, bool make)>
      open;
  const base::Clock& clock;
  std::function<bool()> interrupted;  // true: the command ends and removes a partial target
};

}  // namespace memory
