// Streamed bodies, 100-continue, and clients that disconnect.
#include <gtest/gtest.h>

#include <latch>

#include "lib/http/server/server.h"
#include "lib/testing/http_server.h"
#include "lib/testing/raw_socket.h"

namespace http {
namespace {

using testing::GetText;
using testing::PostText;
using testing::RawSocket;
using testing::StartServer;
using testing::StatusOf;

std::string ChunkedPost(const std::string& target, const std::string& more = "") {
  return "POST " + target + " HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n" + more +
         "\r\n";
}

// Reads a streamed body to its end and answers with its size, or with the error.
Response Measure(const Request& request) {
  size_t bytes = 0;
  while (true) {
    const auto piece = request.stream->Read();
    if (!piece) return ErrorResponse(piece.error());
    if (piece->empty()) return TextResponse(200, "bytes=" + std::to_string(bytes));
    bytes += piece->size();
  }
}

std::vector<Route> MeasureRoutes() {
  return {
      {"POST", "/import", Measure, 100'000'000, true},
      {"POST", "/small", Measure, 1'000, true},
      {"POST", "/ignored", [](const Request&) { return EmptyResponse(204); }, 1'000, true},
      {"POST", "/whole", [](const Request& r) { return TextResponse(200, r.body); }, 1'000, false}};
}

TEST(Upload, StreamsWhileItIsSent) {
  std::latch first(1);
  const auto server = StartServer({{"POST", "/import",
                                    [&](const Request& request) {
                                      auto piece = request.stream->Read();
                                      EXPECT_EQ(*piece, "one");
                                      first.count_down();
                                      return Measure(request);
                                    },
                                    1'000, true}});
  RawSocket socket(server->port());
  socket.Send(ChunkedPost("/import") + "3\r\none\r\n");
  first.wait();
  socket.Send("3\r\ntwo\r\n0\r\n\r\n");
  EXPECT_NE(socket.ReadAnswer().find("bytes=3"), std::string::npos);
}

TEST(Upload, LargeBodyGoesToTheStreamingRoute) {
  const auto whole = [](const Request& r) { return TextResponse(200, "whole=" + r.body); };
  const auto server =
      StartServer({{"POST", "/both", whole, 10}, {"POST", "/both", Measure, 1'000, true}});
  const auto post = [&](const std::string& body) {
    return testing::Exchange(server->port(), PostText("/both", body, "Connection: close\r\n"));
  };
  EXPECT_NE(post("0123456789").find("whole=0123456789"), std::string::npos);
  EXPECT_NE(post("0123456789a").find("bytes=11"), std::string::npos);
  EXPECT_EQ(StatusOf(post(std::string(1'001, 'a'))), 413);
  RawSocket socket(server->port());
  socket.Send(ChunkedPost("/both") + "3\r\none\r\n0\r\n\r\n");
  EXPECT_NE(socket.ReadAnswer().find("bytes=3"), std::string::npos);
}

TEST(Upload, KeepsConnectionAfterReadBody) {
  const auto server = StartServer(MeasureRoutes());
  RawSocket socket(server->port());
  socket.Send(ChunkedPost("/import") + "5\r\nhello\r\n0\r\n\r\n" + PostText("/import", "abc") +
              PostText("/whole", "last"));
  EXPECT_NE(socket.ReadAnswer().find("bytes=5"), std::string::npos);
  EXPECT_NE(socket.ReadAnswer().find("bytes=3"), std::string::npos);
  EXPECT_TRUE(socket.ReadAnswer().ends_with("last"));
}

TEST(Upload, ClosesConnectionAfterUnreadBody) {
  const auto server = StartServer(MeasureRoutes());
  RawSocket socket(server->port());
  socket.Send(PostText("/ignored", "GET / HTTP/1.1\r\nHost: t\r\n\r\n"));
  const std::string answer = socket.ReadAll();
  EXPECT_EQ(StatusOf(answer), 204);
  EXPECT_EQ(answer.find("HTTP/1.1", 9), std::string::npos) << "the body was taken for a request";
}

TEST(Upload, TransfersManyMegabytes) {
  const auto server = StartServer(MeasureRoutes());
  RawSocket socket(server->port());
  const std::string piece(1 << 20, 'x');
  socket.Send("POST /import HTTP/1.1\r\nHost: t\r\nContent-Length: " + std::to_string(64 << 20) +
              "\r\n\r\n");
  for (int i = 0; i < 64; ++i) ASSERT_TRUE(socket.Send(piece));
  EXPECT_NE(socket.ReadAnswer().find("bytes=" + std::to_string(64 << 20)), std::string::npos);
}

TEST(Upload, EndsAtItsLimit) {
  const auto server = StartServer(MeasureRoutes());
  EXPECT_EQ(
      StatusOf(testing::Exchange(server->port(), PostText("/small", std::string(1'001, 'x')))),
      413);
  std::string chunks = ChunkedPost("/small");
  for (int i = 0; i < 1'001; ++i) chunks += "1\r\nx\r\n";
  EXPECT_EQ(StatusOf(testing::Exchange(server->port(), chunks + "0\r\n\r\n")), 413);
  EXPECT_EQ(StatusOf(testing::Exchange(server->port(), ChunkedPost("/small") + "zz\r\nx\r\n")),
            400);
}

TEST(Upload, HandlerLearnsThatClientLeft) {
  std::latch ended(1);
  base::Code code = base::Code::kInternal;
  const auto server = StartServer({{"POST", "/import",
                                    [&](const Request& request) {
                                      auto piece = request.stream->Read();
                                      while (piece && !piece->empty())
                                        piece = request.stream->Read();
                                      if (!piece) code = piece.error().code;
                                      EXPECT_FALSE(request.stream->Read()) << "a failure stays";
                                      ended.count_down();
                                      return EmptyResponse(204);
                                    },
                                    1'000, true}});
  {
    RawSocket socket(server->port());
    socket.Send("POST /import HTTP/1.1\r\nHost: t\r\nContent-Length: 100\r\n\r\nx");
  }
  ended.wait();
  EXPECT_EQ(code, base::Code::kUnavailable);
}

TEST(Upload, EndsWhenClientIsSilent) {
  ServerOptions options;
  options.body_timeout_ms = 50;
  const auto server = StartServer(MeasureRoutes(), options);
  const std::string answer = testing::Exchange(
      server->port(), "POST /import HTTP/1.1\r\nHost: t\r\nContent-Length: 100\r\n\r\nx");
  EXPECT_EQ(StatusOf(answer), 504);
}

TEST(Upload, DrippingBodyEnds) {
  ServerOptions options;
  options.body_timeout_ms = 100;
  const auto server = StartServer(MeasureRoutes(), options);
  RawSocket socket(server->port());
  socket.Send("POST /import HTTP/1.1\r\nHost: t\r\nContent-Length: 100000\r\n\r\n");
  std::string answer;
  for (int i = 0; i < 500 && answer.empty(); ++i) {
    socket.Send("x");
    answer = socket.ReadUntil("\r\n\r\n", 10);
  }
  EXPECT_EQ(StatusOf(answer), 504);
}

TEST(Expect, IsAnsweredBeforeTheBody) {
  const auto server = StartServer(MeasureRoutes());
  for (const char* target : {"/whole", "/import"}) {
    RawSocket socket(server->port());
    socket.Send("POST " + std::string(target) +
                " HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
    EXPECT_EQ(socket.ReadUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    socket.Send("hello");
    EXPECT_EQ(StatusOf(socket.ReadAnswer()), 200);
  }
}

TEST(Expect, IsRefusedWithTheFinalAnswer) {
  const auto server = StartServer(MeasureRoutes());
  const std::string expect = "Expect: 100-continue\r\n";
  EXPECT_EQ(StatusOf(testing::Exchange(
                server->port(),
                "POST /whole HTTP/1.1\r\nHost: t\r\nContent-Length: 1001\r\n" + expect + "\r\n")),
            413);
  EXPECT_EQ(StatusOf(testing::Exchange(
                server->port(),
                "POST /none HTTP/1.1\r\nHost: t\r\nContent-Length: 1\r\n" + expect + "\r\n")),
            404);
  EXPECT_EQ(StatusOf(testing::Exchange(
                server->port(),
                "PUT /whole HTTP/1.1\r\nHost: t\r\nContent-Length: 1\r\n" + expect + "\r\n")),
            405);
}

TEST(Download, StreamsWhileItIsMade) {
  std::latch seen(1);
  const auto server = StartServer({{"GET", "/", [&](const Request&) {
                                      Response response = TextResponse(200, "");
                                      response.stream = [&](BodyWriter& writer) -> base::Status {
                                        RETURN_IF_ERROR(writer.Write("one"));
                                        RETURN_IF_ERROR(writer.Write(""));
                                        seen.wait();
                                        return writer.Write("two");
                                      };
                                      return response;
                                    }}});
  RawSocket socket(server->port());
  socket.Send(GetText("/") + "HEAD / HTTP/1.1\r\nHost: t\r\n\r\n");
  EXPECT_NE(socket.ReadUntil("one\r\n").find("Transfer-Encoding: chunked"), std::string::npos);
  seen.count_down();
  EXPECT_EQ(socket.ReadUntil("0\r\n\r\n"), "3\r\ntwo\r\n0\r\n\r\n");
  EXPECT_EQ(StatusOf(socket.ReadUntil("\r\n\r\n")), 200);  // HEAD: without a stream
}

TEST(Download, FailedDownloadIsTruncated) {
  for (const bool throws : {false, true}) {
    const auto server = StartServer({{"GET", "/", [&](const Request&) {
                                        Response response;
                                        response.stream = [&](BodyWriter& writer) -> base::Status {
                                          RETURN_IF_ERROR(writer.Write("one"));
                                          if (throws) throw std::runtime_error("x");
                                          return base::Error{base::Code::kInternal, "broken"};
                                        };
                                        return response;
                                      }}});
    RawSocket socket(server->port());
    socket.Send(GetText("/"));
    const std::string answer = socket.ReadAll();
    EXPECT_TRUE(socket.closed());
    EXPECT_TRUE(answer.ends_with("3\r\none\r\n")) << answer;
  }
}

TEST(Download, IsUnframedForHttp10) {
  const auto server =
      StartServer({{"GET", "/", [](const Request&) {
                      Response response;
                      response.stream = [](BodyWriter& w) { return w.Write("plain"); };
                      return response;
                    }}});
  const std::string answer =
      testing::Exchange(server->port(), "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_TRUE(answer.ends_with("\r\n\r\nplain"));
  EXPECT_EQ(answer.find("chunked"), std::string::npos);
}

TEST(Download, FailedDownloadIsResetForHttp10) {
  const auto server = StartServer({{"GET", "/", [](const Request&) {
                                      Response response;
                                      response.stream = [](BodyWriter& w) -> base::Status {
                                        RETURN_IF_ERROR(w.Write("half"));
                                        return base::Error{base::Code::kInternal, "broken"};
                                      };
                                      return response;
                                    }}});
  RawSocket socket(server->port());
  socket.Send("GET / HTTP/1.0\r\n\r\n");
  socket.ReadAll();
  EXPECT_TRUE(socket.was_reset());
}

TEST(Download, StopsWhenClientLeft) {
  std::latch stopped(1);
  const auto server = StartServer({{"GET", "/", [&](const Request&) {
                                      Response response;
                                      response.stream = [&](BodyWriter& writer) -> base::Status {
                                        base::Status status;
                                        while (status)
                                          status = writer.Write(std::string(10'000, 'x'));
                                        EXPECT_EQ(status.error().code, base::Code::kUnavailable);
                                        stopped.count_down();
                                        return status;
                                      };
                                      return response;
                                    }}});
  {
    RawSocket socket(server->port());
    socket.Send(GetText("/"));
    socket.ReadUntil("xxx");
  }
  stopped.wait();
}

TEST(Download, EndsWhenClientDoesNotRead) {
  ServerOptions options;
  options.write_timeout_ms = 100;
  std::latch stopped(1);
  const auto server = StartServer({{"GET", "/",
                                    [&](const Request&) {
                                      Response response;
                                      response.stream = [&](BodyWriter& writer) -> base::Status {
                                        base::Status status;
                                        while (status)
                                          status = writer.Write(std::string(1 << 20, 'x'));
                                        stopped.count_down();
                                        return status;
                                      };
                                      return response;
                                    }}},
                                  options);
  RawSocket socket(server->port());
  socket.Send(GetText("/"));
  stopped.wait();
}

TEST(ClientGone, StopsARunningHandler) {
  for (const bool reset : {false, true}) {
    std::latch inside(1), told(1);
    const auto server = StartServer(
        {{"POST", "/",
          [&](const Request& request) {
            const std::stop_callback on_gone(request.client_gone, [&] { told.count_down(); });
            inside.count_down();
            told.wait();
            return EmptyResponse(204);
          }},
         {"GET", "/", [](const Request&) { return EmptyResponse(204); }}});
    RawSocket socket(server->port());
    socket.Send(GetText("/"));  // so that the POST is on a reused connection
    EXPECT_EQ(StatusOf(socket.ReadAnswer()), 204);
    socket.Send(PostText("/", "x"));
    inside.wait();
    if (reset) {
      socket.Reset();
    } else {
      socket.ShutdownWrite();
    }
    told.wait();
    if (!reset) {
      EXPECT_EQ(StatusOf(socket.ReadAnswer()), 204) << "half-closed clients get their answer";
    }
  }
}

TEST(ClientGone, PipelinedRequestIsNoClose) {
  std::latch inside(1), go(1);
  std::atomic<bool> told = false;
  const auto server =
      StartServer({{"GET", "/slow",
                    [&](const Request& request) {
                      inside.count_down();
                      go.wait();
                      told = request.client_gone.stop_requested();
                      return TextResponse(200, "slow");
                    }},
                   {"GET", "/next", [](const Request&) { return TextResponse(200, "next"); }}});
  RawSocket socket(server->port());
  socket.Send(GetText("/slow"));
  inside.wait();
  socket.Send(GetText("/next"));
  RawSocket other(
      server->port());  // its answer shows that the server has polled the first socket as well
  other.Send(GetText("/next"));
  EXPECT_EQ(StatusOf(other.ReadAnswer()), 200);
  go.count_down();
  EXPECT_TRUE(socket.ReadAnswer().ends_with("slow"));
  EXPECT_TRUE(socket.ReadAnswer().ends_with("next"));
  EXPECT_FALSE(told);
}

}  // namespace
}  // namespace http
