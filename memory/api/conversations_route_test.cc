// The routes of conversations on the server: served as the sidecar serves them, each caller's own.
#include "lib/conversation/routes/ledger_routes.h"
#include "memory/api/api_fixture.h"

namespace memory {
namespace {

TEST_F(ApiTest, TheLedgerIsServedWithoutASidecar) {
  EXPECT_EQ(Get("/ledger/c1").body, (Json{{"conversation", "c1"}, {"items", Json::array()}}));
  EXPECT_EQ(Post("/ledger/c1/mark", {{"item", "skill:git"}, {"value", "2"}}).body["injected"],
            true);
  EXPECT_EQ(Post("/ledger/c1/check", {{"item", "skill:git"}}).body["value"], "2");
  EXPECT_EQ(Post("/ledger/c2/check", {{"item", "skill:git"}}).body["injected"], false);
  EXPECT_EQ(Get("/ledger/c1").body["items"].size(), 1u);
  EXPECT_EQ(Post("/ledger/c1/evict", {{"item", "skill:git"}}).body["evicted"], true);
  EXPECT_EQ(Post("/ledger/c1/check", {{"item", "skill:git"}}).body["injected"], false);
  EXPECT_EQ(Post("/ledger/c1/mark", {{"item", ""}}).status, 400);
  EXPECT_EQ(Post("/ledger/" + std::string(201, 'c') + "/mark", {{"item", "i"}}).status, 400);
}

TEST_F(ApiTest, AConversationIsItsCallersOwn) {
  auto store = server_->engine().Open("*");
  ASSERT_TRUE(store) << store.error().message;
  const auto ask = [&](const std::string& caller, const char* verb) {
    http::Request request;
    request.parameters["conversation"] = "c1";
    request.body = R"({"item": "i"})";
    for (const auto& route : conversation::LedgerRoutes()) {
      if (!std::string_view(route.pattern).ends_with(verb)) continue;
      auto answer = route.handler(*(*store)->Conversations(caller), request);
      EXPECT_TRUE(answer) << answer.error().message;
      return Json::parse(answer->body)["injected"].get<bool>();
    }
    return false;
  };
  EXPECT_TRUE(ask("billing", "/mark"));
  EXPECT_TRUE(ask("billing", "/check"));
  EXPECT_FALSE(ask("shipping", "/check"));
  EXPECT_FALSE(ask("", "/check"));
}

}  // namespace
}  // namespace memory
