// Formats: gitformat-pack(5). A delta's base lies in the same pack, before it or by its id.
#include "sidecar/git/git_pack.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "lib/base/text/deflate.h"

namespace sidecar {
namespace {

constexpr std::string_view kIndexMark("\377tOc\0\0\0\2", 8);
constexpr uint64_t kFanout = 8, kIds = kFanout + 256 * 4;
constexpr uint64_t kFarOffset = 1u << 31;  // the rest is the number of an offset of 8 bytes
constexpr size_t kMostDeltas = 64;         // git makes chains of 50
constexpr size_t kLongestHeader = 64;      // size, and the base of a delta
constexpr int kOffsetDelta = 6, kIdDelta = 7;
constexpr std::array<const char*, 5> kTypes = {"", "commit", "tree", "blob", "tag"};

uint8_t Byte(std::string_view bytes, size_t at) { return static_cast<uint8_t>(bytes[at]); }

// Seven bits a byte, the lowest first. nullopt: it has no end.
std::optional<uint64_t> TakeSize(std::string_view& bytes, uint64_t value = 0, int shift = 0) {
  while (!bytes.empty() && shift < 57) {
    const uint8_t next = Byte(bytes, 0);
    bytes.remove_prefix(1);
    value |= static_cast<uint64_t>(next & 0x7f) << shift;
    shift += 7;
    if (next < 0x80) return value;
  }
  return std::nullopt;
}

struct Entry {
  int type = 0;
  uint64_t size = 0;  // of the text after the header
  uint64_t back = 0;  // of a delta: how far before the entry its base begins
  std::string base;   // or the id of its base
  size_t header = 0;  // bytes
};

std::optional<Entry> ReadEntry(std::string_view bytes, size_t id_bytes) {
  const size_t all = bytes.size();
  if (bytes.empty()) return std::nullopt;
  const uint8_t first = Byte(bytes, 0);
  bytes.remove_prefix(1);
  Entry entry;
  entry.type = (first >> 4) & 7;
  entry.size = first & 0x0f;
  if (first >= 0x80) {
    const auto size = TakeSize(bytes, entry.size, 4);
    if (!size) return std::nullopt;
    entry.size = *size;
  }
  if (entry.type == kOffsetDelta) {
    for (bool more = true; more;) {
      if (bytes.empty() || entry.back >> 56 != 0) return std::nullopt;
      more = Byte(bytes, 0) >= 0x80;
      entry.back = (entry.back << 7) | (Byte(bytes, 0) & 0x7f);
      entry.back += more;  // so that no distance has two forms
      bytes.remove_prefix(1);
    }
  }
  if (entry.type == kIdDelta) {
    if (bytes.size() < id_bytes) return std::nullopt;
    entry.base = bytes.substr(0, id_bytes);
    bytes.remove_prefix(id_bytes);
  }
  entry.header = all - bytes.size();
  return entry;
}

}  // namespace

std::optional<std::string> ApplyDelta(std::string_view base, std::string_view delta, size_t most) {
  const auto base_size = TakeSize(delta), size = TakeSize(delta);
  if (!base_size || *base_size != base.size() || !size || *size > most) return std::nullopt;
  std::string text;
  text.reserve(*size);
  while (!delta.empty()) {
    const uint8_t step = Byte(delta, 0);
    delta.remove_prefix(1);
    uint64_t offset = 0, count = step;
    if (step >= 0x80) {
      count = 0;
      for (int bit = 0; bit < 7; ++bit) {
        if ((step & (1 << bit)) == 0) continue;
        if (delta.empty()) return std::nullopt;
        const uint64_t part = Byte(delta, 0);
        delta.remove_prefix(1);
        (bit < 4 ? offset : count) |= part << (8 * (bit % 4));
      }
      if (count == 0) count = 0x10000;
    }
    const std::string_view source = step >= 0x80 ? base : delta;
    if (count == 0 || offset > source.size() || count > source.size() - offset ||
        count > *size - text.size())
      return std::nullopt;
    text += source.substr(offset, count);
    if (step < 0x80) delta.remove_prefix(count);
  }
  if (text.size() != *size) return std::nullopt;
  return text;
}

std::optional<GitPack> GitPack::Open(const GitFolder& common, const std::string& name,
                                     size_t id_bytes) {
  auto index = common.File("objects/pack/" + name + ".idx");
  if (!index || index->Read(0, kIndexMark.size()) != kIndexMark) return std::nullopt;
  GitPack pack(common, name, std::move(*index), id_bytes);
  const auto count = pack.Number(kFanout + 255 * 4, 4);
  if (!count || kIds + *count * (id_bytes + 8) > pack.index_.size()) return std::nullopt;
  pack.count_ = *count;
  return pack;
}

std::optional<uint64_t> GitPack::Number(uint64_t offset, size_t bytes) const {
  const auto text = index_.Read(offset, bytes);
  if (!text || text->size() != bytes) return std::nullopt;
  uint64_t number = 0;
  for (size_t i = 0; i < bytes; ++i) number = number << 8 | Byte(*text, i);
  return number;
}

std::optional<uint64_t> GitPack::OffsetOf(std::string_view id, GitRoom& room) const {
  if (id.size() != id_bytes_ || !room.Step()) return std::nullopt;
  const uint64_t first = Byte(id, 0);
  const auto begin = first == 0 ? 0 : Number(kFanout + (first - 1) * 4, 4);
  const auto end = Number(kFanout + first * 4, 4);
  if (!begin || !end || *begin > *end || *end > count_) return std::nullopt;
  uint64_t low = *begin, high = *end;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    const auto at = index_.Read(kIds + middle * id_bytes_, id_bytes_);
    if (!at) return std::nullopt;
    if (*at == id) {
      const uint64_t offsets = kIds + count_ * (id_bytes_ + 4);
      const auto near = Number(offsets + middle * 4, 4);
      if (!near || *near < kFarOffset) return near;
      return Number(offsets + count_ * 4 + (*near - kFarOffset) * 8, 8);
    }
    *at < id ? low = middle + 1 : high = middle;
  }
  return std::nullopt;
}

std::optional<GitObject> GitPack::Read(uint64_t offset, GitRoom& room) const {
  const auto file = common_->File("objects/pack/" + name_ + ".pack");
  std::vector<std::string> deltas;
  while (file && deltas.size() <= kMostDeltas) {
    const auto header = room.Step() ? file->Read(offset, kLongestHeader) : std::nullopt;
    const auto entry = header ? ReadEntry(*header, id_bytes_) : std::nullopt;
    if (!entry || !room.Take(entry->size)) return std::nullopt;
    // zlib makes a text that cannot be compressed a little longer.
    const auto deflated =
        file->Read(offset + entry->header, entry->size + entry->size / 8 + kLongestHeader);
    auto text = deflated ? base::Inflate(*deflated, entry->size) : std::nullopt;
    if (!text) return std::nullopt;
    if (entry->type == kOffsetDelta || entry->type == kIdDelta) {
      deltas.push_back(std::move(*text));
      const auto base = entry->type == kIdDelta ? OffsetOf(entry->base, room)
                        : entry->back > offset  ? std::nullopt
                                                : std::optional(offset - entry->back);
      if (!base) return std::nullopt;
      offset = *base;
      continue;
    }
    if (entry->type < 1 || entry->type > 4) return std::nullopt;
    for (; text && !deltas.empty(); deltas.pop_back()) {
      text = ApplyDelta(*text, deltas.back(), room.bytes);
      if (text && !room.Take(text->size())) return std::nullopt;
    }
    if (!text) return std::nullopt;
    return GitObject{kTypes[static_cast<size_t>(entry->type)], std::move(*text)};
  }
  return std::nullopt;
}

}  // namespace sidecar
