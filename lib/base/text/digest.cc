// SHA-256 with OpenSSL's functions of 1.1: those of 3.0 first load providers and a configuration,
// half a MiB of an idle program, and look up the algorithm at each call.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "lib/base/text/digest.h"

#include <openssl/sha.h>

#include "lib/base/check.h"

namespace base {

std::string Hex(std::string_view bytes) {
  static const char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (unsigned char byte : bytes) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

std::string Sha256Hex(std::string_view bytes) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256_CTX context;
  CHECK(SHA256_Init(&context) && SHA256_Update(&context, bytes.data(), bytes.size()) &&
        SHA256_Final(digest, &context));
  return Hex({reinterpret_cast<char*>(digest), sizeof digest});
}

}  // namespace base
