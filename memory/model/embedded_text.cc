// The texts behind vectors. lib/base/text/identifier.h decides what an identifier is.
#include "memory/model/embedded_text.h"

#include <algorithm>
#include <cstddef>

#include "lib/base/text/characters.h"
#include "lib/base/text/identifier.h"

namespace memory {
namespace {

constexpr int64_t kVersion = 2;  // 1: with identifiers, and an item's key before its value

}  // namespace

std::string EmbeddedText(std::string_view title, std::string_view content) {
  std::string text(title.substr(0, title.find(',')));
  text += ": ";
  return base::WithoutIdentifiers(text += content);
}

std::string EmbeddedText(std::string_view text) {
  std::string left = base::WithoutIdentifiers(text);
  const auto is_of_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  return std::any_of(left.begin(), left.end(), is_of_word) ? left : "";
}

bool IsMostlyUnspaced(std::string_view text) {
  size_t letters = 0, unspaced = 0;
  for (size_t at = 0; at < text.size();) {
    const base::Scalar c = base::ScalarAt(text, at);
    if (base::IsWordCharacter(c.code)) ++letters;
    if (base::IsUnspaced(c.code)) ++unspaced;
    at += c.size;
  }
  return 2 * unspaced > letters;
}

int64_t ModelOfEmbeddedTexts(int64_t table_model) {
  return (table_model ^ (kVersion << 40)) & INT64_MAX;
}

}  // namespace memory
