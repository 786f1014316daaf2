// The file of a WAL that writes what SQLite appends at its next sync: a commit has two small writes
// for each page, and one large write takes a tenth of their time. SQLite syncs a commit before it
// publishes its frames (synchronous=FULL), so other connections never look for what is not written.
// Nothing is synced later than without.
#pragma once

#include <sqlite3.h>

namespace sqlite {

// Bytes that JoinLogWrites needs after the object of the system's file.
int JoinedLogBytes();

// Makes `file`, a WAL that the system's VFS has just opened, join its writes. `system_bytes`: of
// the system's file object (sqlite3_vfs::szOsFile), which JoinedLogBytes() more follow.
void JoinLogWrites(sqlite3_file* file, int system_bytes);

}  // namespace sqlite
