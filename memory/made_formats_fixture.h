// The formats of exports that the engine of a test's server makes. Test code.
#pragma once

#include <string>
#include <vector>

#include "memory/chosen_store_fixture.h"

namespace memory {

// Those of `formats`.
inline std::vector<std::string> Made(std::vector<std::string> formats) {
  if (ChosenStore::OnPostgres()) std::erase(formats, "sqlite");
  return formats;
}

}  // namespace memory
