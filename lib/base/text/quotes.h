// Removes quotes of erased texts from other texts, such as the summaries of sessions. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace base {

inline constexpr const char* kErased = "[erased]";  // stands where a quote stood

// A quote is a run of four words, regardless of case and of the characters between them; or a whole
// content of fewer words, or a title of two or three. A word is a run of letters and digits, or one
// character in scripts without blanks.
class Quotes {
 public:
  void AddTitle(std::string_view text) { Add(text, 2); }
  void AddContent(std::string_view text) { Add(text, 1); }
  // The text without its quotes; nullopt: it has none. `text` is UTF-8.
  std::optional<std::string> EraseFrom(std::string_view text) const;

 private:
  void Add(std::string_view text, size_t fewest);
  std::unordered_set<size_t> runs_[5];  // hashes of runs, by the number of their words
};

}  // namespace base
