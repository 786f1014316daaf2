// The routes of conversations on the server: served as the sidecar serves them, each caller's own.
#include "lib/conversation/routes/host.h"
#include "memory/api/api_fixture.h"

namespace memory {
namespace {

TEST_F(ApiTest, LedgerIsServedWithoutASidecar) {
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

TEST_F(ApiTest, LedgerIsPerCaller) {
  auto store = server_->engine().Open("*");
  ASSERT_TRUE(store) << store.error().message;
  const auto ask = [&](const std::string& caller, std::string_view name) {
    http::Request request;
    request.parameters["conversation"] = "c1";
    request.body = R"({"item": "i"})";
    for (const auto& route : conversation::LedgerRoutes()) {
      if (route.name != name) continue;
      auto answer = route.handler(*(*store)->Conversations(caller), request);
      EXPECT_TRUE(answer) << answer.error().message;
      return Json::parse(answer->body)["injected"].get<bool>();
    }
    return false;
  };
  EXPECT_TRUE(ask("billing", "mark_in_ledger"));
  EXPECT_TRUE(ask("billing", "check_ledger"));
  EXPECT_FALSE(ask("shipping", "check_ledger"));
  EXPECT_FALSE(ask("", "check_ledger"));
}

}  // namespace
}  // namespace memory
