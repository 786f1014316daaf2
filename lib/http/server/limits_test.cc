// The limits of times, connections, workers and descriptors, and Stop.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <latch>
#include <thread>

#include "lib/base/process/clock.h"
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

int64_t NowMs() { return base::SystemClock().MonotonicMs(); }

Response Fine(const Request&) { return TextResponse(200, "fine"); }

ServerOptions ShortTimes() {
  ServerOptions options;
  options.header_timeout_ms = 150;
  options.body_timeout_ms = 150;
  options.idle_timeout_ms = 150;
  options.write_timeout_ms = 150;
  return options;
}

// Blocks handlers until `opened`; AwaitInside waits until they have arrived.
struct Gate {
  std::latch opened{1};
  std::atomic<int> inside = 0;
  Response Pass() {
    ++inside;
    inside.notify_all();
    opened.wait();
    return TextResponse(200, "passed");
  }
  void AwaitInside(int count) {
    for (int now = inside; now < count; now = inside) inside.wait(now);
  }
};

TEST(ServerTimes, MissingHeadEndsConnection) {
  const auto server = StartServer({{"GET", "/", Fine}}, ShortTimes());
  RawSocket silent(server->port());
  EXPECT_EQ(silent.ReadAll(), "");
  EXPECT_TRUE(silent.closed());
  RawSocket half(server->port());
  half.Send("GET / HTTP/1.1\r\nHo");
  EXPECT_EQ(StatusOf(half.ReadAll()), 408);
  EXPECT_TRUE(half.closed());
}

TEST(ServerTimes, DrippingHeadEndsConnection) {
  const auto server = StartServer({{"POST", "/", Fine}}, ShortTimes());
  for (const std::string& head :
       {std::string("GET / HTTP/1.1\r\nHost: t\r\nX: "),
        std::string("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 9999\r\n\r\n")}) {
    RawSocket socket(server->port());
    socket.Send(head);
    const int64_t start_ms = NowMs();
    std::string answer;
    while (answer.empty() && !socket.closed() && NowMs() < start_ms + RawSocket::kPatienceMs) {
      socket.Send("a");
      answer = socket.ReadUntil("\r\n\r\n", 10);
    }
    EXPECT_EQ(StatusOf(answer), 408) << "each byte puts the end off";
  }
}

TEST(ServerTimes, IdleConnectionIsClosedSilently) {
  const auto server = StartServer({{"GET", "/", Fine}}, ShortTimes());
  RawSocket socket(server->port());
  socket.Send(GetText("/"));
  EXPECT_EQ(StatusOf(socket.ReadAnswer()), 200);
  EXPECT_EQ(socket.ReadAll(), "");
  EXPECT_TRUE(socket.closed());
}

TEST(ServerTimes, RunningHandlerHasNoConnectionDeadline) {
  Gate gate;
  const auto server =
      StartServer({{"GET", "/", [&](const Request&) { return gate.Pass(); }}}, ShortTimes());
  RawSocket socket(server->port());
  socket.Send(GetText("/"));
  EXPECT_EQ(socket.ReadUntil("x", 500), "");
  EXPECT_FALSE(socket.closed());
  gate.opened.count_down();
  EXPECT_EQ(StatusOf(socket.ReadAnswer()), 200);
}

TEST(ServerTimes, ClientThatNeverReadsIsClosed) {
  const std::string much(32 << 20, 'x');
  const auto server = StartServer(
      {{"GET", "/", [&](const Request&) { return TextResponse(200, much); }}}, ShortTimes());
  RawSocket socket(server->port());
  socket.Send(GetText("/"));
  // The workers are free: the rest of the answer waits at the connection.
  for (int i = 0; i < 20; ++i) {
    RawSocket other(server->port());
    other.Send(GetText("/none"));
    EXPECT_EQ(StatusOf(other.ReadAnswer()), 404);
  }
  const int64_t start_ms = NowMs();
  bool open = true;
  while (open && NowMs() < start_ms + RawSocket::kPatienceMs) open = socket.Send("x", 100);
  EXPECT_FALSE(open);
}

TEST(ServerTimes, SlowReaderGetsWholeLargeAnswer) {
  const std::string much(32 << 20, 'x');
  const auto server =
      StartServer({{"GET", "/", [&](const Request&) { return TextResponse(200, much); }}});
  RawSocket socket(server->port());
  socket.Send(GetText("/") + GetText("/"));
  for (int i = 0; i < 2; ++i) {
    const std::string answer = socket.ReadAnswer(20'000);
    EXPECT_TRUE(answer.ends_with(much));
  }
}

TEST(ServerPool, FullPoolAnswers503AtOnce) {
  Gate gate;
  ServerOptions options;
  options.workers = 2;
  options.queue = 1;
  const auto server =
      StartServer({{"GET", "/", [&](const Request&) { return gate.Pass(); }}}, options);
  std::vector<RawSocket> waiting;
  for (int i = 0; i < 2; ++i) waiting.emplace_back(server->port()).Send(GetText("/"));
  gate.AwaitInside(2);
  waiting.emplace_back(server->port()).Send(GetText("/"));
  // After the server has read and queued the third request it refuses all others.
  std::string refused;
  for (int64_t end_ms = NowMs() + 5'000; refused.empty() && NowMs() < end_ms;) {
    auto& probe = waiting.emplace_back(server->port());
    probe.Send(GetText("/"));
    refused = probe.ReadUntil("\r\n\r\n", 100);
  }
  EXPECT_EQ(StatusOf(refused), 503);
  EXPECT_NE(refused.find("Retry-After: "), std::string::npos);
  gate.opened.count_down();
  int served = 0;
  for (RawSocket& socket : waiting) served += StatusOf(socket.ReadAnswer(2'000)) == 200;
  EXPECT_GE(served, 3) << "two at work, one queued";
}

TEST(ServerPool, WaitingRoutesDelayOnlyEachOther) {
  Gate gate;
  Route slow{"POST", "/slow", [&](const Request&) { return gate.Pass(); }};
  slow.waits = true;
  ServerOptions options;
  options.workers = 3;  // one per request: an answer may arrive before its worker is free
  options.waiting_workers = 2;
  options.queue = 0;
  const auto server = StartServer({slow, {"GET", "/", Fine}}, options);
  RawSocket first(server->port()), second(server->port()), third(server->port());
  first.Send(PostText("/slow", ""));
  second.Send(PostText("/slow", ""));
  gate.AwaitInside(2);
  third.Send(PostText("/slow", ""));
  EXPECT_EQ(StatusOf(third.ReadUntil("\r\n\r\n")), 503);
  RawSocket quick(server->port());
  for (int i = 0; i < 3; ++i) {
    quick.Send(GetText("/"));
    EXPECT_TRUE(quick.ReadUntil("fine").ends_with("fine"));
  }
  gate.opened.count_down();
  EXPECT_TRUE(first.ReadUntil("passed").ends_with("passed"));
  EXPECT_TRUE(second.ReadUntil("passed").ends_with("passed"));
}

TEST(ServerPool, SlowBodiesDelayNobody) {
  ServerOptions options;
  options.workers = 4;
  options.body_timeout_ms = 4 * RawSocket::kPatienceMs;  // a worker that waited would not come back
  const auto server = StartServer({{"POST", "/", Fine}, {"GET", "/", Fine}}, options);
  std::vector<RawSocket> slow;
  for (size_t i = 0; i < options.workers + 1; ++i) {
    slow.emplace_back(server->port())
        .Send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 9\r\n\r\nx");
  }
  EXPECT_EQ(StatusOf(testing::Exchange(server->port(), GetText("/", "Connection: close\r\n"))),
            200);
  for (RawSocket& socket : slow) {
    socket.Send("12345678");
    EXPECT_EQ(StatusOf(socket.ReadAnswer()), 200);
  }
}

TEST(ServerPool, SlowUploadsLeaveWorkersForOthers) {
  ServerOptions options;
  options.workers = 4;
  const Handler drain = [](const Request& request) {
    size_t bytes = 0;
    while (true) {
      const auto piece = request.stream->Read();
      if (!piece) return ErrorResponse(piece.error());
      if (piece->empty()) return TextResponse(200, std::to_string(bytes));
      bytes += piece->size();
    }
  };
  const auto server =
      StartServer({{"POST", "/import", drain, 1 << 20, true}, {"GET", "/", Fine}}, options);
  std::vector<RawSocket> slow;
  for (size_t i = 0; i < options.workers + 1; ++i) {
    slow.emplace_back(server->port())
        .Send("POST /import HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\n\r\nx");
  }
  int refused = 0;
  for (const int64_t end_ms = NowMs() + 10'000; refused < 3 && NowMs() < end_ms;) {
    for (RawSocket& socket : slow) refused += StatusOf(socket.ReadUntil("\r\n\r\n", 10)) == 503;
  }
  EXPECT_EQ(refused, 3);
  EXPECT_EQ(StatusOf(testing::Exchange(server->port(), GetText("/", "Connection: close\r\n"))),
            200);
  int served = 0;
  for (RawSocket& socket : slow) {
    served += socket.Send("y") && StatusOf(socket.ReadAnswer(2'000)) == 200;
  }
  EXPECT_EQ(served, 2);
}

TEST(ServerConnections, ConnectionOverLimitIsRefused) {
  ServerOptions options;
  options.max_connections = 4;
  const auto server = StartServer({{"GET", "/", Fine}}, options);
  std::vector<RawSocket> kept;
  for (int i = 0; i < 4; ++i) {
    kept.emplace_back(server->port()).Send(GetText("/"));
    EXPECT_EQ(StatusOf(kept.back().ReadAnswer()), 200);
  }
  RawSocket fifth(server->port());
  fifth.Send(GetText("/"));
  EXPECT_EQ(StatusOf(fifth.ReadAll()), 503);
  kept[0].Send(GetText("/"));
  EXPECT_EQ(StatusOf(kept[0].ReadAnswer()), 200);
  kept.clear();
  for (int64_t end_ms = NowMs() + 5'000; NowMs() < end_ms;) {
    if (StatusOf(testing::Exchange(server->port(), GetText("/", "Connection: close\r\n"))) == 200)
      return;
  }
  FAIL() << "no connection is served after the others left";
}

// Idle connections of one pod must not keep the kubelet's probe out.
TEST(ServerConnections, NoPeerBlocksTheOthers) {
  ServerOptions options;
  options.max_connections = 4;
  const auto server = StartServer({{"GET", "/", Fine}}, options);
  std::vector<RawSocket> many;
  for (int i = 0; i < 4; ++i) {
    many.emplace_back(server->port()).Send(GetText("/"));
    EXPECT_EQ(StatusOf(many.back().ReadAnswer()), 200);
  }
  RawSocket probe(server->port(), "127.0.0.2"), second(server->port(), "127.0.0.3");
  probe.Send(GetText("/"));
  EXPECT_EQ(StatusOf(probe.ReadAnswer()), 200);
  second.Send(GetText("/"));
  EXPECT_EQ(StatusOf(second.ReadAnswer()), 200);
  RawSocket fifth(server->port());
  fifth.Send(GetText("/"));
  EXPECT_EQ(StatusOf(fifth.ReadAll()), 503) << "who has the most makes no room for himself";
  probe.Send(GetText("/"));
  EXPECT_EQ(StatusOf(probe.ReadAnswer()), 200) << "still open";
  int closed = 0;
  for (RawSocket& socket : many) closed += socket.ReadUntil("x", 50).empty() && socket.closed();
  EXPECT_EQ(closed, 2);
}

double CpuSeconds() {
  timespec spent{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
  return static_cast<double>(spent.tv_sec) + static_cast<double>(spent.tv_nsec) / 1e9;
}

TEST(ServerConnections, DescriptorExhaustionCostsNoCpuAndPasses) {
  const auto server = StartServer({{"GET", "/", Fine}});
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  std::vector<RawSocket> clients;
  clients.reserve(8);
  for (int i = 0; i < 4; ++i) clients.emplace_back(server->port());
  clients[0].Send(GetText("/"));
  EXPECT_EQ(StatusOf(clients[0].ReadAnswer()), 200);
  // The limit below leaves no free descriptor, so that the connection of `late` waits in the
  // kernel.
  const int lowest_free = ::socket(AF_INET, SOCK_STREAM, 0);
  RawSocket waiting(server->port());  // accepted before the limit below
  waiting.Send(GetText("/"));
  EXPECT_EQ(StatusOf(waiting.ReadAnswer()), 200);
  const int late = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  rlimit small = before;
  small.rlim_cur = static_cast<rlim_t>(late) + 1;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &small), 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(server->port()));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ::connect(late, reinterpret_cast<sockaddr*>(&address), sizeof address);
  const double cpu_before = CpuSeconds();
  clients[1].Send(GetText("/"));  // open connections are served
  EXPECT_EQ(StatusOf(clients[1].ReadAnswer()), 200);
  EXPECT_EQ(clients[2].ReadUntil("x", 500), "");
  EXPECT_LT(CpuSeconds() - cpu_before, 0.1);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(StatusOf(testing::Exchange(server->port(), GetText("/", "Connection: close\r\n"))),
            200);
  ::close(late);
  ::close(lowest_free);
}

TEST(ServerStop, LetsRunningRequestsEnd) {
  Gate gate;
  auto server = StartServer({{"GET", "/", [&](const Request&) { return gate.Pass(); }}});
  RawSocket running(server->port());
  RawSocket idle(server->port());
  running.Send(GetText("/"));
  gate.AwaitInside(1);
  std::jthread stopper([&] { server->Stop(10'000); });
  EXPECT_EQ(idle.ReadAll(), "");
  EXPECT_TRUE(idle.closed());
  gate.opened.count_down();
  const std::string answer = running.ReadAll();
  EXPECT_EQ(StatusOf(answer), 200);
  EXPECT_NE(answer.find("Connection: close"), std::string::npos);
}

TEST(ServerStop, EndsAfterGraceAndStopsHandlers) {
  std::atomic<bool> told = false;
  std::latch inside(1);
  auto server = StartServer({{"GET", "/", [&](const Request& request) {
                                inside.count_down();
                                std::mutex mutex;
                                std::unique_lock lock(mutex);
                                std::condition_variable_any wake;
                                wake.wait_for(lock, request.client_gone, std::chrono::seconds(20),
                                              [] { return false; });
                                told = request.client_gone.stop_requested();
                                return EmptyResponse(204);
                              }}});
  RawSocket socket(server->port());
  socket.Send(GetText("/"));
  inside.wait();
  server->Stop(20);
  EXPECT_TRUE(told);
}

TEST(ServerStop, IsQuickWithoutRequests) {
  auto server = StartServer({{"GET", "/", Fine}});
  RawSocket socket(server->port());
  socket.Send(GetText("/"));
  EXPECT_EQ(StatusOf(socket.ReadAnswer()), 200);
  const int64_t start_ms = NowMs();
  server->Stop(60'000);
  EXPECT_LT(NowMs() - start_ms, 50'000) << "it waited for the grace of requests";
}

}  // namespace
}  // namespace http
