// A loose object is a deflated "<type> <size>\0<content>".
#include "sidecar/git/git_objects.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "lib/base/text/deflate.h"

namespace sidecar {
namespace {

constexpr size_t kMostReads = 4'000;
constexpr size_t kMostPacks = 64;          // each has a descriptor; git repacks when there are 50
constexpr size_t kMostPackFolder = 1'000;  // names
constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

std::string HexOf(std::string_view bytes) {
  std::string hex;
  for (const char c : bytes) {
    hex += kDigits[static_cast<uint8_t>(c) >> 4];
    hex += kDigits[static_cast<uint8_t>(c) & 15];
  }
  return hex;
}

std::string BytesOfHex(std::string_view hex) {
  std::string bytes;
  if (hex.size() % 2 != 0) return bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    const size_t high = kDigits.find(hex[i]), low = kDigits.find(hex[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return "";
    bytes += static_cast<char>(high << 4 | low);
  }
  return bytes;
}

std::optional<std::string> GitObjects::Read(std::string_view id, std::string_view type) {
  if ((id.size() != 20 && id.size() != 32) || ++reads_ > kMostReads) return std::nullopt;
  const std::string hex = HexOf(id);
  const auto file = common_.File("objects/" + hex.substr(0, 2) + "/" + hex.substr(2));
  auto object = file ? ReadLoose(*file) : ReadPacked(id);
  if (!object || object->type != type) return std::nullopt;
  return std::move(object->bytes);
}

std::optional<GitObject> GitObjects::ReadLoose(const GitFile& file) {
  // A compressed text may be larger than the text: it can have any number of empty blocks.
  if (!room_.Take(file.size())) return std::nullopt;
  const auto deflated = file.Read(0, file.size());
  auto text = deflated ? base::InflateAtMost(*deflated, room_.bytes) : std::nullopt;
  if (!text || !room_.Take(text->size())) return std::nullopt;
  const size_t blank = text->find(' '), end = text->find('\0');
  if (end == std::string::npos || blank > end) return std::nullopt;
  GitObject object{text->substr(0, blank), ""};
  if (text->substr(blank + 1, end - blank - 1) != std::to_string(text->size() - end - 1))
    return std::nullopt;
  object.bytes = std::move(text->erase(0, end + 1));
  return object;
}

std::optional<GitObject> GitObjects::ReadPacked(std::string_view id) {
  if (!std::exchange(listed_, true)) {
    for (const std::string& name : common_.Names("objects/pack", kMostPackFolder)) {
      if (!name.ends_with(".idx") || packs_.size() == kMostPacks) continue;
      if (auto pack = GitPack::Open(common_, name.substr(0, name.size() - 4), id.size()))
        packs_.push_back(std::move(*pack));
    }
  }
  for (auto pack = packs_.begin(); pack != packs_.end(); ++pack) {
    const auto offset = pack->OffsetOf(id, room_);
    if (!offset) continue;
    std::rotate(packs_.begin(), pack, pack + 1);
    return packs_.front().Read(*offset, room_);
  }
  return std::nullopt;
}

}  // namespace sidecar
