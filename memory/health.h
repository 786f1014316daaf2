// Whether the server would keep a write now, and the admin port's routes.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "lib/base/clock.h"
#include "lib/http/router.h"
#include "memory/store.h"

namespace memory {

class HealthProbe {
 public:
  HealthProbe(Store& store, const base::Clock& clock, std::string directory,
              int64_t min_free_bytes);
  // Ok: a write was just committed and there is space for more. Asked again at most once a second,
  // since each look costs a sync. Any thread.
  base::Status Ready();

 private:
  base::Status Look() const;
  Store& store_;
  const base::Clock& clock_;
  const std::string directory_;
  const int64_t min_free_bytes_;
  std::mutex mutex_;
  int64_t looked_ms_ = -1;
  base::Status last_;
};

// /livez, /readyz. `probe` outlives the server.
std::vector<http::Route> AdminRoutes(HealthProbe& probe);

}  // namespace memory
