// Overlapping spans are joined before they are replaced, so that no part of a secret remains
// between two placeholders.
#include "lib/redaction/spans.h"

#include <algorithm>

#include "lib/base/text/digest.h"

namespace redaction {
namespace {

constexpr std::string_view kZeroWidth[] = {"\u200B", "\u200C", "\u200D", "\u200E", "\u200F",
                                           "\u2060", "\uFEFF", "\u00AD", "\u180E"};

// The number of invisible bytes at `at`.
size_t HiddenAt(std::string_view text, size_t at) {
  constexpr size_t kLongestSequence = 32;
  if (text[at] == '\x1b') {
    if (at + 1 == text.size() || text[at + 1] != '[') return 1;
    size_t end = at + 2;
    while (end < text.size() && end < at + kLongestSequence && text[end] >= 0x20 &&
           text[end] < 0x40) {
      ++end;
    }
    return std::min(end + 1, text.size()) - at;
  }
  if (static_cast<unsigned char>(text[at]) < 0xc2) return 0;
  for (const std::string_view hidden : kZeroWidth) {
    if (text.substr(at).starts_with(hidden)) return hidden.size();
  }
  return 0;
}

std::string PlaceholderOf(std::string_view kind, std::string_view secret) {
  if (kind == "private") return "[REDACTED:private]";
  return "[REDACTED:" + std::string(kind) + ":" + base::Sha256Hex(secret).substr(0, 8) + "]";
}

}  // namespace

std::string ReplaceSpans(std::string_view text, std::vector<SecretSpan> spans,
                         std::map<std::string, int64_t>& counts) {
  std::sort(spans.begin(), spans.end(), [](const SecretSpan& a, const SecretSpan& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  std::string out;
  size_t copied = 0;
  for (size_t i = 0; i < spans.size();) {
    SecretSpan whole = spans[i++];
    for (; i < spans.size() && spans[i].begin < whole.end; ++i) {
      whole.end = std::max(whole.end, spans[i].end);
      if (spans[i].rank < whole.rank) {
        whole.rank = spans[i].rank;
        whole.kind = spans[i].kind;
      }
    }
    out.append(text.substr(copied, whole.begin - copied));
    out += PlaceholderOf(whole.kind, text.substr(whole.begin, whole.end - whole.begin));
    ++counts[whole.kind];
    copied = whole.end;
  }
  return out.append(text.substr(copied));
}

VisibleText::VisibleText(std::string_view text) : whole_(text) {
  // Most texts have no first byte of an invisible sequence.
  if (text.find_first_of("\x1b\xe2\xef\xc2\xe1") == std::string_view::npos) return;
  size_t copied = 0, hidden = 0;
  for (size_t at = text.find_first_of("\x1b\xe2\xef\xc2\xe1"); at != std::string_view::npos;
       at = text.find_first_of("\x1b\xe2\xef\xc2\xe1", at)) {
    const size_t size = HiddenAt(text, at);
    if (size == 0) {
      ++at;
      continue;
    }
    visible_.append(text.substr(copied, at - copied));
    gaps_.push_back({visible_.size(), hidden += size});
    at += size;
    copied = at;
  }
  changed_ = !gaps_.empty();
  if (changed_) visible_.append(text.substr(copied));
}

// The hidden bytes before `at`, without a gap at `at` itself: a span that ends there excludes it.
size_t VisibleText::HiddenBefore(size_t at) const {
  const auto after =
      std::partition_point(gaps_.begin(), gaps_.end(), [&](const Gap& gap) { return gap.at < at; });
  return after == gaps_.begin() ? 0 : std::prev(after)->hidden;
}

SecretSpan VisibleText::InWhole(SecretSpan span) const {
  if (!changed_) return span;
  span.begin += HiddenBefore(span.begin + 1);
  span.end += HiddenBefore(span.end);
  return span;
}

}  // namespace redaction
