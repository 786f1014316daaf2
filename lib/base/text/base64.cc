// Uses OpenSSL's block functions, which do not skip blanks and count padding as bytes.
#include "lib/base/text/base64.h"

#include <openssl/evp.h>

#include <algorithm>

namespace base {

std::string EncodeBase64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // EVP_EncodeBlock appends a NUL
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()),
                                     static_cast<int>(bytes.size()));
  text.resize(static_cast<size_t>(length));
  return text;
}

Result<std::string> DecodeBase64(std::string_view encoded) {
  std::string text(encoded);
  std::erase_if(text, [](char c) { return c == '\n' || c == '\r' || c == ' '; });
  if (text.empty() || text.size() % 4 != 0) return Error{Code::kInvalid, "not base64"};
  std::string bytes(text.size() / 4 * 3, '\0');
  const int length = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                     reinterpret_cast<const unsigned char*>(text.data()),
                                     static_cast<int>(text.size()));
  if (length < 0) return Error{Code::kInvalid, "not base64"};
  const size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  bytes.resize(static_cast<size_t>(length) - padding);
  return bytes;
}

Result<std::string> DecodeBase64Url(std::string_view encoded) {
  if (encoded.find_first_of("+/= \t\r\n") != encoded.npos)
    return Error{Code::kInvalid, "not base64url"};
  if (encoded.empty()) return std::string();
  std::string text(encoded);
  std::replace(text.begin(), text.end(), '-', '+');
  std::replace(text.begin(), text.end(), '_', '/');
  text.append((4 - text.size() % 4) % 4, '=');
  if (text.ends_with("===")) return Error{Code::kInvalid, "not base64url"};
  return DecodeBase64(text);
}

}  // namespace base
