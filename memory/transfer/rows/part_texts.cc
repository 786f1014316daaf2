// What a member is called says whether it is a text.
#include "memory/transfer/rows/part_texts.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "lib/base/text/text.h"

namespace memory {

using base::Json;

namespace {

constexpr int kDeepest = 16;
// The last word of a name that stands for no text.
constexpr std::array kNoTexts = {
    "type", "pointer", "id",        "uuid", "url",  "uri",       "format", "mime",   "status",
    "role", "model",   "recipient", "name", "key",  "hash",      "slug",   "locale", "language",
    "time", "date",    "at",        "data", "size", "signature", "width",  "height", "timestamp"};

// "type", "content_type", "mimeType", "asset_pointers".
bool IsNoText(std::string_view name) {
  if (name.ends_with('s') && !name.ends_with("us")) name.remove_suffix(1);
  const auto last = std::find_if(name.rbegin(), name.rend(), [](char c) {
    return c == '_' || c == '-' || (c >= 'A' && c <= 'Z');
  });
  size_t begin = static_cast<size_t>(name.rend() - last);
  if (begin > 0 && name[begin - 1] != '_' && name[begin - 1] != '-') --begin;
  const std::string word = base::FoldCase(name.substr(begin));
  return std::ranges::any_of(kNoTexts, [&](const char* one) { return word == one; });
}

// `strings`: whether those of the part itself are texts.
void AddTexts(const Json& part, bool strings, std::string& text, int depth) {
  if (part.is_string() && strings) {
    const std::string& one = part.get_ref<const std::string&>();
    if (!base::IsBlank(one)) text += (text.empty() ? "" : "\n") + one;
  }
  if (!part.is_structured() || depth >= kDeepest) return;
  for (const auto& [name, inner] : part.items())
    AddTexts(inner, part.is_array() ? strings : !IsNoText(name), text, depth + 1);
}

}  // namespace

std::string TextsIn(const Json& part) {
  std::string text;
  AddTexts(part, true, text, 0);
  return text;
}

}  // namespace memory
