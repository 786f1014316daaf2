// The table of lib/api/operations and the handlers of this server are about the same routes.
#include "memory/routes.h"

#include <gtest/gtest.h>

#include <set>

#include "lib/api/operations/operations.h"
#include "lib/conversation/routes/host.h"

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

}  // namespace
}  // namespace memory
