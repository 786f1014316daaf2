// Makes slugs; letters of any script count.
#include "sidecar/mcp/tool_words.h"

#include <cctype>
#include <vector>

#include "lib/base/text/digest.h"
#include "lib/base/text/inert.h"
#include "lib/base/text/text.h"

namespace sidecar {
namespace {

constexpr size_t kMaxKeyBytes = 60;

// Keeps letters and digits of any script; replaces other runs of characters by one dash.
std::string Slug(std::string_view text) {
  std::string slug;
  for (const char c : base::FoldCase(base::StripAccents(base::WithoutMisleading(text)))) {
    const auto byte = static_cast<unsigned char>(c);
    const bool keep = byte >= 0x80 || std::isalnum(byte) != 0;
    if (keep) slug += c;
    if (!keep && !slug.empty() && slug.back() != '-') slug += '-';
  }
  while (!slug.empty() && slug.back() == '-') slug.pop_back();
  return slug;
}

// Cuts after a whole word if possible.
std::string Cut(const std::string& slug, size_t bytes) {
  if (slug.size() <= bytes) return slug;
  const std::string head = slug.substr(0, base::BorderBefore(slug, bytes));
  const size_t dash = head.rfind('-');
  return dash == std::string::npos || slug[head.size()] == '-' ? head : head.substr(0, dash);
}

}  // namespace

std::string TopicKeyFor(std::string_view type, std::string_view title) {
  std::string group = Cut(Slug(type), kMaxKeyBytes / 2);
  if (group.empty()) group = "topic";
  std::string words = Cut(Slug(title), kMaxKeyBytes - group.size() - 1);
  if (words.empty()) words = base::Sha256Hex(title).substr(0, 12);
  return group + "/" + words;
}

}  // namespace sidecar
