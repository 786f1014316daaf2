// Lines for --log-level debug: one a request or decision, with ids and counts, never content. What
// they say is only put together when it is written.
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
