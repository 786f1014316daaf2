// Shows that admitted callers read the audit log page by page, that the read mark only moves
// forward, and that the database keeps unread rows.
#include "sidecar/routes/audit_routes.h"

#include <gtest/gtest.h>

#include "sidecar/sidecar_fixture.h"
#include "sidecar/tables/audit_log.h"

namespace sidecar {
namespace {

using base::Json;

class AuditReader : public SidecarTest {
 protected:
  void SetUp() override { Allow(true); }
  void Allow(bool admin) {
    directory_.Write("policy.json",
                     PolicyText(memory_.url(), {{"memory", {{"allowAdmin", admin}}},
                                                {"toolHooks", {{"auditTools", {"bash"}}}}}));
    Start();
  }
  // Writes rows into state.db while the sidecar is stopped.
  void Add(int rows, size_t bytes) {
    running_.reset();
    auto state = State::Open(directory_.path() + "/state", [](const base::Error&) {});
    ASSERT_TRUE(state) << state.error().message;
    const auto added = (*state)->Change([&](sqlite::Database& db) -> base::Status {
      for (int i = 0; i < rows; ++i) {
        const Json details = {{"input", std::string(bytes, '"')}};
        RETURN_IF_ERROR(AddAudit(db, "c1", "PreToolUse", "bash", details, i));
      }
      return {};
    });
    ASSERT_TRUE(added) << added.error().message;
    state->reset();
    Start();
  }
  Reply Mark(const Json& body) { return Ask("POST", "/v1/audit/read", body); }
};

TEST_F(AuditReader, RowsComeInOrderFromTheFirstThatWasNotRead) {
  EXPECT_EQ(Ask("GET", "/v1/audit").body,
            (Json{{"rows", Json::array()}, {"last", 0}, {"read_through", 0}, {"unread", 0}}));
  for (const char* id : {"t1", "t2", "t3"}) Bash("out", id);
  const Json first = Ask("GET", "/v1/audit?limit=2").body;
  ASSERT_EQ(first["rows"].size(), 2u) << first;
  EXPECT_EQ(first["rows"][0]["number"], 1);
  EXPECT_EQ(first["rows"][0]["tool"], "Bash");
  EXPECT_EQ(first["rows"][0]["details"]["tool_use_id"], "t1");
  EXPECT_EQ(first["unread"], 3);
  EXPECT_EQ(first["partial"], true);
  const Json second =
      Ask("GET", "/v1/audit?limit=2&cursor=" + first["next_cursor"].get<std::string>()).body;
  ASSERT_EQ(second["rows"].size(), 1u);
  EXPECT_EQ(second["rows"][0]["details"]["tool_use_id"], "t3");
  EXPECT_FALSE(second.contains("partial"));

  EXPECT_EQ(Mark({{"through", 2}}).body, (Json{{"last", 3}, {"read_through", 2}, {"unread", 1}}));
  EXPECT_EQ(Ask("GET", "/v1/audit").body["rows"].size(), 1u);
  EXPECT_EQ(Ask("GET", "/v1/audit?from=1").body["rows"].size(), 3u) << "read is not gone";
}

TEST_F(AuditReader, TheMarkMovesForwardOnlyAndNotBeyondTheLastRow) {
  for (const char* id : {"t1", "t2"}) Bash("out", id);
  EXPECT_EQ(Mark({{"through", 2}}).body["read_through"], 2);
  EXPECT_EQ(Mark({{"through", 2}}).body["read_through"], 2);
  EXPECT_EQ(Mark({{"through", 1}}).status, 200);
  EXPECT_EQ(Mark({{"through", 1}}).body["read_through"], 2);
  const Reply beyond = Mark({{"through", 3}});
  EXPECT_EQ(beyond.status, 400);
  EXPECT_NE(beyond.body.dump().find("through is 3"), std::string::npos) << beyond.body;
  for (const Json& bad : {Json{{"through", 0}}, Json{{"through", "2"}}, Json{{"through", 1.5}},
                          Json::object(), Json::array()}) {
    EXPECT_EQ(Mark(bad).status, 400) << bad;
  }
  Start();
  EXPECT_EQ(Ask("GET", "/v1/audit").body["read_through"], 2) << "over a restart";
}

TEST_F(AuditReader, OnlyWhoMayAdministerIsLetIn) {
  Bash("out", "t1");
  Allow(false);
  EXPECT_EQ(Ask("GET", "/v1/audit").status, 403);
  EXPECT_EQ(Mark({{"through", 1}}).status, 403);
  EXPECT_EQ(AskAdmin("/v1/audit").status, 404) << "the admin port is open to everybody";
  Allow(true);
  EXPECT_EQ(Ask("GET", "/v1/audit").body["read_through"], 0);
}

TEST_F(AuditReader, NoAnswerIsLargerThanItsLimit) {
  Add(1'500, 8'000);
  size_t rows = 0;
  std::string target = "/v1/audit";
  for (int pages = 0; pages < 20; ++pages) {
    const Json answer = Ask("GET", target).body;
    EXPECT_LE(answer.dump().size(), size_t{8} << 20);
    rows += answer["rows"].size();
    if (!answer.contains("next_cursor")) break;
    target = "/v1/audit?cursor=" + answer["next_cursor"].get<std::string>();
  }
  EXPECT_EQ(rows, 1'500u);
  for (const char* bad : {"limit=0", "limit=1001", "from=0", "from=x", "cursor=x"}) {
    EXPECT_EQ(Ask("GET", std::string("/v1/audit?") + bad).status, 400) << bad;
  }
}

TEST_F(AuditReader, TheDatabaseItselfKeepsWhatWasNotRead) {
  Add(5, 10);
  Mark({{"through", 3}});
  running_.reset();
  auto db = sqlite::Database::Open(directory_.path() + "/state/state.db",
                                   {.access = sqlite::Access::kWriter});
  ASSERT_TRUE(db);
  EXPECT_FALSE(db->Execute("DELETE FROM audit_log WHERE number = 4"));
  EXPECT_FALSE(db->Execute("DELETE FROM audit_log"));
  EXPECT_FALSE(db->Execute("UPDATE audit_log SET tool = 'x' WHERE number = 1"));
  EXPECT_FALSE(db->Execute("UPDATE audit_read SET through = 2"));
  EXPECT_TRUE(db->Execute("DELETE FROM audit_log WHERE number <= 3"));
}

}  // namespace
}  // namespace sidecar
