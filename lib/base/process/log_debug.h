// Lines for --log-level debug: one per request or decision, with ids and counts, never content.
// Fields are built only if the line is written.
#pragma once

#include <string_view>

#include "lib/base/process/log.h"

namespace base {

// `fields` returns the Json of the line.
template <class Fields>
void LogDebug(std::string_view message, const Fields& fields) {
  if (DebugIsLogged()) Log(Level::kDebug, message, fields());
}

}  // namespace base
