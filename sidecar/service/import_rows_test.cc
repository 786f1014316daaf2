// Shows that an agent's import keeps no secret, other project or trust class above an agent's.
#include "sidecar/service/import_rows.h"

#include <gtest/gtest.h>

#include "sidecar/sidecar_fixture.h"

namespace sidecar {
namespace {

using base::Json;

TEST(ImportRows, RowsAreHeldToTheProjectTheTrustAndTheRedactionOfTheAgent) {
  const std::string secret = "ghp" + ("_" + std::string(36, 'Q'));
  const Json policy_more = {{"memory", {{"allowGlobal", false}}}};
  const auto policy = CompilePolicy(PolicyText("http://x", policy_more), 0);
  ASSERT_TRUE(policy);
  Json document = {
      {"format", "agent-memory/1"},
      {"sessions", {{{"id", "s"}, {"project", "other"}, {"summary", secret}}}},
      {"observations",
       {{{"title", "a " + secret},
         {"content", secret},
         {"tags", {secret}},
         {"project", "other"},
         {"scope", "global"},
         {"source", {{"origin", "user"}, {"tool", "x"}}},
         {"revisions", {{{"content", secret}, {"trust", "user"}}, {{"trust", "import"}}}}},
        {{"title", "b"}, {"source", "manual"}},
        {{"title", "c"}, {"source", {{"origin", "tool-output"}}}},
        7}}};
  ASSERT_TRUE(HoldImport(**policy, document));
  EXPECT_EQ(document.dump().find(secret), std::string::npos);
  EXPECT_EQ(document.dump().find("other"), std::string::npos);
  const Json& rows = document["observations"];
  EXPECT_EQ(rows[0]["source"], (Json{{"origin", "agent"}, {"tool", "x"}}));
  EXPECT_EQ(rows[0]["scope"], "project");
  EXPECT_EQ(rows[0]["revisions"][0]["trust"], "agent");
  EXPECT_EQ(rows[0]["revisions"][1]["trust"], "import");
  EXPECT_EQ(rows[1]["source"]["origin"], "agent");
  EXPECT_EQ(rows[2]["source"]["origin"], "tool-output");
  EXPECT_EQ(document["sessions"][0]["project"], "coder");
}

TEST(ImportRows, WhatCouldHoldOtherRowsIsRefused) {
  const auto policy = CompilePolicy(PolicyText("http://x"), 0);
  ASSERT_TRUE(policy);
  for (const char* field : {"memories", "results", "prompts", "kind", "version"}) {
    Json document = {{"observations", Json::array()}, {field, Json::array()}};
    const auto held = HoldImport(**policy, document);
    ASSERT_FALSE(held) << field;
    EXPECT_NE(held.error().message.find(field), std::string::npos);
  }
}

}  // namespace
}  // namespace sidecar
