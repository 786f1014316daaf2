// Parses headers, tokens and reviews.
#include "memory/identity/identity.h"

#include <algorithm>

#include "lib/base/text/base64.h"
#include "lib/base/text/text.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;

namespace {

constexpr size_t kMaxTokenBytes = 12 << 10;
constexpr const char* kServiceAccountPrefix = "system:serviceaccount:";

Result<Json> DecodePart(std::string_view part) {
  Result<std::string> text = base::DecodeBase64Url(part);
  Result<Json> json = text ? base::ParseJson(*text) : Error{Code::kDenied, ""};
  if (json && json->is_object()) return json;
  return Error{Code::kDenied, "the bearer token is not a JSON Web Token"};
}

int64_t MillisecondsAt(const Json& claims, const char* name) {
  const Json* seconds = base::At(claims, {name});
  if (!seconds || !seconds->is_number()) return 0;
  double value = seconds->get<double>();
  return value > 0 && value < 1e13 ? static_cast<int64_t>(value * 1000) : 0;
}

std::vector<std::string> TextsAt(const Json& object, const char* name) {
  std::vector<std::string> texts;
  const Json* value = base::At(object, {name});
  if (value && value->is_string()) texts.push_back(value->get<std::string>());
  if (value && value->is_array()) {
    for (const Json& item : *value)
      if (item.is_string()) texts.push_back(item.get<std::string>());
  }
  return texts;
}

}  // namespace

Result<Role> ParseRole(const std::string& name) {
  if (name == "reader") return Role::kReader;
  if (name == "agent") return Role::kAgent;
  return Error{Code::kInvalid, "\"" + name + "\" is neither reader nor agent"};
}

bool Permits(Role role, const std::string& method) {
  return role == Role::kAgent || method == "GET" || method == "HEAD";
}

Result<std::optional<std::string>> BearerToken(const http::Headers& headers) {
  std::optional<std::string> value;
  for (const auto& [name, text] : headers.all()) {
    if (base::FoldCase(name) != "authorization") continue;
    if (value) return Error{Code::kDenied, "there are two Authorization headers"};
    value = std::string(base::Trim(text));
  }
  if (!value) return std::optional<std::string>();
  const size_t blank = value->find(' ');
  if (base::FoldCase(value->substr(0, blank)) != "bearer" || blank == std::string::npos)
    return Error{Code::kDenied, "the Authorization header has no bearer token"};
  std::string token(base::Trim(value->substr(blank)));
  if (token.empty()) return Error{Code::kDenied, "the bearer token is empty"};
  if (token.size() > kMaxTokenBytes) return Error{Code::kDenied, "the bearer token is too long"};
  return std::optional<std::string>(std::move(token));
}

Result<TokenClaims> ReadClaims(const std::string& token) {
  const std::vector<std::string> parts = base::Split(token, '.');
  if (parts.size() != 3 || parts[2].empty() || !base::DecodeBase64Url(parts[2]))
    return Error{Code::kDenied, "the bearer token is not a JSON Web Token"};
  ASSIGN_OR_RETURN(Json header, DecodePart(parts[0]));
  // A verifier must understand all listed extensions (RFC 7515, 4.1.11); this one knows none.
  if (header.contains("crit"))
    return Error{Code::kDenied,
                 "the bearer token asks for extensions (crit) that are not known here"};
  ASSIGN_OR_RETURN(Json payload, DecodePart(parts[1]));
  TokenClaims claims;
  claims.algorithm = base::StringAt(header, {"alg"});
  claims.key_id = base::StringAt(header, {"kid"});
  claims.issuer = base::StringAt(payload, {"iss"});
  claims.subject = base::StringAt(payload, {"sub"});
  claims.audiences = TextsAt(payload, "aud");
  claims.not_before_ms = MillisecondsAt(payload, "nbf");
  claims.expires_ms = MillisecondsAt(payload, "exp");
  claims.of_pod = base::At(payload, {"kubernetes.io", "pod"}) != nullptr;
  return claims;
}

bool SharesOne(const std::vector<std::string>& left, const std::vector<std::string>& right) {
  return std::any_of(left.begin(), left.end(), [&](const std::string& text) {
    return std::find(right.begin(), right.end(), text) != right.end();
  });
}

Result<Review> DecodeTokenReview(const Json& answer, const std::vector<std::string>& audiences) {
  const Json* status = base::At(answer, {"status"});
  if (!status || !status->is_object())
    return Error{Code::kUnavailable, "the API server's answer is not a reviewed token"};
  Review review;
  const Json* authenticated = base::At(*status, {"authenticated"});
  if (!authenticated || !authenticated->is_boolean() || !authenticated->get<bool>()) {
    review.reason = "the API server does not know the token, or it has expired";
    return review;
  }
  if (!SharesOne(TextsAt(*status, "audiences"), audiences)) {
    review.reason = "the token was not made for this server: its audience is another";
    return review;
  }
  review.authenticated = true;
  review.user = base::StringAt(*status, {"user", "username"});
  return review;
}

std::optional<Caller> ServiceAccountOf(const std::string& user) {
  if (!user.starts_with(kServiceAccountPrefix)) return std::nullopt;
  const std::vector<std::string> parts = base::Split(user, ':');
  if (parts.size() != 4 || parts[2].empty() || parts[3].empty()) return std::nullopt;
  return Caller{parts[2], parts[3], Role::kAgent};
}

}  // namespace memory
