// Finds many words in a text in one pass (Aho–Corasick), ignoring ASCII case. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace redaction {

class Keywords {
 public:
  // The number of a word is its index.
  explicit Keywords(const std::vector<std::string>& words);

  // Calls `take(word, begin)` for each word, ordered by their ends; false stops the search.
  template <typename Take>
  void Find(std::string_view text, const Take& take) const {
    uint32_t state = 0;
    for (size_t at = 0; at < text.size(); ++at) {
      state = next_[(state & ~kEnds) * kClasses + class_of_[static_cast<unsigned char>(text[at])]];
      if ((state & kEnds) == 0) continue;
      for (const auto& [word, length] : ends_[state & ~kEnds]) {
        if (!take(word, at + 1 - length)) return;
      }
    }
  }

 private:
  static constexpr uint32_t kEnds = 0x8000;  // a word ends in this state
  static constexpr size_t kClasses = 48;     // of characters; 0: in no word
  std::array<uint8_t, 256> class_of_{};
  std::vector<uint16_t> next_;
  std::vector<std::vector<std::pair<uint16_t, uint16_t>>> ends_;  // word, length
};

}  // namespace redaction
