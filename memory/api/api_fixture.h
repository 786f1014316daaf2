// A running memory server with a client, for the tests of its routes. Test code.
#pragma once

#include <gtest/gtest.h>

#include "lib/http/client/client.h"
#include "lib/testing/fake_clock.h"
#include "lib/testing/temporary_directory.h"
#include "memory/chosen_store_fixture.h"
#include "memory/running_server.h"
#include "memory/store/memory_fixture.h"

namespace memory {

using base::Json;

struct Answered {
  int status = 0;
  Json body;
  http::Headers headers;
};

class ApiTest : public ::testing::Test {
 protected:
  ApiTest() : clock_(kMidnight) { Start(); }

  void Start() {
    server_.reset();
    ServerSettings settings;
    settings.data_dir = scratch_.File("data");
    settings.lock_wait_ms = 0;
    auto server = StartServer(settings);
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
    client_ = Connect(server_->api_address());
    admin_ = Connect(server_->admin_address());
  }

  void StartEmpty() {
    server_.reset();
    scratch_.Remove("data");
    store_.Drop(scratch_.File("data"));
    Start();
  }
  // On the store that AGENT_MEMORY_TEST_STORE chooses.
  base::Result<std::unique_ptr<RunningServer>> StartServer(ServerSettings settings) {
    store_.Use(settings);
    return RunningServer::Start(settings, clock_);
  }

  static std::unique_ptr<http::Client> Connect(const std::string& address) {
    http::ClientOptions options;
    options.base_url = "http://" + address;
    auto client = http::MakeClient(options);
    EXPECT_TRUE(client);
    return client ? std::move(*client) : nullptr;
  }

  static Answered Send(http::Client& client, const std::string& method, const std::string& target,
                       const std::string& body, const std::string& key = "",
                       const std::string& type = "application/json") {
    http::ClientRequest request;
    request.method = method;
    request.target = target;
    request.body = body;
    request.timeout_ms = 60'000;  // no test is about the time that an answer takes
    request.headers.Set("Content-Type", type);
    if (!key.empty()) request.headers.Set("Idempotency-Key", key);
    auto response = client.Send(request);
    EXPECT_TRUE(response) << response.error().message;
    if (!response) return {};
    auto json = base::ParseJson(response->body);
    return {response->status, json ? *json : Json(response->body), response->headers};
  }

  Answered Get(const std::string& target) { return Send(*client_, "GET", target, ""); }
  Answered Post(const std::string& target, const Json& body, const std::string& key = "") {
    return Send(*client_, "POST", target, base::DumpJson(body), key);
  }
  // Some file: the server finds out what it is.
  Answered PostText(const std::string& target, const std::string& body) {
    return Send(*client_, "POST", target, body, "", "application/octet-stream");
  }
  Answered Patch(const std::string& target, const Json& body) {
    return Send(*client_, "PATCH", target, base::DumpJson(body));
  }
  Answered Delete(const std::string& target) { return Send(*client_, "DELETE", target, ""); }
  static Json NoteBody(const std::string& content, const std::string& project = "p") {
    return api::EncodeNewObservation(Note(content, project));
  }
  int64_t MustPost(const Json& body) {
    Answered answer = Post("/observations", body);
    EXPECT_EQ(answer.status, 201) << answer.body;
    return answer.body.value("id", int64_t{0});
  }
  // The ids of a list, in its order.
  static std::vector<int64_t> IdsOf(const Json& list) {
    std::vector<int64_t> ids;
    for (const Json& row : list) ids.push_back(row.at("id").get<int64_t>());
    return ids;
  }

  ::testing::FakeClock clock_;
  testing::TemporaryDirectory scratch_;
  ChosenStore store_;
  std::unique_ptr<RunningServer> server_;
  std::unique_ptr<http::Client> client_, admin_;
};

}  // namespace memory
