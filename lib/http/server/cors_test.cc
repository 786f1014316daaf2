// Cross-origin requests of browsers, and their answers.
#include "lib/http/server/cors.h"

#include <gtest/gtest.h>

namespace http {
namespace {

const std::vector<std::string> kOrigins = {"https://pages.example", "http://localhost:3000"};

Request RequestOf(const std::string& method,
                  const std::vector<std::pair<std::string, std::string>>& fields) {
  Request request;
  request.method = method;
  for (const auto& [name, value] : fields) request.headers.Set(name, value);
  return request;
}

TEST(Cors, PreflightOfNamedOriginIsAnswered) {
  const Request asked =
      RequestOf("OPTIONS", {{"Origin", "https://pages.example"},
                            {"Access-Control-Request-Method", "POST"},
                            {"Access-Control-Request-Headers", "content-type, idempotency-key"},
                            {"Access-Control-Request-Private-Network", "true"}});
  auto answer = AnswerPreflight(asked, kOrigins);
  ASSERT_TRUE(answer);
  AddCorsHeaders(asked, kOrigins, *answer);
  EXPECT_EQ(answer->status, 204);
  EXPECT_EQ(answer->headers.Get("Access-Control-Allow-Origin"), "https://pages.example");
  EXPECT_NE(answer->headers.Get("Access-Control-Allow-Methods")->find("PATCH"), std::string::npos);
  EXPECT_EQ(answer->headers.Get("Access-Control-Allow-Headers"), "content-type, idempotency-key");
  EXPECT_EQ(answer->headers.Get("Access-Control-Allow-Private-Network"), "true");
  EXPECT_EQ(answer->headers.Get("Vary"), "Origin");
  EXPECT_FALSE(answer->headers.Get("Access-Control-Allow-Credentials"));
}

TEST(Cors, OtherOriginsGetNoHeader) {
  const std::vector<std::vector<std::pair<std::string, std::string>>> others = {
      {{"Origin", "https://evil.example"}, {"Access-Control-Request-Method", "POST"}},
      {{"Origin", "null"}, {"Access-Control-Request-Method", "POST"}},
      {{"Origin", "https://pages.example.evil"}, {"Access-Control-Request-Method", "POST"}},
      {{"Origin", "http://pages.example"}, {"Access-Control-Request-Method", "POST"}},
      {{"Origin", "https://pages.example:444"}, {"Access-Control-Request-Method", "POST"}},
      {{"Access-Control-Request-Method", "POST"}},
      {{"Origin", "https://pages.example"}}};
  for (const auto& fields : others)
    EXPECT_FALSE(AnswerPreflight(RequestOf("OPTIONS", fields), kOrigins));
  EXPECT_FALSE(AnswerPreflight(RequestOf("GET", {{"Origin", "https://pages.example"},
                                                 {"Access-Control-Request-Method", "POST"}}),
                               kOrigins));
  for (const char* origin : {"https://evil.example", "null", ""}) {
    Response response = EmptyResponse(200);
    AddCorsHeaders(RequestOf("GET", {{"Origin", origin}}), kOrigins, response);
    EXPECT_FALSE(response.headers.Get("Access-Control-Allow-Origin")) << origin;
    EXPECT_EQ(response.headers.Get("Vary"), "Origin") << "a cache keeps answers of origins apart";
  }
}

TEST(Cors, InvalidFieldListIsNotEchoed) {
  const auto answer =
      AnswerPreflight(RequestOf("OPTIONS", {{"Origin", "https://pages.example"},
                                            {"Access-Control-Request-Method", "POST"},
                                            {"Access-Control-Request-Headers", "a\": <b>"}}),
                      kOrigins);
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->headers.Get("Access-Control-Allow-Headers"));
}

TEST(Cors, AllowOriginsKeepsTheGuard) {
  ServerOptions options;
  options.before = [](Request&) -> std::optional<Response> { return EmptyResponse(421); };
  AllowOrigins(options, kOrigins);
  Request asked = RequestOf(
      "OPTIONS", {{"Origin", "https://pages.example"}, {"Access-Control-Request-Method", "PUT"}});
  EXPECT_EQ(options.before(asked)->status, 421);
  ServerOptions none;
  AllowOrigins(none, {});
  EXPECT_FALSE(none.before || none.finish);
}

}  // namespace
}  // namespace http
