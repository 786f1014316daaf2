// cjose parses key and token and verifies with OpenSSL.
#include "memory/identity/token_signature.h"

#include <cjose/cjose.h>

#include <algorithm>
#include <memory>

#include "memory/identity/identity.h"

namespace memory {

namespace {

bool IsAsymmetric(const std::string& algorithm) {
  static constexpr const char* kAllowed[] = {"RS256", "RS384", "RS512", "ES256", "ES384", "ES512"};
  return std::any_of(std::begin(kAllowed), std::end(kAllowed),
                     [&](const char* allowed) { return algorithm == allowed; });
}

}  // namespace

bool IsSignedBy(const std::string& token, const base::Json& key) {
  auto claims = ReadClaims(token);
  if (!claims || !IsAsymmetric(claims->algorithm)) return false;
  const std::string kind = base::StringAt(key, {"kty"});
  if (kind != (claims->algorithm.starts_with("RS") ? "RSA" : "EC")) return false;
  const std::string text = base::DumpJson(key);
  cjose_err error;
  std::unique_ptr<cjose_jwk_t, void (*)(cjose_jwk_t*)> jwk(
      cjose_jwk_import(text.data(), text.size(), &error),
      [](cjose_jwk_t* held) { cjose_jwk_release(held); });
  std::unique_ptr<cjose_jws_t, void (*)(cjose_jws_t*)> jws(
      cjose_jws_import(token.data(), token.size(), &error),
      [](cjose_jws_t* held) { cjose_jws_release(held); });
  return jwk && jws && cjose_jws_verify(jws.get(), jwk.get(), &error);
}

}  // namespace memory
