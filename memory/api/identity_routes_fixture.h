// Every route of the server's own table, with a request for it, sent with any Authorization header.
// For the tests of identity. Test code.
#pragma once

#include <functional>
#include <iomanip>
#include <sstream>

#include "lib/api/operations/example_request_fixture.h"
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

// The request of the row's examples, about these rows.
inline std::optional<Wish> WishFor(const std::string& route, int64_t id) {
  const api::ExampleRows rows = {{"$observation", std::to_string(id)},
                                 {"$trace", NumberedTrace(id)},
                                 {"$other", "mt_b"},
                                 {"$session", "s-p"},
                                 {"$conversation", "c"},
                                 {"$project", "p"},
                                 {"$word", kCanary},
                                 {"$agent", "a"},
                                 {"$run", "r"},
                                 {"$turn", "t"}};
  for (const api::Operation& row : api::Operations()) {
    if (std::string(row.method) + " " + std::string(row.path) != route) continue;
    api::ExampleRequest request = api::ExampleRequestOf(row, rows);
    return Wish{std::move(request.target), std::move(request.body)};
  }
  return std::nullopt;
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
    store_.Use(settings);
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
  ChosenStore store_;
  std::unique_ptr<RunningServer> server_;
  std::unique_ptr<http::Client> client_;
};

}  // namespace memory
