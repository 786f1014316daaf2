// Verifies the signature of a JSON Web Token with a published key (RFC 7515, 7517; only the .cc
// file uses cjose). identity.h checks the claims.
#pragma once

#include <string>

#include "lib/base/json/json.h"

namespace memory {

// `key`: one element of a JWK set. Accepts only RSA and elliptic curves: with a shared secret, or
// none, anybody could sign.
bool IsSignedBy(const std::string& token, const base::Json& key);

}  // namespace memory
