// Which ids are kept, for which session, and how many.
#include "sidecar/outbox/saved_ids.h"

#include <gtest/gtest.h>

#include "lib/base/json/json.h"

namespace sidecar {
namespace {

OutboxRow Row(const std::string& session, const std::string& title, const std::string& origin,
              const std::string& type = "fact") {
  OutboxRow row;
  row.lane = session;
  row.kind = "observation";
  row.body = base::DumpJson({{"title", title}, {"type", type}, {"source", {{"origin", origin}}}});
  return row;
}

std::string Id(int64_t id) { return base::DumpJson({{"id", id}, {"action", "created"}}); }

std::vector<int64_t> Ids(const std::vector<SavedId>& saved) {
  std::vector<int64_t> ids;
  for (const SavedId& one : saved) ids.push_back(one.id);
  return ids;
}

using Numbers = std::vector<int64_t>;

TEST(SavedIds, OfASessionAreTakenOnceInTheirOrder) {
  SavedIds ids;
  ids.Add(Row("s", "tabs", "user"), Id(7));
  ids.Add(Row("other", "spaces", "user"), Id(8));
  ids.Add(Row("s", "pnpm", "agent"), Id(9));
  ids.Add(Row("s", "tabs again", "user"), Id(7));
  const auto taken = ids.Drain("s");
  EXPECT_EQ(Ids(taken), Numbers({9, 7}));
  EXPECT_EQ(taken[1].title, "tabs again");
  EXPECT_EQ(Ids(ids.Drain("s")), Numbers());
  EXPECT_EQ(Ids(ids.Drain("other")), Numbers({8}));
}

TEST(SavedIds, AreThoseOfWhatAModelMightSaveAgain) {
  SavedIds ids;
  ids.Add(Row("s", "a commit", "rule", "change"), Id(1));
  ids.Add(Row("s", "a rule's", "rule"), Id(2));
  ids.Add(Row("s", "a tool's", "tool-output"), Id(3));
  ids.Add(Row("s", "a digest", "agent", "session"), Id(4));
  OutboxRow session = Row("s", "no memory", "user");
  session.kind = "session";
  ids.Add(session, Id(5));
  for (const char* answer : {"", "{}", "[7]", R"({"id": "7"})", R"({"id": null})", "<html>"})
    ids.Add(Row("s", "no id", "user"), answer);
  EXPECT_EQ(Ids(ids.Drain("s")), Numbers({1}));
}

TEST(SavedIds, AreBounded) {
  SavedIds ids;
  ids.Add(Row("first", "old", "user"), Id(1));
  for (size_t i = 0; i < SavedIds::kMost; ++i)
    ids.Add(Row("s", "new", "user"), Id(static_cast<int64_t>(100 + i)));
  EXPECT_EQ(Ids(ids.Drain("first")), Numbers());
  EXPECT_EQ(Ids(ids.Drain("s")), Numbers({351, 352, 353, 354, 355}));
}

}  // namespace
}  // namespace sidecar
