// Every route of the server's own table, with a request for it, sent with any Authorization header.
// For the tests of identity. Test code.
#pragma once

#include <functional>
#include <iomanip>
#include <sstream>

#include "lib/testing/temporary_directory.h"
#include "memory/api/api_fixture.h"
#include "memory/api/gate.h"
#include "memory/identity/identity_fixture.h"
#include "memory/routes.h"

namespace memory {

inline constexpr const char* kCanary = "xylophone-canary";

// A request that would succeed for team-a, whose row `id` and session s-p are there.
struct Wish {
  std::string target, body;
};

// The trace that an observation is read as.
inline std::string NumberedTrace(int64_t observation) {
  std::ostringstream id;
  id << "mt_00000000-0000-8000-8000-" << std::hex << std::setw(12) << std::setfill('0')
     << observation;
  return id.str();
}

inline std::optional<Wish> WishFor(const std::string& route, int64_t id) {
  const std::string number = std::to_string(id);
  const std::map<std::string, Wish> wishes = {
      {"GET /health", {"/health", ""}},
      {"POST /sessions", {"/sessions", R"({"id":"s-p","project":"p"})"}},
      {"POST /sessions/{id}/end", {"/sessions/s-p/end", R"({"messages":[]})"}},
      {"GET /sessions/recent", {"/sessions/recent", ""}},
      {"POST /observations",
       {"/observations",
        R"({"session_id":"s-p","type":"t","title":"t","content":"c","project":"p"})"}},
      {"GET /observations/recent", {"/observations/recent?project=p", ""}},
      {"GET /observations/{id}", {"/observations/" + number, ""}},
      {"PATCH /observations/{id}", {"/observations/" + number, R"({"title":"new"})"}},
      {"DELETE /observations/{id}", {"/observations/" + number + "?hard=true", ""}},
      {"GET /observations/{id}/revisions", {"/observations/" + number + "/revisions", ""}},
      {"GET /search", {std::string("/search?q=") + kCanary, ""}},
      {"GET /context", {std::string("/context?project=p&q=") + kCanary, ""}},
      {"GET /timeline", {"/timeline?observation_id=" + number, ""}},
      {"GET /stats", {"/stats", ""}},
      {"GET /export", {"/export", ""}},
      {"POST /import", {"/import", R"({"sessions":[],"observations":[]})"}},
      {"GET /retention", {"/retention?project=p", ""}},
      {"PUT /retention", {"/retention?project=p", R"({"retention":[]})"}},
      {"POST /forget", {"/forget", "{}"}},
      {"GET /items", {std::string("/items?project=p&query=") + kCanary, ""}},
      {"GET /items/render", {std::string("/items/render?project=p&query=") + kCanary, ""}},
      {"POST /items/consider",
       {"/items/consider", R"({"user_input":"I prefer tea","answer":"noted","project":"p"})"}},
      {"PUT /items/{key}", {"/items/k?project=p", R"({"value":1})"}},
      {"GET /items/{key}", {"/items/k?project=p", ""}},
      {"PATCH /items/{key}", {"/items/k?project=p", R"({"value":2})"}},
      {"DELETE /items/{key}", {"/items/k?project=p", ""}},
      {"POST /episodic/store",
       {"/episodic/store",
        R"({"conversation_id":"s-p","agent_id":"a","summary":"s","project":"p"})"}},
      {"POST /episodic/search",
       {"/episodic/search", R"({"query":"xylophone-canary","agent_id":"a","project":"p"})"}},
      {"GET /episodic/{conversation}", {"/episodic/s-p?project=p", ""}},
      {"POST /conversations/{id}/blocks", {"/conversations/c/blocks", "{}"}},
      {"POST /conversations/{id}/blocks/close", {"/conversations/c/blocks/close", "{}"}},
      {"GET /conversations/{id}/blocks", {"/conversations/c/blocks", ""}},
      {"GET /conversations/{id}/blocks/{n}", {"/conversations/c/blocks/0", ""}},
      {"GET /conversations/{id}/context", {"/conversations/c/context?max_tokens=9000", ""}},
      {"GET /conversations/{id}/render", {"/conversations/c/render", ""}},
      {"GET /conversations/{id}/snapshot", {"/conversations/c/snapshot", ""}},
      {"PUT /conversations/{id}/snapshot", {"/conversations/c/snapshot", R"({"task":"t"})"}},
      {"PUT /conversations/{id}/working", {"/conversations/c/working", R"({"task":"t"})"}},
      {"PUT /conversations/{id}/checkpoint", {"/conversations/c/checkpoint", R"({"step":1})"}},
      {"GET /conversations/{id}/checkpoint", {"/conversations/c/checkpoint", ""}},
      {"GET /conversations/{id}/checkpoints", {"/conversations/c/checkpoints", ""}},
      {"GET /conversations", {"/conversations", ""}},
      {"GET /conversations/current", {"/conversations/current", ""}},
      {"GET /conversations/{id}/messages", {"/conversations/c/messages", ""}},
      {"POST /conversations/{id}/messages",
       {"/conversations/c/messages", R"({"messages":[{"role":"user","content":"c"}]})"}},
      {"PUT /conversations/{id}/state", {"/conversations/c/state", R"({"state":"ended"})"}},
      {"DELETE /conversations/{id}", {"/conversations/c", ""}},
      {"GET /ledger/{conversation}", {"/ledger/c", ""}},
      {"POST /ledger/{conversation}/check", {"/ledger/c/check", R"({"item":"x"})"}},
      {"POST /ledger/{conversation}/mark", {"/ledger/c/mark", R"({"item":"x"})"}},
      {"POST /ledger/{conversation}/evict", {"/ledger/c/evict", R"({"item":"x"})"}},
      {"GET /working-memory/{conversation_id}", {"/working-memory/c", ""}},
      {"PUT /working-memory/{conversation_id}", {"/working-memory/c", R"({"fields":{"a":1}})"}},
      {"DELETE /working-memory/{conversation_id}", {"/working-memory/c", ""}},
      {"GET /shared", {"/shared", ""}},
      {"GET /shared/{agent}/{key}", {"/shared/a/k", ""}},
      {"PUT /shared/{agent}/{key}", {"/shared/a/k", R"("v")"}},
      {"DELETE /shared/{agent}/{key}", {"/shared/a/k", ""}},
      {"POST /traces", {"/traces", R"({"content":"c","project":"p"})"}},
      {"POST /traces/merge", {"/traces/merge", R"({"project":"p","traceIds":["mt_a","mt_b"]})"}},
      {"POST /traces/search", {"/traces/search", R"({"query":"xylophone-canary","project":"p"})"}},
      {"POST /ingest/turns", {"/ingest/turns", R"({"user":"I prefer tea.","project":"p"})"}},
      {"GET /ingest/turns/{turn}", {"/ingest/turns/t?project=p", ""}},
      {"POST /ingest/turns/{turn}/retry", {"/ingest/turns/t/retry?project=p", ""}},
      {"GET /traces/due", {"/traces/due?project=p", ""}},
      {"POST /traces/reflect", {"/traces/reflect", R"({"project":"p"})"}},
      {"GET /traces/reflect/runs", {"/traces/reflect/runs?project=p", ""}},
      {"POST /traces/reflect/runs/{run}/undo", {"/traces/reflect/runs/r/undo?project=p", "{}"}},
      {"GET /traces/{id}/original", {"/traces/" + NumberedTrace(id) + "/original?project=p", ""}},
      {"GET /traces/{id}", {"/traces/" + NumberedTrace(id) + "?project=p", ""}},
      {"PATCH /traces/{id}", {"/traces/" + NumberedTrace(id) + "?project=p", R"({"tags":["t"]})"}},
      {"DELETE /traces/{id}", {"/traces/" + NumberedTrace(id) + "?project=p", ""}},
      {"POST /traces/{id}/unmerge", {"/traces/" + NumberedTrace(id) + "/unmerge?project=p", "{}"}},
      {"PUT /traces/{id}/edges/{to}",
       {"/traces/" + NumberedTrace(id) + "/edges/mt_b?project=p", "{}"}},
      {"DELETE /traces/{id}/edges/{to}",
       {"/traces/" + NumberedTrace(id) + "/edges/mt_b?project=p", ""}},
  };
  auto found = wishes.find(route);
  return found == wishes.end() ? std::nullopt : std::optional(found->second);
}

class EveryRouteTest : public ::testing::Test {
 protected:
  explicit EveryRouteTest(int64_t now_ms) : clock_(now_ms) {}

  // `reviewer`: null: the API server of the settings' kubeconfig.
  void Start(TokenReviewer* reviewer, const std::function<void(ServerSettings&)>& change = {},
             AccessReviewer* access = nullptr) {
    server_.reset();
    ServerSettings settings;
    settings.data_dir = scratch_.File("data");
    settings.lock_wait_ms = 0;
    settings.auth = "kubernetes";
    settings.audiences = {kAudience};
    if (change) change(settings);
    auto server = RunningServer::Start(settings, clock_, reviewer, access);
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
    http::ClientOptions options;
    options.base_url = "http://" + server_->api_address();
    client_ = std::move(*http::MakeClient(options));
  }

  // `authorization`: the header's value; nullopt: no such header.
  Answered Send(const std::string& method, const Wish& wish,
                const std::optional<std::string>& authorization) {
    http::ClientRequest request;
    request.method = method;
    request.target = wish.target;
    request.body = wish.body;
    if (authorization) request.headers.Set("Authorization", *authorization);
    auto response = client_->Send(request);
    EXPECT_TRUE(response) << method << " " << wish.target << ": " << response.error().message;
    if (!response) return {};
    auto json = base::ParseJson(response->body);
    return {response->status, json ? *json : Json(response->body), response->headers};
  }
  Answered As(const std::string& token, const std::string& method, const Wish& wish) {
    return Send(method, wish, "Bearer " + token);
  }
  // Rows and an item of one tenant, with the canary in each.
  void Fill(const std::string& token, int rows) {
    const Wish item{"/items/k?project=p", "{\"value\":\"" + std::string(kCanary) + "\"}"};
    ASSERT_LT(As(token, "PUT", item).status, 300);
    for (int i = 0; i < rows; ++i) {
      Json note = api::EncodeNewObservation(Note(kCanary + std::string(" ") + std::to_string(i)));
      ASSERT_EQ(As(token, "POST", {"/observations", base::DumpJson(note)}).status, 201);
    }
  }
  std::string Everything(const std::string& token) {
    Json all = As(token, "GET", {"/export", ""}).body;
    all.erase("exported_at");
    return base::DumpJson(all);
  }
  // "METHOD pattern" of the server's table.
  std::vector<std::pair<std::string, std::string>> Table() {
    telemetry::Metrics metrics;
    Gate gate(nullptr, server_->engine(), clock_, metrics);
    std::vector<std::pair<std::string, std::string>> table;
    for (const http::Route& route : Routes(gate, 1 << 20))
      table.emplace_back(route.method, route.pattern);
    return table;
  }

  ::testing::FakeClock clock_;
  testing::TemporaryDirectory scratch_;
  std::unique_ptr<RunningServer> server_;
  std::unique_ptr<http::Client> client_;
};

}  // namespace memory
