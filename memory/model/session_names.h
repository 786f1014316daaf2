// Names of sessions that stand beside one of the same name.
#pragma once

#include <string>

#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"

namespace memory {

// For rows of `project` that belong into the session `wanted`, which is another project's.
inline std::string OtherSessionName(const char* prefix, const std::string& project,
                                    const std::string& wanted) {
  return prefix + base::Sha256Hex(base::FoldCase(project) + "\n" + wanted).substr(0, 32);
}

}  // namespace memory
