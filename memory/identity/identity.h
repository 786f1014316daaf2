// Parses bearer tokens, their claims and TokenReviews, and decides what a role permits. Pure;
// identity_check.h has reviews and their cache.
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
  bool of_pod = false;  // the token is bound to a pod, unlike one of `kubectl create token`
  bool operator==(const Caller&) const = default;
};

base::Result<Role> ParseRole(const std::string& name);  // reader, agent
bool Permits(Role role, const std::string& method);

// The token of "Authorization: Bearer …"; nullopt without that header; kDenied for another scheme,
// and for two headers, since an intermediary may have checked the other one.
base::Result<std::optional<std::string>> BearerToken(const http::Headers& headers);

// The unverified claims of a JSON Web Token (RFC 7519). kDenied: it is none.
struct TokenClaims {
  std::string algorithm, key_id;  // of the header
  std::string issuer, subject;
  std::vector<std::string> audiences;
  int64_t not_before_ms = 0, expires_ms = 0;  // since 1970; 0: absent
  bool of_pod = false;                        // bound to a pod, like those that the kubelet mounts
};
base::Result<TokenClaims> ReadClaims(const std::string& token);
bool SharesOne(const std::vector<std::string>& left, const std::vector<std::string>& right);

// The result of reviewing a token.
struct Review {
  bool authenticated = false;
  std::string user;    // system:serviceaccount:<namespace>:<name>
  std::string reason;  // of a refusal; contains nothing of the token
};
// Parses the status of a TokenReview (authentication.k8s.io/v1). Authenticated only if the answer
// names one of `audiences`: an API server without support for audiences omits them. kUnavailable:
// no such answer.
base::Result<Review> DecodeTokenReview(const base::Json& answer,
                                       const std::vector<std::string>& audiences);
// The ServiceAccount in a user's name; nullopt for people and nodes.
std::optional<Caller> ServiceAccountOf(const std::string& user);

}  // namespace memory
