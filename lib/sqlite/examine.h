// Whether a file can still be used as a database, found out without changing it. What is to be done
// about a damaged one is the caller's decision.
#pragma once

#include <cstdint>
#include <string>

#include "lib/base/result.h"

namespace sqlite {

struct Examination {
  bool damaged = false;
  std::string reason;          // of a damaged one: SQLite's words, no contents
  int64_t schema_version = 0;  // user_version, where it could be read
};

// Looks at every page of the file together with its log (PRAGMA quick_check); no file is a sound
// one. An error is about the machine, not the file. SQLite has no checksums: bytes that changed
// inside a value are not seen.
base::Result<Examination> Examine(const std::string& path);

}  // namespace sqlite
