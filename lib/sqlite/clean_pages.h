// Removes what SQLite's secure_delete leaves behind: when SQLite redistributes the cells of a
// B-tree among pages (rebuildPage), the unallocated middle of a page keeps copies of cells that
// moved to other pages, and a later delete does not overwrite them. Private to lib/sqlite.
#pragma once

#include <cstdint>
#include <span>

#include "lib/base/result.h"

struct sqlite3;

namespace sqlite {

// Zeroes the bytes between the cell pointers and the cells of a B-tree page. Other kinds of pages
// and malformed ones stay as they are. `first`: page 1 of a file. → whether the page changed.
bool ClearGap(std::span<unsigned char> page, bool first);

// The name of a VFS that wraps the system's and zeroes the gaps of pages written to a database file
// (not to its WAL, whose checksums cover the gaps: a checkpoint copies the WAL through this VFS).
// Registered once.
const char* CleanPagesVfs();

// Zeroes the gaps of `count` pages from page `first` (zero-based) on, for files that an earlier
// version wrote. → the page to continue at; 0: the end is reached and the file is synced. Only on
// the thread that checkpoints the file. The error is an SQLite code: Database::CleanPages maps it.
int CleanPagesOf(sqlite3* handle, int64_t first, int64_t count, int64_t& next);

}  // namespace sqlite
