// The server with well-behaved clients. Hostile clients: hostile_test.cc.
#include "lib/http/server/server.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <latch>

#include "lib/testing/http_server.h"
#include "lib/testing/raw_socket.h"

namespace http {
namespace {

using testing::GetText;
using testing::PostText;
using testing::RawSocket;
using testing::StartServer;
using testing::StatusOf;

Response Echo(const Request& request) {
  return JsonResponse(200, {{"method", request.method},
                            {"path", request.path},
                            {"parameters", request.parameters},
                            {"body", request.body},
                            {"id", request.id},
                            {"peer", request.peer}});
}

std::vector<Route> EchoRoutes() {
  return {
      {"GET", "/echo/{name}", Echo, 1 << 20, false},
      {"POST", "/echo", Echo, 1000, false},
      {"GET", "/throws",
       [](const Request&) -> Response { throw std::runtime_error("secret text"); }, 1 << 20, false},
      {"GET", "/headers",
       [](const Request&) {
         Response response = TextResponse(200, "x");
         response.headers.Add("X-User", "a\r\nSet-Cookie: b\n\r" + std::string(1, '\0') + "c");
         response.headers.Add("Bad Name\r\nX", "v");
         response.headers.Add("Content-Length", "99");
         return response;
       },
       1 << 20, false}};
}

TEST(Server, AnswersAndKeepsTheConnection) {
  const auto server = StartServer(EchoRoutes());
  RawSocket socket(server->port());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(socket.Send(PostText("/echo", "hello")));
    const std::string answer = socket.ReadAnswer();
    EXPECT_EQ(StatusOf(answer), 200) << answer;
    EXPECT_NE(answer.find(R"("body":"hello")"), std::string::npos);
    EXPECT_NE(answer.find(R"("peer":"127.0.0.1")"), std::string::npos);
  }
}

TEST(Server, ClosesWhenAsked) {
  const auto server = StartServer(EchoRoutes());
  RawSocket socket(server->port());
  socket.Send(GetText("/echo/a", "Connection: close\r\n"));
  const std::string answer = socket.ReadAll();
  EXPECT_EQ(StatusOf(answer), 200);
  EXPECT_TRUE(socket.closed());
  EXPECT_NE(answer.find("Connection: close"), std::string::npos);
}

TEST(Server, SpeaksHttp10) {
  const auto server = StartServer(EchoRoutes());
  RawSocket closing(server->port());
  closing.Send("GET /echo/a HTTP/1.0\r\n\r\n");
  EXPECT_EQ(StatusOf(closing.ReadAll()), 200);
  EXPECT_TRUE(closing.closed());
  RawSocket kept(server->port());
  for (int i = 0; i < 2; ++i) {
    kept.Send("GET /echo/a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_NE(kept.ReadAnswer().find("Connection: keep-alive"), std::string::npos);
  }
}

TEST(Server, AnswersAPipelinedPairInOrder) {
  const auto server = StartServer(EchoRoutes());
  RawSocket socket(server->port());
  socket.Send(GetText("/echo/first") + PostText("/echo", "second") + GetText("/echo/third"));
  EXPECT_NE(socket.ReadAnswer().find("first"), std::string::npos);
  EXPECT_NE(socket.ReadAnswer().find("second"), std::string::npos);
  EXPECT_NE(socket.ReadAnswer().find("third"), std::string::npos);
}

TEST(Server, AnswersARequestSentByteByByte) {
  const auto server = StartServer(EchoRoutes());
  RawSocket socket(server->port());
  for (const char c : PostText("/echo", "slow")) socket.Send(std::string(1, c));
  EXPECT_NE(socket.ReadAnswer().find(R"("body":"slow")"), std::string::npos);
}

TEST(Server, AnswersHeadLikeGetWithoutABody) {
  const auto server = StartServer(EchoRoutes());
  RawSocket socket(server->port());
  socket.Send("HEAD /echo/a HTTP/1.1\r\nHost: t\r\n\r\n" + GetText("/echo/b"));
  const std::string head = socket.ReadUntil("\r\n\r\n");
  EXPECT_EQ(StatusOf(head), 200);
  EXPECT_NE(head.find("Content-Length: "), std::string::npos);
  EXPECT_EQ(StatusOf(socket.ReadAnswer()), 200);  // HEAD had no body
}

TEST(Server, NamesAllowedMethods) {
  const auto server = StartServer(EchoRoutes());
  RawSocket socket(server->port());
  socket.Send("OPTIONS /echo/a HTTP/1.1\r\nHost: t\r\n\r\n");
  const std::string refused = socket.ReadAnswer();
  EXPECT_EQ(StatusOf(refused), 405);
  EXPECT_NE(refused.find("Allow: GET, HEAD\r\n"), std::string::npos);
  EXPECT_NE(refused.find("OPTIONS is not served for this path, which takes GET, HEAD"),
            std::string::npos)
      << refused;
  socket.Send(GetText("/nowhere"));
  EXPECT_EQ(StatusOf(socket.ReadAnswer()), 404);
  socket.Send("OPTIONS * HTTP/1.1\r\nHost: t\r\n\r\n");
  EXPECT_EQ(StatusOf(socket.ReadAnswer()), 404);
  socket.Send(GetText("/echo/%ff"));
  EXPECT_EQ(StatusOf(socket.ReadAnswer()), 400);
  socket.Send(GetText("/echo/a?q=%zz"));
  EXPECT_EQ(StatusOf(socket.ReadAnswer()), 400);
}

TEST(Server, SurvivesAHandlerThatThrows) {
  const auto server = StartServer(EchoRoutes());
  RawSocket socket(server->port());
  socket.Send(GetText("/throws", "X-Request-Id: id-7\r\n"));
  const std::string answer = socket.ReadAnswer();
  EXPECT_EQ(StatusOf(answer), 500);
  EXPECT_NE(answer.find("id-7"), std::string::npos);
  EXPECT_EQ(answer.find("secret"), std::string::npos);
  socket.Send(GetText("/echo/a"));
  EXPECT_EQ(StatusOf(socket.ReadAnswer()), 200);
}

TEST(Server, NeverSendsLineBreaksFromAHandlersFields) {
  const auto server = StartServer(EchoRoutes());
  const std::string answer =
      testing::Exchange(server->port(), GetText("/headers", "Connection: close\r\n"));
  EXPECT_NE(answer.find("X-User: a  Set-Cookie: b   c\r\n"), std::string::npos) << answer;
  EXPECT_EQ(answer.find("Bad Name"), std::string::npos);
  EXPECT_EQ(answer.find("Content-Length: 99"), std::string::npos);
}

TEST(Server, EchoesOnlyValidRequestIds) {
  const auto server = StartServer(EchoRoutes());
  RawSocket socket(server->port());
  socket.Send(GetText("/echo/a", "X-Request-Id: abc.1:2/3\r\n"));
  EXPECT_NE(socket.ReadAnswer().find("X-Request-Id: abc.1:2/3\r\n"), std::string::npos);
  for (const std::string& bad : {std::string("a b"), std::string(129, 'x'), std::string("\"<>")}) {
    socket.Send(GetText("/echo/a", "X-Request-Id: " + bad + "\r\n"));
    EXPECT_EQ(socket.ReadAnswer().find(bad), std::string::npos);
  }
}

TEST(Server, HooksSeeEveryRequest) {
  ServerOptions options;
  options.before = [](Request& request) -> std::optional<Response> {
    if (request.headers.Get("Origin")) return TextResponse(403, "no");
    request.identity = "me";
    return std::nullopt;
  };
  std::mutex mutex;
  std::vector<std::string> seen;
  options.after = [&](const Request& request, std::string_view pattern, int status,
                      double seconds) {
    const std::lock_guard lock(mutex);
    EXPECT_GE(seconds, 0);
    seen.push_back(request.method + " " + std::string(pattern) + " " + std::to_string(status));
  };
  auto server = StartServer(
      {{"GET", "/who/{x}",
        [](const Request& request) { return TextResponse(200, request.identity); }, 100, false}},
      options);
  RawSocket socket(server->port());
  socket.Send(GetText("/who/a"));
  EXPECT_TRUE(socket.ReadAnswer().ends_with("me"));
  socket.Send(GetText("/who/a", "Origin: x\r\n"));
  EXPECT_EQ(StatusOf(socket.ReadAnswer()), 403);
  socket.Send(GetText("/none", "Origin: x\r\n"));
  EXPECT_EQ(StatusOf(socket.ReadAnswer()), 403);
  socket.Send("BREW / HTTP/1.1\r\nHost: t\r\n\r\n");
  EXPECT_EQ(StatusOf(socket.ReadAll()), 501);
  server->Stop(1'000);
  std::ranges::sort(seen);  // `after` runs after the answer, on any worker
  EXPECT_EQ(seen, (std::vector<std::string>{"  501", "GET  403", "GET /who/{x} 200",
                                            "GET /who/{x} 403"}));
}

TEST(Server, ReportsAPortInUse) {
  const auto server = StartServer({});
  ServerOptions options;
  options.listen = server->address();
  const auto second = Server::Start(Router({}), options);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, base::Code::kConflict);
  EXPECT_NE(second.error().message.find(server->address()), std::string::npos);
}

}  // namespace
}  // namespace http
