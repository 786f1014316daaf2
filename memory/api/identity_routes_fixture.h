// Every route of the server's own table, with a request for it, sent with any Authorization header.
// For the tests of identity. Test code.
#pragma once

#include <functional>

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
  };
  auto found = wishes.find(route);
  return found == wishes.end() ? std::nullopt : std::optional(found->second);
}

class EveryRouteTest : public ::testing::Test {
 protected:
  explicit EveryRouteTest(int64_t now_ms) : clock_(now_ms) {}

  // `reviewer`: null: the API server of the settings' kubeconfig.
  void Start(TokenReviewer* reviewer, const std::function<void(ServerSettings&)>& change = {}) {
    server_.reset();
    ServerSettings settings;
    settings.data_dir = scratch_.File("data");
    settings.lock_wait_ms = 0;
    settings.auth = "kubernetes";
    settings.audiences = {kAudience};
    if (change) change(settings);
    auto server = RunningServer::Start(settings, clock_, reviewer);
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
  // Rows of one tenant, with the canary in each.
  void Fill(const std::string& token, int rows) {
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
  ScratchDirectory scratch_;
  std::unique_ptr<RunningServer> server_;
  std::unique_ptr<http::Client> client_;
};

}  // namespace memory
