// Moves one tenant: all of its rows, or nothing. A move that was killed begins anew and leaves
// nothing of the first try; one that is done is recognized.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "lib/base/process/clock.h"
#include "lib/base/result.h"
#include "memory/sqlite/moving/shared_database.h"

namespace memory {

struct MoveOptions {
  std::string directory;  // of the files; this process has its lock
  const base::Clock* clock = nullptr;
  // Rows read, written and compared, of `total`. An error ends the move.
  std::function<base::Status(int64_t done, int64_t total)> on_rows = nullptr;
  // Before each step, by name; an error ends the move as a crash there would.
  std::function<base::Status(const char* step)> at = nullptr;
};

struct MovedTenant {
  bool already = false;  // an earlier call moved it
  int64_t rows = 0;
  std::string sha256;  // of all tables
};

// The file stays as it is. kNotFound: there is none; kConflict: the database has other memories of
// the tenant, or its rows differ from the file's after the copy.
base::Result<MovedTenant> MoveToDatabase(SharedDatabase& database, const std::string& tenant,
                                         const MoveOptions& options);
// The rows of the database stay. kConflict: the directory has other memories of the tenant.
base::Result<MovedTenant> MoveToFile(SharedDatabase& database, const std::string& tenant,
                                     const MoveOptions& options);

}  // namespace memory
