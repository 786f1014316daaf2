// Shows that autoSave: false and autoSearch: false close all routes and tools that save and search:
// one test for each, with the switch on and off.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "lib/api/operations/example_request_fixture.h"
#include "sidecar/mcp/mcp_fixture.h"

namespace sidecar {
namespace {

using base::Json;

const Json kNote = {{"title", "t"}, {"type", "decision"}, {"content", "c"}};

struct Way {
  std::string name, setting;
  std::string method;  // of a route; "" for a tool
  std::string target;  // of a route; the tool's name
  Json body;           // of a route; the tool's arguments
};

void PrintTo(const Way& way, std::ostream* out) { *out << way.setting << ' ' << way.target; }

class Switches : public McpTest, public ::testing::WithParamInterface<Way> {
 protected:
  void SetUp() override {
    McpTest::SetUp();
    memory_.With([](StubMemory& stub) {
      stub.rows[1] = {{"id", 1},        {"type", "t"},        {"title", "t"},
                      {"content", "c"}, {"project", "coder"}, {"source", {{"origin", "agent"}}}};
    });
  }
  // Sets the switch, with allowAdmin, so that only the switch can refuse.
  void Turn(bool on) {
    UsePolicy({{"allowAdmin", true}, {"tools", "chapter"}, {GetParam().setting, on}});
  }
  size_t Asked() { return memory_.CountCalls(""); }
};

class SwitchedRoute : public Switches {};

TEST_P(SwitchedRoute, IsRefusedWhenTheSwitchIsOff) {
  const Way& way = GetParam();
  Turn(true);
  EXPECT_LT(Ask(way.method, way.target, way.body).status, 400);
  Turn(false);
  const size_t before = Asked();
  const Reply refused = Ask(way.method, way.target, way.body);
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.body["code"], "denied");
  EXPECT_EQ(Asked(), before) << "the server was asked all the same";
}

class SwitchedTool : public Switches {};

TEST_P(SwitchedTool, IsHiddenAndRefusedWhenTheSwitchIsOff) {
  const Way& way = GetParam();
  const Json call = {{"name", way.target}, {"arguments", way.body}};
  Turn(true);
  EXPECT_EQ(std::ranges::count(ListedTools(), way.target), 1);
  EXPECT_EQ(InSession("tools/call", call).body["result"]["isError"], false);
  Turn(false);
  EXPECT_EQ(std::ranges::count(ListedTools(), way.target), 0);
  const size_t before = Asked();
  for (const McpReply& refused : {InSession("tools/call", call), Stateless("tools/call", call)}) {
    EXPECT_EQ(refused.body.value("error", Json::object()).value("code", 0), kInvalidParams)
        << refused.raw;
    EXPECT_NE(refused.raw.find("does not offer"), std::string::npos);
  }
  EXPECT_EQ(Asked(), before) << "the server was asked all the same";
}

std::string NameOf(const ::testing::TestParamInfo<Way>& way) { return way.param.name; }

// The forwarded routes whose rows need a switch.
std::vector<Way> RoutesBehind(const char* setting, bool api::Policy::*needed) {
  std::vector<Way> ways;
  for (const api::Operation& row : api::Operations()) {
    if (row.Has(api::kHosted) || row.Has(api::kNotInSidecar)) continue;
    if (std::ranges::count(row.needs, needed) == 0) continue;
    api::ExampleRequest request = api::ExampleRequestOf(row, api::UsualRows(), {{"q", "x"}});
    ways.push_back({std::string(row.name), setting, request.method, request.target,
                    base::ParseJson(request.body).value_or(Json())});
  }
  return ways;
}

INSTANTIATE_TEST_SUITE_P(AutoSave, SwitchedRoute,
                         ::testing::ValuesIn(RoutesBehind("autoSave", &api::Policy::auto_save)),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(AutoSearch, SwitchedRoute,
                         ::testing::ValuesIn(RoutesBehind("autoSearch", &api::Policy::auto_search)),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(
    AutoSave, SwitchedTool,
    ::testing::Values(
        Way{"Save", "autoSave", "", "mem_save", kNote},
        Way{"Update", "autoSave", "", "mem_update", {{"id", 1}, {"title", "x"}}},
        Way{"Delete", "autoSave", "", "mem_delete", {{"id", 1}}},
        Way{"StoreItem", "autoSave", "", "memory_store", {{"key", "k"}, {"value", 1}}},
        Way{"UpdateItem", "autoSave", "", "memory_update_item", {{"key", "k"}, {"value", 1}}},
        Way{"ForgetItem", "autoSave", "", "memory_forget", {{"key", "k"}}},
        Way{"SuggestTopicKey", "autoSave", "", "mem_suggest_topic_key", {{"title", "x"}}}),
    NameOf);
INSTANTIATE_TEST_SUITE_P(
    AutoSearch, SwitchedTool,
    ::testing::Values(Way{"Search", "autoSearch", "", "mem_search", {{"query", "x"}}},
                      Way{"RetrieveItems", "autoSearch", "", "memory_retrieve", {{"query", "x"}}},
                      Way{"Context", "autoSearch", "", "mem_context", Json::object()},
                      Way{"Timeline", "autoSearch", "", "mem_timeline", {{"observation_id", 1}}}),
    NameOf);

}  // namespace
}  // namespace sidecar
