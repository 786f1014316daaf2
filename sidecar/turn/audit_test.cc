// Shows that calls of auditTools are in the audit log, denied calls with their reason, and that the
// log is append-only.
#include <gtest/gtest.h>

#include "lib/sqlite/database.h"
#include "sidecar/sidecar_fixture.h"

namespace sidecar {
namespace {

using base::Json;

class AuditTest : public SidecarTest {
 protected:
  void SetUp() override {
    directory_.Write("policy.json",
                     PolicyText(memory_.url(), {{"toolHooks",
                                                 {{"auditTools", {"ba*", "kubectl_apply"}},
                                                  {"blockedCommands", {"rm -rf"}},
                                                  {"allowedPaths", {"/repo"}},
                                                  {"memorySaveRules", Json::array()}}}}));
    Start();
  }
  // Stops the sidecar and reads the log from its file.
  std::vector<std::string> Rows() {
    running_.reset();
    auto db = sqlite::Database::Open(directory_.path() + "/state/state.db",
                                     {.access = sqlite::Access::kWriter});
    EXPECT_TRUE(db);
    EXPECT_FALSE(db->Execute("UPDATE audit_log SET tool = 'x'"));
    EXPECT_FALSE(db->Execute("DELETE FROM audit_log"));
    auto query = db->Prepare(
        "SELECT event || ' ' || tool || ' ' || details FROM audit_log"
        " ORDER BY number");
    EXPECT_TRUE(query);
    std::vector<std::string> rows;
    while (*query->Step()) rows.push_back(query->Text(0));
    return rows;
  }
};

TEST_F(AuditTest, EveryCallIsARowThatStays) {
  const std::string secret = "ghp" + ("_" + std::string(36, 'Q'));
  const Json input = {
      {"tool_name", "Bash"}, {"cwd", "/repo"}, {"tool_input", {{"command", "echo " + secret}}}};
  Json call = input, denied = input, failed = input, other = input, mcp = input;
  call["tool_use_id"] = "t1";
  Hook("PreToolUse", call);
  Hook("PostToolUse", call);
  denied["tool_use_id"] = "t2";
  denied["tool_input"]["command"] = "rm -rf /";
  Hook("PreToolUse", denied);
  failed["tool_use_id"] = "t3";
  failed["error"] = "Exit code 3";
  Hook("PostToolUseFailure", failed);
  other["tool_name"] = "Read";
  Hook("PostToolUse", other);
  mcp["tool_name"] = "mcp__k8s__kubectl_apply";
  Hook("PostToolUse", mcp);
  Json outside = input;
  outside["tool_use_id"] = "t4";
  outside["tool_input"]["command"] = "cat /etc/" + secret;
  Hook("PreToolUse", outside);
  EXPECT_EQ(memory_.CountCalls("POST /observations"), 0u) << "an audit record is no memory";
  const auto rows = Rows();
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_TRUE(rows[0].starts_with("PreToolUse Bash ")) << rows[0];
  EXPECT_TRUE(rows[1].starts_with("PostToolUse Bash ")) << rows[1];
  EXPECT_NE(rows[2].find("blocks the command"), std::string::npos) << rows[2];
  EXPECT_NE(rows[3].find("Exit code 3"), std::string::npos) << rows[3];
  EXPECT_TRUE(rows[4].starts_with("PostToolUse mcp__k8s__kubectl_apply ")) << rows[4];
  EXPECT_NE(rows[5].find("allows no access to /etc/[REDACTED:"), std::string::npos) << rows[5];
  for (const std::string& row : rows) EXPECT_EQ(row.find(secret), std::string::npos) << row;
}

}  // namespace
}  // namespace sidecar
