// Shows the agent's routes of traces: the requests to the server, and the policy's switches.
#include <gtest/gtest.h>

#include "lib/api/operations/operations.h"
#include "sidecar/sidecar_fixture.h"

namespace sidecar {
namespace {

using base::Json;

class TraceRoutesTest : public SidecarTest {
 protected:
  void UsePolicy(const Json& memory) {
    directory_.Write("policy.json", PolicyText(memory_.url(), {{"memory", memory}}));
    Start();
  }
  StubMemory::Call LastCall() { return memory_.LastCall(); }
  static std::vector<api::Operation> TraceRoutes() { return api::TraceOperations(); }
  static std::string TargetOf(std::string_view path) {
    std::string pattern(path);
    for (const char* name : {"{id}", "{to}", "{run}", "{turn}"})
      if (const size_t at = pattern.find(name); at != std::string::npos)
        pattern.replace(at, std::string_view(name).size(), "a%2Fb");
    return pattern;
  }
};

TEST_F(TraceRoutesTest, EachGoesOnInTheContextOfThePolicy) {
  UsePolicy({{"project", "money"}, {"user", "ana"}});
  for (const api::Operation& route : TraceRoutes()) {
    SCOPED_TRACE(std::string(route.method) + " " + std::string(route.path));
    http::ClientRequest request;
    request.method = route.method;
    request.target = TargetOf(route.path) + "?project=other&conversation=c1&evil=1";
    request.headers.Set("X-Memory-User", "eve");
    const bool has_body = request.method != "GET" && request.method != "DELETE";
    if (has_body) request.body = R"({"content":"c","project":"other","source":{"origin":"user"}})";
    EXPECT_LT(Send(*api_, request).status, 300);
    const auto call = LastCall();
    EXPECT_EQ(call.method, route.method);
    EXPECT_EQ(call.target, TargetOf(route.path) + "?project=money&conversation=c1");
    EXPECT_EQ(call.user + " " + call.agent, "ana coder");
    if (request.method == "GET") continue;
    const Json body = base::ParseJson(call.body).value_or(Json());
    EXPECT_EQ(body["project"], "money");
    EXPECT_EQ(body["conversation"], "c1");
    EXPECT_EQ(body["source"], Json({{"origin", "agent"}}));
  }
}

TEST_F(TraceRoutesTest, TheSwitchesOfThePolicyCloseThem) {
  UsePolicy({{"autoSave", false}, {"autoSearch", false}, {"allowAdmin", true}});
  for (const api::Operation& route : TraceRoutes()) {
    const size_t before = memory_.CountCalls("");
    const int status = Ask(std::string(route.method), TargetOf(route.path),
                           route.method == "GET" ? Json() : Json::object())
                           .status;
    if (route.needs.empty()) {
      EXPECT_LT(status, 300) << route.path;
      continue;
    }
    EXPECT_EQ(status, 403) << route.method << " " << route.path;
    EXPECT_EQ(memory_.CountCalls(""), before) << route.path;
  }
}

TEST_F(TraceRoutesTest, AnIngestGoesByTheSettingsOfThePolicy) {
  UsePolicy({{"autoIngest", {{"importanceThreshold", 0.5}, {"maxPerTurn", 2}}},
             {"personality", {{"openness", 0.7}}}});
  const std::string secret =
      "gh"
      "p_abcdefghijklmnopqrstuvwxyz0123456789";
  const Reply taken = Ask("POST", "/ingest/turns",
                          {{"user", "I like tea " + secret},
                           {"assistant", "Noted."},
                           {"conversation", "mine"},
                           {"settings", {{"importanceThreshold", 0}}}});
  EXPECT_EQ(taken.status, 202);
  EXPECT_EQ(taken.body["turn"], "t-1");
  const Json turn = memory_.With([](StubMemory& stub) { return stub.turns.at(0); });
  EXPECT_EQ(turn["settings"], Json::parse(R"({"importanceThreshold": 0.5, "maxPerTurn": 2,
                                              "personality": {"openness": 0.7}})"));
  EXPECT_EQ(turn["conversation"], "mine");
  EXPECT_EQ(turn.dump().find("ghp_"), std::string::npos);
}

}  // namespace
}  // namespace sidecar
