// Whether a JSON Web Token was signed with a published key (RFC 7515, 7517; cjose inside the .cc
// file, nowhere else). What the token says is not looked at: identity.h.
#pragma once

#include <string>

#include "lib/base/json/json.h"

namespace memory {

// `key`: one element of a JWK set. Only signatures by RSA and elliptic curves count: with a shared
// secret, or none, everybody could sign.
bool IsSignedBy(const std::string& token, const base::Json& key);

}  // namespace memory
