// Builds the automaton: a trie of the words, then the failure links, breadth first.
#include "lib/redaction/keywords.h"

#include <algorithm>

namespace redaction {

Keywords::Keywords(const std::vector<std::string>& words) {
  uint8_t classes = 1;
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  const auto add_state = [&] {
    next_.resize(next_.size() + kClasses);
    ends_.emplace_back();
    return static_cast<uint16_t>(ends_.size() - 1);
  };
  add_state();
  for (size_t word = 0; word < words.size(); ++word) {
    size_t state = 0;
    for (const char written : words[word]) {
      const auto c = static_cast<unsigned char>(lower(written));
      if (class_of_[c] == 0) {
        class_of_[c] = classes++;
        if (c >= 'a' && c <= 'z') class_of_[c - 32] = class_of_[c];
      }
      const size_t edge = state * kClasses + class_of_[c];
      if (next_[edge] == 0) {
        const uint16_t added = add_state();  // reallocates next_
        next_[edge] = added;
      }
      state = next_[edge];
    }
    ends_[state].emplace_back(static_cast<uint16_t>(word),
                              static_cast<uint16_t>(words[word].size()));
  }
  std::vector<uint16_t> queue, back(ends_.size());
  for (size_t c = 0; c < kClasses; ++c) {
    if (next_[c] != 0) queue.push_back(next_[c]);
  }
  for (size_t i = 0; i < queue.size(); ++i) {
    const size_t state = queue[i];
    const auto& shorter = ends_[back[state]];
    ends_[state].insert(ends_[state].end(), shorter.begin(), shorter.end());
    for (size_t c = 0; c < kClasses; ++c) {
      uint16_t& to = next_[state * kClasses + c];
      const uint16_t other = next_[back[state] * kClasses + c];
      if (to == 0) {
        to = other;
      } else {
        back[to] = other;
        queue.push_back(to);
      }
    }
  }
  for (uint16_t& to : next_) {
    if (!ends_[to].empty()) to |= kEnds;
  }
}

}  // namespace redaction
