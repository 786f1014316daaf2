// A failed write drops what waited. SQLite rolls back then, as after each failed write of its own:
// only writes and syncs report it, not reads, after which a transaction could go on.
#include "lib/sqlite/joined_log.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

namespace sqlite {
namespace {

constexpr int kTailBytes = 64 << 10;  // the frames of most commits of one caller

struct Tail {
  unsigned char* bytes = nullptr;  // kTailBytes; null after a sync
  sqlite3_int64 begin = 0;         // in the file
  int size = 0;                    // of what waits
  sqlite3_int64 end() const { return begin + size; }
};

std::once_flag log_methods_once;
const sqlite3_io_methods* plain_log = nullptr;  // of all WALs
sqlite3_io_methods joined_log;
int offset_of_tail = 0;

Tail& TailOf(sqlite3_file* file) {
  return *reinterpret_cast<Tail*>(reinterpret_cast<unsigned char*>(file) + offset_of_tail);
}

int FlushTail(sqlite3_file* file, Tail& tail) {
  if (tail.size == 0) return SQLITE_OK;
  const int size = tail.size;
  tail.size = 0;
  return plain_log->xWrite(file, tail.bytes, size, tail.begin);
}

int WriteTail(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  Tail& tail = TailOf(file);
  if (tail.size > 0 && offset >= tail.begin && offset + size <= tail.end()) {
    memcpy(tail.bytes + (offset - tail.begin), bytes, static_cast<size_t>(size));
    return SQLITE_OK;
  }
  if (tail.size > 0 && (offset != tail.end() || tail.size + size > kTailBytes))
    if (const int rc = FlushTail(file, tail); rc != SQLITE_OK) return rc;
  if (!tail.bytes) tail.bytes = static_cast<unsigned char*>(malloc(kTailBytes));
  if (!tail.bytes || size > kTailBytes) return plain_log->xWrite(file, bytes, size, offset);
  if (tail.size == 0) tail.begin = offset;
  memcpy(tail.bytes + tail.size, bytes, static_cast<size_t>(size));
  tail.size += size;
  return SQLITE_OK;
}

// Pages that SQLite spilled from its cache.
int ReadTail(sqlite3_file* file, void* bytes, int size, sqlite3_int64 offset) {
  Tail& tail = TailOf(file);
  if (tail.size > 0 && offset >= tail.begin && offset + size <= tail.end()) {
    memcpy(bytes, tail.bytes + (offset - tail.begin), static_cast<size_t>(size));
    return SQLITE_OK;
  }
  // A part of it: only a commit reads frames and headers together.
  if (tail.size > 0 && offset < tail.end() && offset + size > tail.begin)
    if (const int rc = FlushTail(file, tail); rc != SQLITE_OK) return rc;
  return plain_log->xRead(file, bytes, size, offset);
}

int SyncTail(sqlite3_file* file, int flags) {
  Tail& tail = TailOf(file);
  const int rc = FlushTail(file, tail);
  free(tail.bytes);  // hundreds of open files are idle
  tail.bytes = nullptr;
  return rc == SQLITE_OK ? plain_log->xSync(file, flags) : rc;
}

int TruncateTail(sqlite3_file* file, sqlite3_int64 size) {
  Tail& tail = TailOf(file);
  const int rc = FlushTail(file, tail);
  return rc == SQLITE_OK ? plain_log->xTruncate(file, size) : rc;
}

int SizeWithTail(sqlite3_file* file, sqlite3_int64* size) {
  Tail& tail = TailOf(file);
  const int rc = FlushTail(file, tail);
  return rc == SQLITE_OK ? plain_log->xFileSize(file, size) : rc;
}

// What waits was not synced: no commit needs it.
int CloseTail(sqlite3_file* file) {
  free(TailOf(file).bytes);
  return plain_log->xClose(file);
}

}  // namespace

int JoinedLogBytes() { return static_cast<int>(sizeof(Tail) + alignof(Tail)); }

void JoinLogWrites(sqlite3_file* file, int system_bytes) {
  constexpr int kAlign = alignof(Tail);
  std::call_once(log_methods_once, [&] {
    offset_of_tail = (system_bytes + kAlign - 1) / kAlign * kAlign;
    plain_log = file->pMethods;
    joined_log = *plain_log;
    joined_log.xWrite = WriteTail;
    joined_log.xRead = ReadTail;
    joined_log.xSync = SyncTail;
    joined_log.xTruncate = TruncateTail;
    joined_log.xFileSize = SizeWithTail;
    joined_log.xClose = CloseTail;
  });
  if (file->pMethods != plain_log) return;
  new (&TailOf(file)) Tail;
  file->pMethods = &joined_log;
}

}  // namespace sqlite
