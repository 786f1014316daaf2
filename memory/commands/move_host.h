// What export and import get from the program: its settings, and a memory that no server uses.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "lib/base/process/clock.h"
#include "lib/base/process/config.h"
#include "memory/store/store.h"

namespace memory {

// A store whose directory no other process has; closed when destroyed.
class OpenMemory {
 public:
  virtual ~OpenMemory() = default;
  virtual Store& store() = 0;
};

struct MoveHost {
  const base::Program& server;  // its settings are the command's, too
  // `make`: the directory and the tenant are made when they are not there, else kNotFound.
  // kConflict: another process has the directory.
  std::function<base::Result<std::unique_ptr<OpenMemory>>(const base::Settings& settings,
                                                          const std::string& tenant, bool make)>
      open;
  const base::Clock& clock;
  std::function<bool()> interrupted;  // true: the command ends, and leaves no half of a target
};

}  // namespace memory
