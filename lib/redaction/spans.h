// Spans of secrets in a text: several searches collect them in any order, ReplaceSpans replaces
// them. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace redaction {

struct SecretSpan {
  size_t begin = 0, end = 0;
  int rank = 0;  // the lowest rank of overlapping spans names the kind
  const char* kind = "";
};

// Replaces each span by [REDACTED:kind:hash8]; joins overlapping spans.
std::string ReplaceSpans(std::string_view text, std::vector<SecretSpan> spans,
                         std::map<std::string, int64_t>& counts);

// The visible part of a text: without terminal escape sequences and zero-width characters, which
// may split a secret.
class VisibleText {
 public:
  explicit VisibleText(std::string_view text);
  std::string_view text() const { return changed_ ? std::string_view(visible_) : whole_; }
  // Converts a span of the visible text to the whole text.
  SecretSpan InWhole(SecretSpan span) const;

 private:
  struct Gap {  // before visible position `at`, `hidden` bytes in sum are missing
    size_t at, hidden;
  };
  size_t HiddenBefore(size_t at) const;
  const std::string_view whole_;
  bool changed_ = false;
  std::string visible_;
  std::vector<Gap> gaps_;
};

}  // namespace redaction
