// What the tests of this folder share: observations to save, and an embedder. Test code.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "lib/api/memory_api.h"
#include "memory/store/embedder.h"
#include "memory/store/store.h"

namespace memory {

inline api::NewObservation Note(const std::string& content, const std::string& project = "p") {
  api::NewObservation note;
  note.session_id = "s-" + project;
  note.type = "discovery";
  note.title = "note";
  note.content = content;
  note.project = project;
  return note;
}

// Takes texts for what their words say, each of which is as good as any: those with common words
// are near each other.
class WordBag : public Embedder {
 public:
  int64_t model() const override { return 19; }
  size_t dimensions() const override { return 16; }
  FusionWeights weights() const override { return {0.25, false, 0.2F}; }
  std::vector<int8_t> Embed(std::string_view text) const override {
    std::vector<int8_t> values(dimensions());
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find(' ', at), text.size());
      const size_t hash = std::hash<std::string_view>()(text.substr(at, end - at));
      int8_t& value = values[hash % values.size()];
      if (end > at && value < 100) value = static_cast<int8_t>(value + 10);
      at = end + 1;
    }
    return values;
  }
};

inline constexpr int64_t kMinute = 60'000;
inline constexpr int64_t kDay = 24 * 60 * kMinute;
inline constexpr int64_t kMidnight = 1'775'952'000'000;  // 2026-04-12T00:00:00Z

}  // namespace memory
