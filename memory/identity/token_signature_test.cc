// Tokens signed with real keys, and everything that is wrong with a forged one.
#include "memory/identity/token_signature.h"

#include <cjose/cjose.h>
#include <gtest/gtest.h>

#include "memory/identity/identity_fixture.h"
#include "memory/identity/jwks_reviewer.h"

namespace memory {
namespace {

using base::Json;

// A key pair of an issuer, made anew for each test program.
class SigningKey {
 public:
  explicit SigningKey(const std::string& kind, const std::string& id) : id_(id) {
    cjose_err error;
    key_ = kind == "RSA" ? cjose_jwk_create_RSA_random(2048, nullptr, 0, &error)
                         : cjose_jwk_create_EC_random(CJOSE_JWK_EC_P_256, &error);
    algorithm_ = kind == "RSA" ? "RS256" : "ES256";
    EXPECT_TRUE(key_ && cjose_jwk_set_kid(key_, id.data(), id.size(), &error));
  }
  ~SigningKey() { cjose_jwk_release(key_); }
  SigningKey(const SigningKey&) = delete;

  Json Public() const {
    cjose_err error;
    char* text = cjose_jwk_to_json(key_, false, &error);
    Json json = Json::parse(text);
    free(text);
    json["alg"] = algorithm_;
    json["use"] = "sig";
    return json;
  }
  std::string Sign(const Json& claims) const {
    cjose_err error;
    const std::string text = base::DumpJson(claims);
    cjose_header_t* header = cjose_header_new(&error);
    cjose_header_set(header, "alg", algorithm_.c_str(), &error);
    cjose_header_set(header, "kid", id_.c_str(), &error);
    cjose_jws_t* signed_text = cjose_jws_sign(
        key_, header, reinterpret_cast<const uint8_t*>(text.data()), text.size(), &error);
    const char* compact = nullptr;
    EXPECT_TRUE(signed_text && cjose_jws_export(signed_text, &compact, &error)) << error.message;
    const std::string token = compact ? compact : "";
    cjose_jws_release(signed_text);
    cjose_header_release(header);
    return token;
  }

 private:
  const std::string id_;
  std::string algorithm_;
  cjose_jwk_t* key_;
};

TEST(TokenSignature, OnlyTheSigningKeyVerifies) {
  for (const char* kind : {"RSA", "EC"}) {
    SigningKey ours(kind, "a"), other(kind, "a");
    const std::string token = ours.Sign({{"sub", "x"}});
    EXPECT_TRUE(IsSignedBy(token, ours.Public())) << kind;
    EXPECT_FALSE(IsSignedBy(token, other.Public())) << kind;
    const std::string forged = token.substr(0, token.find('.')) + "." +
                               Base64Url(R"({"sub":"y"})") + token.substr(token.rfind('.'));
    EXPECT_FALSE(IsSignedBy(forged, ours.Public())) << kind;
    EXPECT_FALSE(IsSignedBy(token.substr(0, token.rfind('.') + 1) + "AAAA", ours.Public())) << kind;
  }
}

TEST(TokenSignature, NoneAndSharedSecretsAreRefused) {
  SigningKey ours("RSA", "a");
  const std::string token = ours.Sign({{"sub", "x"}});
  const std::string rest = token.substr(token.find('.'));
  for (const char* algorithm : {"none", "HS256", "PS256", ""}) {
    EXPECT_FALSE(IsSignedBy(Base64Url(base::DumpJson({{"alg", algorithm}, {"kid", "a"}})) + rest,
                            ours.Public()))
        << algorithm;
  }
  EXPECT_FALSE(IsSignedBy(token, {{"kty", "oct"}, {"kid", "a"}, {"k", "c2VjcmV0"}}));
  EXPECT_FALSE(IsSignedBy(token, Json::object()));
  EXPECT_FALSE(IsSignedBy("a.b.c", ours.Public()));
}

class ReviewByKeysTest : public ::testing::Test {
 protected:
  ReviewByKeysTest() : key_("EC", "k1"), next_("RSA", "k2") {
    published_.issuer = "https://issuer";
    published_.keys = Json::array({key_.Public()});
  }
  Json Claims() const {
    return {{"iss", "https://issuer"},
            {"sub", "system:serviceaccount:team-a:coder"},
            {"aud", {kAudience}},
            {"nbf", clock_.NowMs() / 1000},
            {"exp", clock_.NowMs() / 1000 + 3600}};
  }
  bool IsGood(const std::string& token) {
    auto review = reviewer_.Look(token);
    EXPECT_TRUE(review) << review.error().message;
    return review && review->authenticated;
  }

  ::testing::FakeClock clock_;
  SigningKey key_, next_;
  PublishedKeys published_;
  bool down_ = false;
  int fetched_ = 0;
  JwksTokenReviewer reviewer_{[this]() -> base::Result<PublishedKeys> {
                                ++fetched_;
                                if (down_) return base::Error{base::Code::kUnavailable, "refused"};
                                return published_;
                              },
                              {kAudience},
                              clock_};
};

TEST_F(ReviewByKeysTest, ClusterTokenIsValidUntilItExpires) {
  const std::string token = key_.Sign(Claims());
  auto review = reviewer_.Look(token);
  ASSERT_TRUE(review && review->authenticated);
  EXPECT_EQ(review->user, "system:serviceaccount:team-a:coder");
  clock_.Advance(3'500'000);
  EXPECT_TRUE(IsGood(token));
  clock_.Advance(110'001);
  EXPECT_FALSE(IsGood(token));
}

TEST_F(ReviewByKeysTest, EveryClaimIsChecked) {
  const std::vector<std::pair<const char*, Json>> wrong = {{"iss", "https://another"},
                                                           {"aud", {"another"}},
                                                           {"exp", clock_.NowMs() / 1000 - 60},
                                                           {"nbf", clock_.NowMs() / 1000 + 60}};
  EXPECT_TRUE(IsGood(key_.Sign(Claims())));
  for (const auto& [claim, value] : wrong) {
    Json claims = Claims();
    claims[claim] = value;
    EXPECT_FALSE(IsGood(key_.Sign(claims))) << claim;
  }
  for (const char* claim : {"iss", "aud", "exp"}) {
    Json claims = Claims();
    claims.erase(claim);
    EXPECT_FALSE(IsGood(key_.Sign(claims))) << "without " << claim;
  }
  SigningKey forger("EC", "k1");
  EXPECT_FALSE(IsGood(forger.Sign(Claims())));
}

TEST_F(ReviewByKeysTest, NewKeyIsFetchedOnceNotForEveryUnknown) {
  EXPECT_TRUE(IsGood(key_.Sign(Claims())));
  EXPECT_EQ(fetched_, 1);
  for (int i = 0; i < 20; ++i)
    EXPECT_FALSE(IsGood(SigningKey("EC", "x" + std::to_string(i)).Sign(Claims())));
  EXPECT_EQ(fetched_, 1);
  clock_.Advance(10'000);
  published_.keys.push_back(next_.Public());
  EXPECT_TRUE(IsGood(next_.Sign(Claims())));
  EXPECT_TRUE(IsGood(key_.Sign(Claims())));
  EXPECT_EQ(fetched_, 2);
}

TEST_F(ReviewByKeysTest, OutageKeepsKnownKeys) {
  down_ = true;
  EXPECT_FALSE(reviewer_.Look(key_.Sign(Claims())));
  down_ = false;
  clock_.Advance(10'000);
  EXPECT_TRUE(IsGood(key_.Sign(Claims())));
  down_ = true;
  clock_.Advance(60'000);
  EXPECT_TRUE(IsGood(key_.Sign(Claims())));
}

}  // namespace
}  // namespace memory
