// Test code: an MCP client with both kinds of revisions, stateless and with sessions.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sidecar/mcp/revision.h"
#include "sidecar/sidecar_fixture.h"

namespace sidecar {

class McpTest : public SidecarTest {
 protected:
  struct McpReply {
    int status = 0;
    base::Json body;
    http::Headers headers;
    std::string raw;
  };
  using Fields = std::vector<std::pair<std::string, std::string>>;

  void UsePolicy(const base::Json& memory) {
    directory_.Write("policy.json", PolicyText(memory_.url(), {{"memory", memory}}));
    Start();
    session_.clear();
  }

  McpReply Post(const std::string& body, const Fields& fields) {
    http::ClientRequest request;
    request.method = "POST";
    request.target = "/mcp";
    request.headers.Set("Content-Type", "application/json");
    request.headers.Set("Accept", "application/json, text/event-stream");
    for (const auto& [name, value] : fields) request.headers.Set(name, value);
    request.body = body;
    return Sent(request);
  }
  McpReply Sent(const http::ClientRequest& request) {
    auto answer = api_->Send(request);
    EXPECT_TRUE(answer) << (answer ? "" : answer.error().message);
    if (!answer) return {};
    return {answer->status, base::ParseJson(answer->body).value_or(base::Json()), answer->headers,
            answer->body};
  }

  static std::string Text(const std::string& method, base::Json params, base::Json id = 1) {
    return base::DumpJson({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}});
  }

  // Sends a request of revision 2026-07-28: stateless, with everything in the request.
  McpReply Stateless(const std::string& method, base::Json params = base::Json::object(),
                     const Fields& more = {}) {
    params["_meta"] = {{"io.modelcontextprotocol/protocolVersion", kStatelessRevision},
                       {"io.modelcontextprotocol/clientCapabilities", base::Json::object()}};
    Fields fields = {{kVersionHeader, kStatelessRevision}, {kMethodHeader, method}};
    if (params.contains("name")) fields.emplace_back(kNameHeader, params["name"]);
    fields.insert(fields.end(), more.begin(), more.end());
    return Post(Text(method, params), fields);
  }

  McpReply Initialize(const std::string& revision) {
    return Post(Text("initialize", {{"protocolVersion", revision},
                                    {"capabilities", base::Json::object()},
                                    {"clientInfo", {{"name", "test"}, {"version", "1"}}}}),
                {});
  }
  // Sends a request of earlier revisions: in a session, which the first request begins.
  McpReply InSession(const std::string& method, const base::Json& params = base::Json::object(),
                     const Fields& more = {}) {
    if (session_.empty()) {
      session_ = Initialize(kNewestSessionRevision).headers.Get(kSessionHeader).value_or("");
    }
    Fields fields = {{kSessionHeader, session_}, {kVersionHeader, kNewestSessionRevision}};
    fields.insert(fields.end(), more.begin(), more.end());
    return Post(Text(method, params), fields);
  }

  // Calls a tool in a session. → its result.
  base::Json Call(const std::string& tool, const base::Json& arguments = base::Json::object()) {
    const McpReply reply = InSession("tools/call", {{"name", tool}, {"arguments", arguments}});
    EXPECT_EQ(reply.status, 200) << reply.raw;
    EXPECT_TRUE(reply.body.contains("result")) << reply.raw;
    return reply.body.value("result", base::Json::object());
  }
  static std::string TextOf(const base::Json& result) {
    return result.at("content").at(0).at("text");
  }
  std::vector<std::string> ListedTools() {
    const McpReply reply = InSession("tools/list");
    std::vector<std::string> names;
    for (const auto& tool : reply.body.at("result").at("tools")) names.push_back(tool["name"]);
    return names;
  }

  std::string session_;
};

}  // namespace sidecar
