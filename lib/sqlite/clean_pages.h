// What SQLite's secure_delete leaves behind: when it deals the cells of a B-tree anew among pages
// (rebuildPage), the unallocated middle of a page keeps copies of cells that now lie in others, and
// a later delete does not find those. Here pages go to the file without them. Private to
// lib/sqlite.
#pragma once

#include <cstdint>
#include <span>

#include "lib/base/result.h"

struct sqlite3;

namespace sqlite {

// Zeroes what lies between the cell pointers and the cells of a B-tree page; pages of another kind,
// and those that make no sense, stay as they are. `first`: page 1 of a file. → whether it changed.
bool ClearGap(std::span<unsigned char> page, bool first);

// The name of a VFS that is the system's, but clears gaps of what is written to a database file
// (not to its log, whose checksums cover them: a checkpoint copies it through here). Made once.
const char* CleanPagesVfs();

// Clears the gaps of pages that an earlier program wrote, `count` pages from number `first` (from
// 0) on. → where to go on; 0: the last page was seen, and all is synced. Only on the thread that
// checkpoints the file. The error is an SQLite code: Database::CleanPages turns it into words.
int CleanPagesOf(sqlite3* handle, int64_t first, int64_t count, int64_t& next);

}  // namespace sqlite
