// Calls of the routes of traces, by a user and an agent. Test code.
#pragma once

#include "memory/api/api_fixture.h"

namespace memory {

inline constexpr int64_t kDayMs = 86'400'000;

class TracesRouteTest : public ApiTest {
 protected:
  // Of a user and an agent; empty: of nobody in particular.
  Answered Call(const std::string& method, const std::string& target, const Json& body = nullptr,
                const std::string& user = "", const std::string& agent = "") {
    http::ClientRequest request;
    request.method = method;
    request.target = target;
    if (!body.is_null()) request.body = base::DumpJson(body);
    request.timeout_ms = 60'000;
    if (!user.empty()) request.headers.Set("X-Memory-User", user);
    if (!agent.empty()) request.headers.Set("X-Memory-Agent", agent);
    auto response = client_->Send(request);
    EXPECT_TRUE(response) << response.error().message;
    if (!response) return {};
    auto json = base::ParseJson(response->body);
    return {response->status, json ? *json : Json(response->body), response->headers};
  }
  std::string Add(const std::string& content, const Json& more = Json::object(),
                  const std::string& user = "") {
    Json body = {{"content", content}};
    body.update(more);
    const Answered added = Call("POST", "/traces", body, user);
    EXPECT_EQ(added.status, 201) << added.body;
    return added.body.value("traceId", "");
  }
  Json Trace(const std::string& id) {
    const Answered got = Call("GET", "/traces/" + id);
    EXPECT_EQ(got.status, 200) << got.body;
    return got.body;
  }
  std::vector<std::string> Found(const Json& question, const std::string& user = "") {
    const Answered answer = Call("POST", "/traces/search", question, user);
    EXPECT_EQ(answer.status, 200) << answer.body;
    std::vector<std::string> ids;
    for (const Json& one : answer.body["results"]) ids.push_back(one["id"]);
    return ids;
  }
  using Ids = std::vector<std::string>;
};

}  // namespace memory
