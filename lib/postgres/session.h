// What a connection and its transactions begin with, and their limits.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/process/clock.h"

namespace postgres {

using Settings = std::vector<std::pair<std::string, std::string>>;

// What each transaction begins with, sent together with its first statement.
struct Scope {
  bool writing = true;     // READ COMMITTED; false: REPEATABLE READ READ ONLY
  Settings settings = {};  // for the transaction only, and for a statement outside of one
  // A statement after them in each transaction, as that which locks the tenant's row; "" none. Its
  // values are texts.
  std::string lock = "";
  std::vector<std::string> lock_values = {};
  int64_t commit_ms = 0;  // for COMMIT, instead of that of the options; 0: that
};

struct DatabaseOptions {
  Settings session = {};               // of the session, as search_path
  int64_t connect_ms = 500;            // for a host
  int64_t most_wait_ms = 60'000;       // for a statement without a closer limit
  int64_t commit_ms = 10'000;          // for COMMIT, which nothing else ends
  int64_t cancel_ms = 300;             // to end a statement; a server that does not is given up
  const base::Clock* clock = nullptr;  // for limits; null: the system's
};

}  // namespace postgres
