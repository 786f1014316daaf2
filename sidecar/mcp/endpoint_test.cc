// Shows /mcp for clients of each revision: sessions, headers, formats of answers, and the status
// and code of each refusal.
#include "sidecar/mcp/endpoint.h"

#include <gtest/gtest.h>

#include "sidecar/mcp/mcp_fixture.h"

namespace sidecar {
namespace {

using base::Json;

class McpEndpointTest : public McpTest {};

int CodeOf(const Json& body) { return body.value("error", Json::object()).value("code", 0); }

TEST_F(McpEndpointTest, InitializeAgreesAndBeginsASession) {
  for (const char* revision : {"2025-03-26", "2025-06-18", "2025-11-25"}) {
    const auto begun = Initialize(revision);
    ASSERT_EQ(begun.status, 200) << begun.raw;
    EXPECT_EQ(begun.body["result"]["protocolVersion"], revision);
    EXPECT_EQ(begun.body["result"]["capabilities"], (Json{{"tools", Json::object()}}));
    EXPECT_EQ(begun.body["result"]["serverInfo"]["name"], "agent-memory");
    const std::string session = *begun.headers.Get(kSessionHeader);
    const McpTest::Fields fields = {{kSessionHeader, session}, {kVersionHeader, revision}};
    EXPECT_EQ(Post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", fields).status,
              202);
    EXPECT_EQ(Post(R"({"jsonrpc":"2.0","id":9,"result":{}})", fields).status, 202);
    EXPECT_EQ(Post(Text("ping", Json::object(), "p"), fields).body,
              (Json{{"jsonrpc", "2.0"}, {"id", "p"}, {"result", Json::object()}}));
    EXPECT_EQ(Post(Text("tools/list", Json::object()), {{kSessionHeader, session}}).status, 200);
  }
  EXPECT_EQ(Initialize("2024-11-05").body["result"]["protocolVersion"], "2025-11-25");
}

TEST_F(McpEndpointTest, TheOldestRevisionHasBatches) {
  const std::string session = *Initialize("2025-03-26").headers.Get(kSessionHeader);
  const std::string two = "[" + Text("ping", Json::object(), "a") + "," +
                          R"({"jsonrpc":"2.0","method":"notifications/initialized"},)" +
                          Text("tools/list", Json::object(), "b") + "]";
  for (const McpTest::Fields& fields :
       {McpTest::Fields{{kSessionHeader, session}},
        {{kSessionHeader, session}, {kVersionHeader, "2025-03-26"}}}) {
    const auto answer = Post(two, fields);
    ASSERT_EQ(answer.status, 200) << answer.raw;
    ASSERT_EQ(answer.body.size(), 2u) << answer.raw;
    EXPECT_EQ(answer.body[0]["id"], "a");
    EXPECT_TRUE(answer.body[1]["result"].contains("tools"));
    EXPECT_EQ(Post(R"([{"jsonrpc":"2.0","method":"notifications/initialized"}])", fields).status,
              202);
    EXPECT_EQ(Post("[]", fields).status, 400);
    EXPECT_EQ(CodeOf(Post("[7]", fields).body.at(0)), kInvalidRequest);
    std::string many = "[" + Text("ping", Json::object(), "a");
    for (int i = 0; i < 40; ++i) many += "," + Text("ping", Json::object(), "a");
    EXPECT_EQ(Post(many + "]", fields).status, 400);
  }
  EXPECT_EQ(Post(two, {{kSessionHeader, std::string(64, 'a') + "-batches"}}).status, 404);
  EXPECT_EQ(Post(two, {{kSessionHeader, session}, {kVersionHeader, "2025-06-18"}}).status, 400);
}

TEST_F(McpEndpointTest, ASessionThatIsNotKnownIs404AndOneThatIsMissing400) {
  const std::string list = Text("tools/list", Json::object());
  EXPECT_EQ(Post(list, {}).status, 400);
  for (const std::string& foreign : {std::string(64, 'a'), std::string("x"), std::string("*")}) {
    EXPECT_EQ(Post(list, {{kSessionHeader, foreign}}).status, 404);
  }
  http::ClientRequest end;
  end.method = "DELETE";
  end.target = "/mcp";
  EXPECT_EQ(Sent(end).status, 400);
  end.headers.Set(kSessionHeader, *Initialize("2025-11-25").headers.Get(kSessionHeader));
  EXPECT_EQ(Sent(end).status, 204);
  EXPECT_EQ(Sent(end).status, 404);
  EXPECT_EQ(Post(list, {{kSessionHeader, *end.headers.Get(kSessionHeader)}}).status, 404);
}

TEST_F(McpEndpointTest, ASessionTakesEveryVersionHeaderThatHasSessions) {
  const std::string list = Text("tools/list", Json::object());
  for (const char* agreed : {"2025-03-26", "2025-06-18", "2025-11-25"}) {
    const std::string session = *Initialize(agreed).headers.Get(kSessionHeader);
    for (const char* said : {"2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}) {
      EXPECT_EQ(Post(list, {{kSessionHeader, session}, {kVersionHeader, said}}).status, 200)
          << said;
    }
    EXPECT_EQ(Post(list, {{kSessionHeader, session}}).status, 200);
    for (const char* other : {"2024-11-05", "nonsense"}) {
      EXPECT_EQ(Post(list, {{kSessionHeader, session}, {kVersionHeader, other}}).status, 400)
          << other;
    }
  }
}

TEST_F(McpEndpointTest, AStatelessClientNeedsNoSessionAndGetsNone) {
  const auto discovered = Stateless("server/discover");
  ASSERT_EQ(discovered.status, 200) << discovered.raw;
  EXPECT_EQ(discovered.body["result"]["supportedVersions"], Json::array({"2026-07-28"}));
  const auto listed = Stateless("tools/list", Json::object(), {{kSessionHeader, "ignored"}});
  ASSERT_EQ(listed.status, 200) << listed.raw;
  EXPECT_FALSE(listed.headers.Get(kSessionHeader));
  EXPECT_EQ(listed.body["result"]["resultType"], "complete");
  EXPECT_EQ(listed.body["result"]["tools"].size(), 9u);
  EXPECT_EQ(listed.body["result"]["tools"], InSession("tools/list").body["result"]["tools"]);
}

TEST_F(McpEndpointTest, MethodsOfOtherRevisionsAreNotThere) {
  for (const char* method : {"initialize", "ping", "logging/setLevel", "resources/list",
                             "prompts/list", "subscriptions/listen", "x"}) {
    const auto answer = Stateless(method);
    EXPECT_EQ(answer.status, 404) << method;
    EXPECT_EQ(CodeOf(answer.body), kMethodNotFound) << method;
    EXPECT_EQ(answer.body["id"], 1) << method;
  }
  EXPECT_EQ(CodeOf(InSession("resources/list").body), kMethodNotFound);
}

TEST_F(McpEndpointTest, AHeaderThatContradictsTheBodyIsRefused) {
  const auto call = Stateless("tools/call", {{"name", "mem_get"}, {"arguments", {{"id", 1}}}},
                              {{kNameHeader, "mem_delete"}});
  EXPECT_EQ(call.status, 400);
  EXPECT_EQ(CodeOf(call.body), kHeaderMismatch);
  EXPECT_EQ(CodeOf(Stateless("tools/list", Json::object(), {{kMethodHeader, "tools/call"}}).body),
            kHeaderMismatch);
  const auto version = Stateless("tools/list", Json::object(), {{kVersionHeader, "2025-11-25"}});
  EXPECT_EQ(version.status, 400);
  EXPECT_EQ(CodeOf(version.body), kHeaderMismatch);
  EXPECT_EQ(memory_.CountCalls(""), 0u);
}

TEST_F(McpEndpointTest, BrokenMessagesAreRefusedInEveryRevision) {
  session_ = *Initialize("2025-11-25").headers.Get(kSessionHeader);
  for (const char* body :
       {"", "{", "[]", R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])", "null",
        R"({"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"})",
        R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})", R"({"id":1,"method":"ping"})"}) {
    for (const McpTest::Fields& fields :
         {McpTest::Fields{}, McpTest::Fields{{kSessionHeader, session_}},
          McpTest::Fields{{kVersionHeader, kStatelessRevision}, {kMethodHeader, "ping"}}}) {
      const auto answer = Post(body, fields);
      EXPECT_EQ(answer.status, 400) << body;
      EXPECT_TRUE(CodeOf(answer.body) == kParseError || CodeOf(answer.body) == kInvalidRequest)
          << answer.raw;
    }
  }
}

TEST_F(McpEndpointTest, TheAnswerHasAFormThatTheClientTakes) {
  session_ = *Initialize("2025-11-25").headers.Get(kSessionHeader);
  const auto json = InSession("ping", Json::object(), {{"Accept", "application/json"}});
  EXPECT_EQ(json.headers.Get("Content-Type"), "application/json");
  const auto events = InSession("ping", Json::object(), {{"Accept", "text/event-stream"}});
  EXPECT_EQ(events.headers.Get("Content-Type"), "text/event-stream");
  EXPECT_TRUE(events.raw.starts_with("event: message\ndata: {")) << events.raw;
  EXPECT_TRUE(events.raw.ends_with("}\n\n"));
  EXPECT_EQ(InSession("ping", Json::object(), {{"Accept", "text/html"}}).status, 406);
  EXPECT_EQ(InSession("ping", Json::object(), {{"Accept", "*/*"}}).status, 200);
  EXPECT_EQ(InSession("ping", Json::object(), {{"Content-Type", "text/plain"}}).status, 415);
  EXPECT_EQ(InSession("ping", Json::object(), {{"Content-Type", "application/json; charset=utf-8"}})
                .status,
            200);
  http::ClientRequest get;
  get.target = "/mcp";
  EXPECT_EQ(Sent(get).status, 405);
}

TEST_F(McpEndpointTest, MessagesHaveALimit) {
  const Json huge = {{"name", "mem_search"}, {"arguments", {{"query", std::string(1 << 20, 'x')}}}};
  EXPECT_EQ(InSession("tools/call", huge).status, 413);
}

TEST_F(McpEndpointTest, AnUnknownToolIsAnErrorAndABadArgumentAResultThatSaysSo) {
  EXPECT_EQ(CodeOf(InSession("tools/call", {{"name", "rm"}}).body), kInvalidParams);
  EXPECT_EQ(CodeOf(InSession("tools/call", Json::object()).body), kInvalidParams);
  EXPECT_EQ(CodeOf(InSession("tools/call", {{"name", "mem_get"}, {"arguments", 1}}).body),
            kInvalidParams);
  const Json result = Call("mem_get", {{"id", "7"}});
  EXPECT_EQ(result["isError"], true);
  EXPECT_EQ(TextOf(result), "id must be a whole number from 1 to 9007199254740991, it is \"7\"");
  EXPECT_FALSE(result.contains("structuredContent"));
}

}  // namespace
}  // namespace sidecar
