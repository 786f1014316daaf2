// Tokens and somebody who knows them, for the tests of identity: an issuer that behaves as an API
// server does, without signatures. Test code.
#pragma once

#include <set>

#include "lib/base/guarded.h"
#include "lib/base/text/text.h"
#include "lib/testing/fake_clock.h"
#include "memory/identity/token_reviewer.h"

namespace memory {

inline constexpr const char* kAudience = "agent-memory.agents.agent-memory";
inline constexpr int64_t kTokenLifeMs = 3'600'000;

inline std::string Base64Url(std::string_view bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string text;
  uint32_t bits = 0;
  int held = 0;
  for (char c : bytes) {
    bits = (bits << 8) | static_cast<unsigned char>(c);
    for (held += 8; held >= 6; held -= 6) text += kDigits[(bits >> (held - 6)) & 63];
  }
  if (held > 0) text += kDigits[(bits << (6 - held)) & 63];
  return text;
}

inline std::string TokenOf(const base::Json& header, const base::Json& payload,
                           const std::string& signature) {
  return Base64Url(base::DumpJson(header)) + "." + Base64Url(base::DumpJson(payload)) + "." +
         Base64Url(signature);
}

// Knows the tokens that it issued, until they expire or are revoked.
class FakeIssuer : public TokenReviewer {
 public:
  explicit FakeIssuer(const base::Clock& clock, std::string audience = kAudience)
      : clock_(clock), audience_(std::move(audience)) {}

  // A token of that user, "system:serviceaccount:<namespace>:<name>" for a ServiceAccount.
  std::string Issue(const std::string& user, const std::string& audience = kAudience,
                    int64_t life_ms = kTokenLifeMs, const std::string& pod = "") {
    return state_.With([&](State& state) {
      base::Json claims = {{"sub", user},
                           {"aud", {audience}},
                           {"exp", (clock_.NowMs() + life_ms) / 1000},
                           {"jti", std::to_string(++state.issued)}};
      if (!pod.empty()) claims["kubernetes.io"]["pod"]["name"] = pod;
      const std::string token = TokenOf({{"alg", "RS256"}, {"kid", "k"}}, claims, "signature");
      state.users[token] = {user, audience, clock_.NowMs() + life_ms};
      return token;
    });
  }
  std::string IssueTo(const std::string& name_space, const std::string& account = "agent",
                      const std::string& pod = "") {
    return Issue("system:serviceaccount:" + name_space + ":" + account, kAudience, kTokenLifeMs,
                 pod);
  }
  void Revoke(const std::string& token) {
    state_.With([&](State& state) { state.users.erase(token); });
  }
  void SetDown(bool down) {
    state_.With([&](State& state) { state.down = down; });
  }
  int asked() const {
    return state_.With([](const State& state) { return state.asked; });
  }

  base::Result<Review> Look(const std::string& token) override {
    return state_.With([&](State& state) -> base::Result<Review> {
      ++state.asked;
      if (state.down) return base::Error{base::Code::kUnavailable, "connection refused"};
      auto known = state.users.find(token);
      if (known == state.users.end()) return Review{false, "", "invalid bearer token"};
      if (clock_.NowMs() >= known->second.expires_ms) return Review{false, "", "it has expired"};
      if (known->second.audience != audience_) return Review{false, "", "another audience"};
      return Review{true, known->second.user, ""};
    });
  }

 private:
  struct Known {
    std::string user, audience;
    int64_t expires_ms = 0;
  };
  struct State {
    std::map<std::string, Known> users;
    int issued = 0, asked = 0;
    bool down = false;
  };
  const base::Clock& clock_;
  const std::string audience_;
  base::Guarded<State> state_;
};

}  // namespace memory
