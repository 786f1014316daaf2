// Shows the detection of a request's revision, and the headers that a request of 2026-07-28 needs.
#include "sidecar/mcp/revision.h"

#include <gtest/gtest.h>

namespace sidecar {
namespace {

using base::Json;

McpMessage Request(const std::string& method, Json params = Json::object()) {
  McpMessage message;
  message.id = 1;
  message.method = method;
  message.params = std::move(params);
  return message;
}

Json Meta(const std::string& version = kStatelessRevision) {
  return {{"io.modelcontextprotocol/protocolVersion", version},
          {"io.modelcontextprotocol/clientCapabilities", Json::object()}};
}

http::Headers HeadersOf(std::vector<std::pair<std::string, std::string>> fields) {
  http::Headers headers;
  for (auto& [name, value] : fields) headers.Add(name, value);
  return headers;
}

int Refusal(const McpMessage& request, const http::Headers& headers) {
  const auto refused = RefuseStateless(request, headers);
  return refused ? refused->code : 0;
}

TEST(McpRevision, ARequestSaysWhichRevisionItSpeaks) {
  const http::Headers none;
  EXPECT_TRUE(IsStateless(Request("tools/list", {{"_meta", Meta()}}), none));
  EXPECT_TRUE(IsStateless(Request("server/discover"), none));
  EXPECT_TRUE(IsStateless(Request("tools/list"), HeadersOf({{kVersionHeader, "2026-07-28"}})));
  EXPECT_TRUE(IsStateless(Request("tools/list"), HeadersOf({{kVersionHeader, "2031-01-01"}})));
  EXPECT_FALSE(IsStateless(Request("tools/list"), none));
  EXPECT_FALSE(IsStateless(Request("initialize"), HeadersOf({{kVersionHeader, "2025-06-18"}})));
  EXPECT_FALSE(IsStateless(Request("tools/list", {{"_meta", {{"progressToken", 1}}}}), none));
}

TEST(McpRevision, InitializeAgreesOnTheAskedRevisionOrTheNewestWithSessions) {
  EXPECT_EQ(AgreedRevision("2025-06-18"), "2025-06-18");
  EXPECT_EQ(AgreedRevision("2025-11-25"), "2025-11-25");
  for (const char* other : {"2024-11-05", "2026-07-28", "nonsense"}) {
    EXPECT_EQ(AgreedRevision(other), "2025-11-25") << other;
  }
}

TEST(McpRevision, AStatelessRequestNeedsItsMeta) {
  const http::Headers headers =
      HeadersOf({{kVersionHeader, kStatelessRevision}, {kMethodHeader, "tools/list"}});
  EXPECT_EQ(Refusal(Request("tools/list", {{"_meta", Meta()}}), headers), 0);
  EXPECT_EQ(Refusal(Request("tools/list"), headers), kInvalidParams);
  for (const char* field :
       {"io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities"}) {
    Json meta = Meta();
    meta.erase(field);
    EXPECT_EQ(Refusal(Request("tools/list", {{"_meta", meta}}), headers), kInvalidParams) << field;
    meta[field] = 1;
    EXPECT_EQ(Refusal(Request("tools/list", {{"_meta", meta}}), headers), kInvalidParams) << field;
  }
}

TEST(McpRevision, HeadersMustSayWhatTheBodySays) {
  const McpMessage call = Request("tools/call", {{"name", "mem_get"}, {"_meta", Meta()}});
  const std::pair<std::string, std::string> version = {kVersionHeader, kStatelessRevision},
                                            method = {kMethodHeader, "tools/call"},
                                            name = {kNameHeader, "mem_get"};
  EXPECT_EQ(Refusal(call, HeadersOf({version, method, name})), 0);
  EXPECT_EQ(Refusal(call, HeadersOf({{"mcp-protocol-version", kStatelessRevision},
                                     {"MCP-METHOD", "tools/call"},
                                     {"mcp-name", "=?base64?bWVtX2dldA==?="}})),
            0);
  const std::vector<std::vector<std::pair<std::string, std::string>>> wrong = {
      {},
      {version},
      {method, name},
      {version, name},
      {version, method},
      {{kVersionHeader, "2025-11-25"}, method, name},
      {version, {kMethodHeader, "tools/list"}, name},
      {version, {kMethodHeader, "Tools/Call"}, name},
      {version, method, {kNameHeader, "mem_delete"}},
      {version, method, {kNameHeader, "Mem_Get"}},
      {version, method, {kNameHeader, ""}},
      {version, method, {kNameHeader, "=?base64?bWVtX2RlbGV0ZQ==?="}},
      {version, method, {kNameHeader, "=?base64?bWVtX2dldA?="}},
      {version, method, {kNameHeader, "=?base64?bWVtX2dldB==?="}},
      {version, method, {kNameHeader, "=?base64?b*VtX2dldA==?="}},
      {version, method, {kNameHeader, "=?base64?="}},
      {version, method, name, {kNameHeader, "mem_get"}},
      {version, method, name, {"MCP-METHOD", "tools/call"}},
      {version, version, method, name}};
  for (const auto& fields : wrong) {
    std::string shown;
    for (const auto& [field, value] : fields) shown += field + ": " + value + "; ";
    EXPECT_EQ(Refusal(call, HeadersOf(fields)), kHeaderMismatch) << shown;
  }
}

TEST(McpRevision, ARevisionThatIsNotServedIsToldWhichIs) {
  const McpMessage request = Request("server/discover", {{"_meta", Meta("2031-01-01")}});
  const auto refused = RefuseStateless(
      request, HeadersOf({{kVersionHeader, "2031-01-01"}, {kMethodHeader, "server/discover"}}));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->code, kUnsupportedVersion);
  EXPECT_EQ(refused->data,
            (Json{{"supported", Json::array({"2026-07-28"})}, {"requested", "2031-01-01"}}));
  EXPECT_EQ(DiscoverResult("")["supportedVersions"], refused->data["supported"]);
}

TEST(McpRevision, StatelessResultsCarryWhatTheRevisionAsksFor) {
  const Json list = StatelessResult({{"tools", Json::array()}}, true);
  EXPECT_EQ(list["resultType"], "complete");
  EXPECT_EQ(list["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "agent-memory");
  EXPECT_GE(list["ttlMs"].get<int>(), 0);
  EXPECT_EQ(list["cacheScope"], "private");
  EXPECT_FALSE(StatelessResult(Json::object(), false).contains("ttlMs"));
}

}  // namespace
}  // namespace sidecar
