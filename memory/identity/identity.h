// Reads bearer tokens, their claims and TokenReviews, and says what a role permits. Pure; reviews
// and their cache are identity_check.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/http/message/message.h"

namespace memory {

enum class Role { kReader, kAgent };  // a reader changes nothing

struct Caller {
  std::string tenant;   // the namespace of the ServiceAccount
  std::string account;  // its name; empty: anonymous
  Role role = Role::kAgent;
  bool of_pod = false;  // the token is a pod's; others are made by who may, kubectl create token
  bool operator==(const Caller&) const = default;
};

base::Result<Role> ParseRole(const std::string& name);  // reader, agent
bool Permits(Role role, const std::string& method);

// The token of "Authorization: Bearer …"; nullopt without that header; kDenied for anything else
// in it, and for two of them: nobody can say which one an intermediary looked at.
base::Result<std::optional<std::string>> BearerToken(const http::Headers& headers);

// What a JSON Web Token says of itself (RFC 7519), not verified. kDenied when it is none.
struct TokenClaims {
  std::string algorithm, key_id;  // of the header
  std::string issuer, subject;
  std::vector<std::string> audiences;
  int64_t not_before_ms = 0, expires_ms = 0;  // since 1970; 0: not said
  bool of_pod = false;                        // bound to a pod, as those that the kubelet mounts
};
base::Result<TokenClaims> ReadClaims(const std::string& token);
bool SharesOne(const std::vector<std::string>& left, const std::vector<std::string>& right);

// What was found out about a token.
struct Review {
  bool authenticated = false;
  std::string user;    // system:serviceaccount:<namespace>:<name>
  std::string reason;  // why not; holds nothing of the token
};
// The status of a TokenReview (authentication.k8s.io/v1). Authenticated only when the answer names
// one of `audiences`: an API server that knows nothing of audiences leaves them out. kUnavailable
// when it is no such answer.
base::Result<Review> DecodeTokenReview(const base::Json& answer,
                                       const std::vector<std::string>& audiences);
// The ServiceAccount in a user's name; nullopt for people and nodes.
std::optional<Caller> ServiceAccountOf(const std::string& user);

}  // namespace memory
