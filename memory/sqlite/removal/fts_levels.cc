// The structure record of SQLite 3.40: a cookie of four bytes, then varints: levels, segments, a
// write counter; for each level the inputs of a running merge and its segments; for each segment
// its id, first and last page. Later versions add a marker after the cookie and more numbers after
// each segment.
#include "memory/sqlite/removal/fts_levels.h"

#include <optional>
#include <string>

namespace memory {

using base::Code;
using base::Error;
using base::Result;

namespace {

constexpr int64_t kSmallPages = 64;      // of some 4 KiB each
constexpr int64_t kMostSegments = 2000;  // FTS5's limit, also of levels
constexpr size_t kManyLevels = 1000;
constexpr std::string_view kLaterFormat("\xFF\0\0\x01", 4);

class Varints {
 public:
  explicit Varints(std::string_view bytes) : bytes_(bytes) {}
  // SQLite's varint: seven bits a byte, most significant first; all eight of a ninth byte.
  std::optional<int64_t> Next() {
    uint64_t value = 0;
    for (int i = 0; i < 9; ++i) {
      if (bytes_.empty()) return std::nullopt;
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      if (i == 8) return static_cast<int64_t>(value << 8 | byte);
      value = value << 7 | (byte & 0x7Fu);
      if (byte < 0x80) break;
    }
    return static_cast<int64_t>(value);
  }

 private:
  std::string_view bytes_;
};

}  // namespace

Result<FtsLevels> ReadFtsLevels(std::string_view record) {
  const Error bad{Code::kInternal, "the full-text index has a structure record that is none"};
  if (record.size() < 4) return bad;
  record.remove_prefix(4);
  const bool later = record.starts_with(kLaterFormat);
  if (later) record.remove_prefix(kLaterFormat.size());
  Varints numbers(record);
  const auto count = numbers.Next(), total = numbers.Next(), writes = numbers.Next();
  if (!writes || *count < 0 || *count > kMostSegments || *total < 0 || *total > kMostSegments)
    return bad;
  FtsLevels levels;
  for (int64_t i = 0; i < *count; ++i) {
    const auto merging = numbers.Next(), segments = numbers.Next();
    if (!merging || !segments || *segments < 0 || *segments > kMostSegments) return bad;
    FtsLevel level{*segments, 0};
    for (int64_t k = 0; k < *segments; ++k) {
      const auto id = numbers.Next(), first = numbers.Next(), last = numbers.Next();
      for (int more = later ? 5 : 0; more > 0; --more)
        if (!numbers.Next()) return bad;
      if (!id || !last) return bad;
      level.pages += *last - *first + 1;
    }
    levels.push_back(level);
  }
  return levels;
}

FtsErasure ErasureOf(const FtsLevels& levels) {
  int64_t segments = 0, pages = 0;
  for (const FtsLevel& level : levels) segments += level.segments, pages += level.pages;
  if (segments == 0) return FtsErasure::kNothing;
  const bool anew = pages <= kSmallPages || levels.size() >= kManyLevels;
  return anew ? FtsErasure::kRebuild : FtsErasure::kMerge;
}

bool OldestIsLast(const FtsLevels& levels) { return levels.empty() || levels.back().segments > 0; }

}  // namespace memory
