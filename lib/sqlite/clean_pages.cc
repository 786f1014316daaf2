// The page format: sqlite.org/fileformat2.html, 1.6. The VFS copies the method table of the
// system's files and replaces xWrite; the file objects stay the system's. A WAL joins its writes.
#include "lib/sqlite/clean_pages.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <vector>

#include "lib/sqlite/joined_log.h"

namespace sqlite {
namespace {

constexpr size_t kSmallestPage = 512, kLargestPage = 65'536;

sqlite3_vfs* the_systems = nullptr;
std::once_flag methods_once;
const sqlite3_io_methods* original = nullptr;
sqlite3_io_methods cleaning;

// SQLite writes only whole pages at multiples of the page size to a database file.
int WriteClean(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  const auto length = static_cast<size_t>(size);
  if (length < kSmallestPage || length > kLargestPage || offset % size != 0)
    return original->xWrite(file, bytes, size, offset);
  thread_local std::array<unsigned char, kLargestPage> page;
  memcpy(page.data(), bytes, length);
  ClearGap(std::span(page.data(), length), offset == 0);
  return original->xWrite(file, page.data(), size, offset);
}

int OpenClean(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* opened) {
  const int rc = the_systems->xOpen(vfs, name, file, flags, opened);
  if (rc != SQLITE_OK || !file->pMethods) return rc;
  if (flags & SQLITE_OPEN_WAL) JoinLogWrites(file, the_systems->szOsFile);
  if (!(flags & SQLITE_OPEN_MAIN_DB)) return rc;
  std::call_once(methods_once, [file] {
    original = file->pMethods;
    cleaning = *original;
    cleaning.xWrite = WriteClean;
  });
  if (file->pMethods == original) file->pMethods = &cleaning;
  return rc;
}

size_t Number(std::span<const unsigned char> page, size_t at) {
  return static_cast<size_t>(page[at]) << 8 | page[at + 1];
}

}  // namespace

bool ClearGap(std::span<unsigned char> page, bool first) {
  constexpr size_t kFileHeader = 100, kInteriorHeader = 12, kLeafHeader = 8;
  const size_t header = first ? kFileHeader : 0;
  if (page.size() < kSmallestPage) return false;
  // Other pages begin with a page number, which is below 2^25 in files of less than 128 GiB.
  const unsigned kind = page[header];
  const bool interior = kind == 2 || kind == 5;
  if (!interior && kind != 10 && kind != 13) return false;
  const size_t begin =
      header + (interior ? kInteriorHeader : kLeafHeader) + 2 * Number(page, header + 3);
  const size_t cells = Number(page, header + 5);
  const size_t end = cells == 0 ? kLargestPage : cells;
  if (begin > end || end > page.size()) return false;
  const auto gap = page.subspan(begin, end - begin);
  if (std::all_of(gap.begin(), gap.end(), [](unsigned char byte) { return byte == 0; }))
    return false;
  std::fill(gap.begin(), gap.end(), 0);
  return true;
}

const char* CleanPagesVfs() {
  static sqlite3_vfs vfs = [] {
    the_systems = sqlite3_vfs_find(nullptr);
    sqlite3_vfs copy = *the_systems;
    copy.zName = "clean-pages";
    copy.pNext = nullptr;
    copy.xOpen = OpenClean;
    copy.szOsFile += JoinedLogBytes();
    return copy;
  }();
  static const int kRegistered = sqlite3_vfs_register(&vfs, 0);
  return kRegistered == SQLITE_OK ? vfs.zName : nullptr;
}

int CleanPagesOf(sqlite3* handle, int64_t first, int64_t count, int64_t& next) {
  sqlite3_file* file = nullptr;
  int rc = sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  sqlite3_int64 bytes = 0;
  if (rc == SQLITE_OK) rc = file->pMethods->xFileSize(file, &bytes);
  std::vector<unsigned char> page(4096);
  if (rc == SQLITE_OK && bytes > 0) rc = file->pMethods->xRead(file, page.data(), kSmallestPage, 0);
  if (rc != SQLITE_OK) return rc;
  if (const size_t size = Number(page, 16); bytes > 0) page.resize(size == 1 ? kLargestPage : size);
  const auto size = static_cast<int64_t>(page.size());
  const int64_t end = std::min<int64_t>(first + count, bytes / size);
  for (int64_t at = first; at < end; ++at) {
    rc = file->pMethods->xRead(file, page.data(), static_cast<int>(size), at * size);
    if (rc == SQLITE_OK && ClearGap(page, at == 0))
      rc = file->pMethods->xWrite(file, page.data(), static_cast<int>(size), at * size);
    if (rc != SQLITE_OK) return rc;
  }
  next = end * size < bytes ? end : 0;
  return next != 0 ? SQLITE_OK : file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
}

}  // namespace sqlite
