// The table of lib/api/operations and the handlers of this server are about the same routes.
#include "memory/routes.h"

#include <gtest/gtest.h>

#include <set>

#include "lib/api/operations/operations.h"
#include "lib/conversation/routes/host.h"
#include "memory/api/identity_routes_fixture.h"

namespace memory {
namespace {

TEST(Routes, EachRowHasAHandlerAndEachHandlerARow) {
  std::multiset<std::string_view> rows, handlers;
  for (const api::Operation& row : api::Operations()) rows.insert(row.name);
  for (const std::string_view name : HandlerNames()) handlers.insert(name);
  EXPECT_EQ(rows, handlers);
}

TEST(Routes, ASidecarHostsTheRoutesOfConversationsAndItsOwnHealth) {
  std::multiset<std::string_view> rows, handlers = {"get_health"};
  for (const api::Operation& row : api::Operations())
    if (row.Has(api::kHosted)) rows.insert(row.name);
  for (const conversation::HostedHandler& hosted : conversation::HostedHandlers())
    handlers.insert(hosted.name);
  EXPECT_EQ(rows, handlers);
}

TEST_F(ApiTest, AHandlerReadsTheConditionsOfItsRow) {
  for (const api::Operation& row : api::Operations()) {
    const int64_t id = MustPost(NoteBody("of " + std::string(row.name)));
    const auto wish = WishFor(std::string(row.method) + " " + std::string(row.path), id);
    ASSERT_TRUE(wish) << row.name;
    for (const auto& [trait, name] :
         {std::pair(api::kIfMatch, "If-Match"), std::pair(api::kIfNoneMatch, "If-None-Match")}) {
      http::ClientRequest request;
      request.method = row.method;
      request.target = wish->target;
      request.body = wish->body;
      request.headers.Set(name, "no condition");
      const auto answer = client_->Send(request);
      ASSERT_TRUE(answer) << row.name << ": " << answer.error().message;
      const bool reads = answer->body.find(std::string(name) + " must be") != std::string::npos;
      EXPECT_EQ(reads, row.Has(trait)) << row.name << ": " << answer->body;
    }
  }
}

}  // namespace
}  // namespace memory
