// Reads and writes tar archives of regular files: POSIX ustar with GNU's long names, and pax paths
// when reading. Pure: a file is its path and its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "lib/base/result.h"

// The layout of headers (POSIX.1-1988 ustar, 512 bytes).
namespace base::tar {

inline constexpr size_t kBlock = 512;
struct Field {
  size_t at, size;
};
inline constexpr Field kName{0, 100}, kMode{100, 8}, kOwner{108, 8}, kGroup{116, 8}, kSize{124, 12},
    kTime{136, 12}, kSum{148, 8}, kPrefix{345, 155};
inline constexpr size_t kKindAt = 156, kMagicAt = 257;

inline uint64_t SumOf(std::string_view block) {
  uint64_t sum = 0;
  for (size_t i = 0; i < kBlock; ++i) {
    const bool own = i >= kSum.at && i < kSum.at + kSum.size;  // counts as blanks
    sum += own ? ' ' : static_cast<unsigned char>(block[i]);
  }
  return sum;
}

inline size_t Padding(uint64_t bytes) {
  return static_cast<size_t>((kBlock - bytes % kBlock) % kBlock);
}

}  // namespace base::tar

namespace base {

bool StartsAsTar(std::string_view beginning);  // needs 512 bytes

struct TarHandlers {
  std::function<Status(const std::string& path, std::string_view bytes)> on_file;
  // Whether a file's bytes are wanted; null: all are. Others are passed over, whatever their size.
  std::function<bool(const std::string& path)> wants = nullptr;
  size_t max_bytes = SIZE_MAX;
  // A wanted file with more than max_bytes.
  std::function<void(const std::string& path)> on_too_large = nullptr;
  // An entry that is passed over and no directory: a file that is not wanted, else a link, a
  // device.
  std::function<void(const std::string& path, bool file)> on_passed = nullptr;
};

// Holds one file in memory at a time.
class TarReader {
 public:
  explicit TarReader(TarHandlers handlers) : handlers_(std::move(handlers)) {}
  // Takes the next bytes. kInvalid: no tar, or a damaged one; errors of on_file.
  Status Push(std::string_view bytes);
  Status Finish() const;  // kInvalid: the archive was cut off, it has no end

 private:
  Status TakeHeader();
  Status TakeBytes();

  const TarHandlers handlers_;
  std::string open_;             // the header, path or file that still arrives
  size_t wanted_ = tar::kBlock;  // bytes of it
  uint64_t skip_ = 0;            // bytes before it
  bool in_header_ = true, ended_ = false;
  char kind_ = '0';               // of the entry whose bytes arrive
  std::string path_, next_path_;  // of that entry; of the entry that follows
};

// Header, bytes and padding of one file, mode 0644, owner 0; a path over 100 bytes as a GNU long
// name.
std::string TarFile(std::string_view path, std::string_view bytes, int64_t modified_ms);
std::string TarEnd();  // after the last file

}  // namespace base
