// Shows that autoSave: false and autoSearch: false close all routes and tools that save and search:
// one test for each, with the switch on and off.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "sidecar/mcp/mcp_fixture.h"

namespace sidecar {
namespace {

using base::Json;

const Json kNote = {{"title", "t"}, {"type", "decision"}, {"content", "c"}};

struct Way {
  const char* name;
  const char* setting;
  const char* method;  // of a route; "" for a tool
  const char* target;  // of a route; the tool's name
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

INSTANTIATE_TEST_SUITE_P(
    AutoSave, SwitchedRoute,
    ::testing::Values(Way{"Post", "autoSave", "POST", "/observations", kNote},
                      Way{"Patch", "autoSave", "PATCH", "/observations/1", {{"title", "x"}}},
                      Way{"Delete", "autoSave", "DELETE", "/observations/1", nullptr},
                      Way{"PutItem", "autoSave", "PUT", "/items/k", {{"value", 1}}},
                      Way{"PatchItem", "autoSave", "PATCH", "/items/k", {{"value", 1}}},
                      Way{"DeleteItem", "autoSave", "DELETE", "/items/k", nullptr},
                      Way{"StoreEpisode", "autoSave", "POST", "/episodic/store", Json::object()},
                      Way{"ConsiderItem",
                          "autoSave",
                          "POST",
                          "/items/consider",
                          {{"user_input", "a"}, {"answer", "b"}}},
                      Way{"Import", "autoSave", "POST", "/import", Json::object()}),
    NameOf);
INSTANTIATE_TEST_SUITE_P(
    AutoSearch, SwitchedRoute,
    ::testing::Values(Way{"Search", "autoSearch", "GET", "/search?q=x", nullptr},
                      Way{"Context", "autoSearch", "GET", "/context", nullptr},
                      Way{"Episodes", "autoSearch", "GET", "/episodic/c", nullptr},
                      Way{"SearchEpisodes", "autoSearch", "POST", "/episodic/search",
                          Json::object()},
                      Way{"Items", "autoSearch", "GET", "/items?query=x", nullptr},
                      Way{"RenderItems", "autoSearch", "GET", "/items/render?query=x", nullptr},
                      Way{"Recent", "autoSearch", "GET", "/observations/recent", nullptr},
                      Way{"Sessions", "autoSearch", "GET", "/sessions/recent", nullptr},
                      Way{"Timeline", "autoSearch", "GET", "/timeline?observation_id=1", nullptr},
                      Way{"Export", "autoSearch", "GET", "/export", nullptr}),
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
