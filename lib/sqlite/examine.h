// Checks whether a file is a usable database, without changing the file. The caller decides what to
// do about a corrupt one.
#pragma once

#include <cstdint>
#include <string>

#include "lib/base/result.h"

namespace sqlite {

struct Examination {
  bool damaged = false;
  std::string reason;          // of a corrupt file: SQLite's message, no contents
  int64_t schema_version = 0;  // user_version, if readable
};

// Reads every page of the file and its WAL (PRAGMA quick_check); a missing file counts as sound. An
// error is about the machine, not the file. SQLite has no checksums: quick_check does not notice
// changed bytes inside a value.
base::Result<Examination> Examine(const std::string& path);

}  // namespace sqlite
