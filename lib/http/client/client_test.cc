// The client against the real server, and against a scripted one with faults.
#include "lib/http/client/client.h"

#include <gtest/gtest.h>

#include <thread>

#include "lib/base/process/clock.h"
#include "lib/http/server/server.h"
#include "lib/testing/http_script.h"
#include "lib/testing/http_server.h"

namespace http {
namespace {

using testing::StartServer;

std::unique_ptr<Client> BlockingClientOf(int port, ClientOptions options = {}) {
  options.base_url = "http://127.0.0.1:" + std::to_string(port);
  auto client = MakeClient(options);
  EXPECT_TRUE(client) << client.error().message;
  return std::move(*client);
}

ClientRequest Post(std::string target, std::string body) {
  ClientRequest request;
  request.method = "POST";
  request.target = std::move(target);
  request.body = std::move(body);
  return request;
}

ClientRequest Get(std::string target) {
  ClientRequest request;
  request.target = std::move(target);
  return request;
}

Response Mirror(const Request& request) {
  base::Json headers = base::Json::object();
  for (const auto& [name, value] : request.headers.all()) headers[name] = value;
  base::Json query = base::Json::array();
  for (const auto& [name, value] : request.query) query.push_back(name + "=" + value);
  return JsonResponse(200, {{"method", request.method},
                            {"path", request.path},
                            {"query", query},
                            {"headers", headers},
                            {"body", request.body}});
}

std::vector<Route> MirrorRoutes() {
  std::vector<Route> routes;
  for (const char* method : {"GET", "POST", "PUT", "PATCH", "DELETE"}) {
    routes.push_back({method, "/mirror/{x}", Mirror, 8 << 20, false});
  }
  routes.push_back({"GET", "/moved", [](const Request&) {
                      Response response = EmptyResponse(302);
                      response.headers.Add("Location", "/mirror/a");
                      return response;
                    }});
  routes.push_back({"GET", "/large",
                    [](const Request&) { return TextResponse(200, std::string(100'000, 'x')); }});
  routes.push_back({"GET", "/large-chunked", [](const Request&) {
                      Response response;
                      response.stream = [](BodyWriter& writer) -> base::Status {
                        for (int i = 0; i < 100; ++i)
                          RETURN_IF_ERROR(writer.Write(std::string(1000, 'x')));
                        return {};
                      };
                      return response;
                    }});
  return routes;
}

TEST(Client, SendsEveryPartOfARequest) {
  const auto server = StartServer(MirrorRoutes());
  ClientOptions options;
  options.bearer_token = [] { return std::string("t0ken"); };
  const auto client = BlockingClientOf(server->port(), options);
  for (const char* method : {"POST", "PUT", "PATCH"}) {
    ClientRequest request = Post("/mirror/a%2Fb%20%E6%97%A5?q=x%26y&z=%2B", "{\"a\":1}");
    request.method = method;
    request.headers.Add("Content-Type", "application/apply-patch+yaml");
    request.headers.Add("X-Thing", "v");
    const auto answer = client->Send(request);
    ASSERT_TRUE(answer) << answer.error().message;
    const auto seen = *base::ParseJson(answer->body);
    EXPECT_EQ(seen["method"], method);
    EXPECT_EQ(seen["path"], "/mirror/a%2Fb%20%E6%97%A5");
    EXPECT_EQ(seen["query"], base::Json::parse(R"(["q=x&y","z=+"])"));
    EXPECT_EQ(seen["body"], "{\"a\":1}");
    EXPECT_EQ(seen["headers"]["Content-Type"], "application/apply-patch+yaml");
    EXPECT_EQ(seen["headers"]["Authorization"], "Bearer t0ken");
    EXPECT_EQ(seen["headers"]["X-Thing"], "v");
    EXPECT_EQ(seen["headers"]["User-Agent"], "agent-memory");
  }
}

TEST(Client, AnyStatusIsAValue) {
  const auto server = StartServer(MirrorRoutes());
  const auto client = BlockingClientOf(server->port());
  EXPECT_EQ(client->Send(Get("/nothing"))->status, 404);
  ClientRequest request = Get("/mirror/a");
  request.method = "DELETE";
  EXPECT_EQ(client->Send(request)->status, 200);
  request.method = "HEAD";
  EXPECT_EQ(client->Send(request)->status, 200);
}

TEST(Client, DoesNotFollowRedirects) {
  const auto server = StartServer(MirrorRoutes());
  const auto answer = BlockingClientOf(server->port())->Send(Get("/moved"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 302);
  EXPECT_EQ(answer->headers.Get("location"), "/mirror/a");
}

TEST(Client, AnswerIsLimited) {
  const auto server = StartServer(MirrorRoutes());
  ClientOptions options;
  options.max_response_bytes = 50'000;
  const auto client = BlockingClientOf(server->port(), options);
  for (const char* target : {"/large", "/large-chunked"}) {
    const auto answer = client->Send(Get(target));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, base::Code::kTooLarge);
  }
  options.max_response_bytes = 100'000;
  const auto wide = BlockingClientOf(server->port(), options);
  EXPECT_EQ(wide->Send(Get("/large"))->body.size(), 100'000u);
  EXPECT_EQ(wide->Send(Get("/large-chunked"))->body.size(), 100'000u);
}

TEST(Client, TimeoutEndsAnActiveAnswer) {
  // Each call closes its connection while the library reads a body from it, in pieces.
  const auto server = StartServer({{"GET", "/large", [](const Request&) {
                                      return TextResponse(200, std::string(1 << 20, 'x'));
                                    }}});
  ClientOptions options;
  options.max_response_bytes = 1'000;
  const auto client = BlockingClientOf(server->port(), options);
  for (int i = 0; i < 1'000; ++i) {
    const auto answer = client->Send(Get("/large"));
    ASSERT_FALSE(answer);
    ASSERT_EQ(answer.error().code, base::Code::kTooLarge);
  }
}

TEST(Client, TransfersLargeBodies) {
  const auto server = StartServer(MirrorRoutes());
  const auto client = BlockingClientOf(server->port());
  const std::string body(4 << 20, 'b');
  for (const bool with_key : {false, true}) {
    ClientRequest request = Post("/mirror/a", body);
    if (with_key) request.headers.Add("Idempotency-Key", "k");
    const auto answer = client->Send(request);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ((*base::ParseJson(answer->body))["body"], body);
  }
}

TEST(Client, RefusesHeaderInjection) {
  const auto client = BlockingClientOf(1);
  ClientRequest request = Get("/a");
  request.headers.Add("X", "a\r\nY: b");
  EXPECT_EQ(client->Send(request).error().code, base::Code::kInvalid);
  EXPECT_EQ(client->Send(Get("/a b")).error().code, base::Code::kInvalid);
  EXPECT_EQ(client->Send(Get("a")).error().code, base::Code::kInvalid);
  EXPECT_EQ(client->Send(Get("/a\r\nX: y")).error().code, base::Code::kInvalid);
}

TEST(Client, RefusedConnectionIsUnavailable) {
  int port = 0;
  { port = StartServer({})->port(); }
  const auto answer = BlockingClientOf(port)->Send(Get("/a?secret=1"));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, base::Code::kUnavailable);
  EXPECT_NE(answer.error().message.find("GET http://127.0.0.1:"), std::string::npos);
  EXPECT_EQ(answer.error().message.find("secret"), std::string::npos);
}

TEST(Client, ConnectsToBothAddressFamilies) {
  for (const std::string host : {"127.0.0.1", "[::1]"}) {
    ServerOptions options;
    options.listen = host + ":0";
    auto server = Server::Start(
        Router({{"GET", "/host",
                 [](const Request& request) {
                   return JsonResponse(200, {{"host", request.headers.Get("Host").value_or("")}});
                 }}}),
        options);
    if (!server && host != "127.0.0.1") GTEST_SKIP() << "no IPv6 here: " << server.error().message;
    ASSERT_TRUE(server) << server.error().message;
    for (const char* slash : {"", "/"}) {
      ClientOptions ours;
      ours.base_url = "http://" + (*server)->address() + slash;
      auto client = MakeClient(ours);
      ASSERT_TRUE(client) << client.error().message;
      const auto answer = (*client)->Send(Get("/host"));
      ASSERT_TRUE(answer) << answer.error().message;
      EXPECT_EQ(base::ParseJson(answer->body)->at("host"), (*server)->address());
    }
  }
}

TEST(Client, RefusesAddressesThatAreNotHttp) {
  for (const char* url : {"", "localhost", "ftp://a", "http://", "unix:/x", "http://[]",
                          "http://[a]:1", "http://[::1", "http://[127.0.0.1]", "http://[::1]x"}) {
    ClientOptions options;
    options.base_url = url;
    EXPECT_FALSE(MakeClient(options)) << url;
  }
}

TEST(Client, DrippingServerEndsAtDeadline) {
  // The interval between bytes is shorter than any timeout of a read.
  testing::HttpScript script;
  script.Add({"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", testing::HttpScript::kDrip});
  const auto client = BlockingClientOf(script.port());
  ClientRequest request = Get("/a");
  request.timeout_ms = 200;
  const int64_t start_ms = base::SystemClock().MonotonicMs();
  const auto answer = client->Send(request);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, base::Code::kTimeout);
  EXPECT_LT(base::SystemClock().MonotonicMs() - start_ms, 20'000);
}

TEST(Client, TimesOutWithoutAnswer) {
  testing::HttpScript script;
  script.Add({"", testing::HttpScript::kSilence});
  ClientRequest request = Get("/a");
  request.timeout_ms = 100;
  EXPECT_EQ(BlockingClientOf(script.port())->Send(request).error().code, base::Code::kTimeout);
}

TEST(Client, ReusesConnections) {
  testing::HttpScript script;
  for (int i = 0; i < 3; ++i) script.Add({testing::kHelloAnswer, testing::HttpScript::kKeep});
  const auto client = BlockingClientOf(script.port());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client->Send(Get("/a"))->body, "hello");
  EXPECT_EQ(script.connections(), 1);
}

TEST(Client, RetriesOnceOnDeadReusedConnection) {
  for (const bool idempotent : {true, false}) {
    testing::HttpScript script;
    script.Add({testing::kHelloAnswer, testing::HttpScript::kKeep});
    script.Add({"", testing::HttpScript::kClose});  // the second request of the first connection
    script.Add({testing::kHelloAnswer, testing::HttpScript::kKeep});
    const auto client = BlockingClientOf(script.port());
    ASSERT_TRUE(client->Send(Get("/a")));
    ClientRequest request = Post("/b", "x");
    if (idempotent) request.headers.Add("Idempotency-Key", "k");
    const auto answer = client->Send(request);
    EXPECT_EQ(answer.has_value(), idempotent);
    EXPECT_EQ(script.requests(), idempotent ? 3 : 2);
  }
}

TEST(Client, SendsNothingAfterTheDeadline) {
  testing::HttpScript script;
  script.Add({testing::kHelloAnswer, testing::HttpScript::kKeep});
  int64_t token_takes_ms = 50;  // longer than the request's timeout
  ClientOptions options;
  options.bearer_token = [&] {
    const int64_t end_ms = base::SystemClock().MonotonicMs() + token_takes_ms;
    while (base::SystemClock().MonotonicMs() < end_ms) std::this_thread::yield();
    return std::string("t");
  };
  const auto client = BlockingClientOf(script.port(), options);
  ClientRequest request = Get("/late");
  request.timeout_ms = 20;
  const auto late = client->Send(request);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, base::Code::kTimeout);
  EXPECT_TRUE(late.error().message.ends_with("not sent in time")) << late.error().message;
  token_takes_ms = 0;
  ASSERT_TRUE(client->Send(Get("/a"))) << "the one step that there is was not taken";
  EXPECT_EQ(script.requests(), 1);
}

TEST(Client, RetriesOnceAfterReset) {
  testing::HttpScript script;
  script.Add({testing::kHelloAnswer, testing::HttpScript::kReset});
  script.Add({testing::kHelloAnswer, testing::HttpScript::kKeep});
  const auto client = BlockingClientOf(script.port());
  ASSERT_TRUE(client->Send(Get("/a")));
  EXPECT_EQ(client->Send(Get("/a"))->body, "hello");
}

TEST(Client, TruncatedAnswerIsAnError) {
  for (const std::string head :
       {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhell",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhell\r\n"}) {
    testing::HttpScript script;
    script.Add({head, testing::HttpScript::kClose});
    const auto answer = BlockingClientOf(script.port())->Send(Get("/a"));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, base::Code::kUnavailable);
  }
}

TEST(Client, SurvivesAnswersThatAreNotHttp) {
  for (const std::string head : {"garbage\r\n\r\n", "HTTP/1.1 abc\r\n\r\n",
                                 "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
    testing::HttpScript script;
    script.Add({head, testing::HttpScript::kClose});
    EXPECT_FALSE(BlockingClientOf(script.port())->Send(Get("/a"))) << head;
  }
}

}  // namespace
}  // namespace http
