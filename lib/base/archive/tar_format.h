// The layout of tar headers (POSIX.1-1988 ustar, 512 bytes), for writers and readers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

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
