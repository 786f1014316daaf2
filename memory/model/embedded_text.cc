// The texts behind vectors. lib/base/text/identifier.h decides what an identifier is.
#include "memory/model/embedded_text.h"

#include <algorithm>

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

int64_t ModelOfEmbeddedTexts(int64_t table_model) {
  return (table_model ^ (kVersion << 40)) & INT64_MAX;
}

}  // namespace memory
