// Streams of the client: the course and end of one, and many on one thread.
#include "lib/testing/streams.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <latch>
#include <string>
#include <thread>

#include "lib/base/guarded.h"
#include "lib/base/process/clock.h"
#include "lib/http/client/client.h"
#include "lib/http/server/server.h"
#include "lib/testing/eventually.h"
#include "lib/testing/http_script.h"
#include "lib/testing/http_server.h"

namespace http {
namespace {

using testing::Eventually;
using testing::HttpScript;
using testing::StartServer;

const char* const kEndless = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

std::unique_ptr<Client> StreamClientOf(int port, ClientOptions options = {}) {
  options.base_url = "http://127.0.0.1:" + std::to_string(port);
  auto client = MakeClient(options);
  EXPECT_TRUE(client) << client.error().message;
  return std::move(*client);
}

ClientRequest GetStream(std::string target) {
  ClientRequest request;
  request.target = std::move(target);
  return request;
}

TEST(ClientStream, DeliversPiecesAsTheyArrive) {
  std::latch first_seen(1);
  std::vector<Route> routes = {{"GET", "/watch", [&](const Request&) {
                                  Response response;
                                  response.stream = [&](BodyWriter& writer) -> base::Status {
                                    RETURN_IF_ERROR(writer.Write("one\n"));
                                    first_seen.wait();  // waits until the client has "one"
                                    return writer.Write("two\n");
                                  };
                                  return response;
                                }}};
  const auto server = StartServer(routes);
  std::string seen;
  int status = 0;
  const auto result = testing::ReadToEnd(
      *StreamClientOf(server->port()), GetStream("/watch"), {},
      [&](const Response& head) {
        status = head.status;
        return true;
      },
      [&](std::string_view bytes) {
        if (seen.empty()) first_seen.count_down();
        seen += bytes;
        return true;
      });
  EXPECT_TRUE(result);
  EXPECT_EQ(status, 200);
  EXPECT_EQ(seen, "one\ntwo\n");
}

TEST(ClientStream, EndsSoonAfterStop) {
  std::atomic<bool> noticed = false;
  std::vector<Route> routes = {{"GET", "/watch", [&](const Request& request) {
                                  Response response;
                                  response.stream = [&noticed, gone = request.client_gone](
                                                        BodyWriter& writer) -> base::Status {
                                    RETURN_IF_ERROR(writer.Write("one\n"));
                                    std::mutex mutex;
                                    std::unique_lock lock(mutex);
                                    std::condition_variable_any wake;
                                    wake.wait_for(lock, gone, std::chrono::seconds(20),
                                                  [] { return false; });
                                    noticed = gone.stop_requested();
                                    return {};
                                  };
                                  return response;
                                }}};
  auto server = StartServer(routes);
  std::stop_source stop;
  const auto result = testing::ReadToEnd(
      *StreamClientOf(server->port()), GetStream("/watch"), stop.get_token(),
      [](const Response&) { return true; }, [&](std::string_view) { return stop.request_stop(); });
  EXPECT_TRUE(result);
  server->Stop(10'000);
  EXPECT_TRUE(noticed);
}

TEST(ClientStream, EndsOnSilence) {
  testing::HttpScript script;
  script.Add(
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", testing::HttpScript::kSilence});
  ClientOptions options;
  options.idle_timeout_ms = 100;
  const auto result = testing::ReadToEnd(
      *StreamClientOf(script.port(), options), GetStream("/a"), {},
      [](const Response&) { return true; }, [](std::string_view) { return true; });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, base::Code::kTimeout);
}

// Streams "<path>\n" for each Tick until the client is gone; to paths ending in /silent only once.
class Ticker {
 public:
  std::vector<Route> Routes() {
    return {{"GET", "/tick/{x}", [this](const Request& request) {
               Response response;
               response.stream = [this, path = request.path, gone = request.client_gone](
                                     BodyWriter& writer) { return Write(path, gone, writer); };
               return response;
             }}};
  }
  void Tick() {
    const std::lock_guard lock(mutex_);
    ++ticks_;
    ticked_.notify_all();
  }

 private:
  base::Status Write(const std::string& path, const std::stop_token& gone, BodyWriter& writer) {
    for (int told = 0;; ++told) {
      {
        std::unique_lock lock(mutex_);
        const bool silent = told > 0 && path.ends_with("/silent");
        if (!ticked_.wait(lock, gone, [&] { return !silent && ticks_ > told; })) return {};
      }
      RETURN_IF_ERROR(writer.Write(path + "\n"));
    }
  }

  std::mutex mutex_;
  std::condition_variable_any ticked_;
  int ticks_ = 1;  // the first needs no Tick
};

// Counts the callbacks of a stream.
struct Told {
  std::atomic<int> heads = 0, pieces = 0, ends = 0;
  base::Guarded<base::Status> end;
  std::atomic<std::thread::id> thread;

  StreamReader Reader(std::function<void()> on_piece = {}) {
    return {[this](const Response&) {
              ++heads;
              return true;
            },
            [this, on_piece = std::move(on_piece)](std::string_view) {
              thread = std::this_thread::get_id();
              if (on_piece) on_piece();
              ++pieces;
              return true;
            },
            [this](base::Status status) {
              end.Set(std::move(status));
              ++ends;
            }};
  }
};

std::unique_ptr<http::Server> StartTicking(Ticker& ticker, size_t workers) {
  ServerOptions options;
  options.workers = workers;
  return StartServer(ticker.Routes(), options);
}

TEST(ClientStreams, ManyStreamsShareOneThread) {
  constexpr size_t kMany = 20;
  Ticker ticker;
  const auto server = StartTicking(ticker, kMany);
  const auto client = StreamClientOf(server->port());
  std::vector<Told> told(kMany);
  std::vector<std::unique_ptr<OpenStream>> streams;
  for (size_t i = 0; i < kMany; ++i)
    streams.push_back(client->Open(GetStream("/tick/" + std::to_string(i)), told[i].Reader()));
  for (int ticks = 1; ticks <= 3; ++ticks) {
    for (const Told& one : told)
      EXPECT_TRUE(Eventually([&] { return one.pieces >= ticks; })) << one.pieces;
    ticker.Tick();
  }
  for (const Told& one : told) {
    EXPECT_EQ(one.heads, 1);
    EXPECT_EQ(one.ends, 0);
    EXPECT_EQ(one.thread.load(), told[0].thread.load());
    EXPECT_NE(one.thread.load(), std::this_thread::get_id());
  }
}

TEST(ClientStreams, SlowStreamMakesNoOtherIdle) {
  Ticker ticker;
  const auto server = StartTicking(ticker, 2);
  ClientOptions options;
  options.idle_timeout_ms = 1'000;
  const auto client = StreamClientOf(server->port(), options);
  std::latch inside(1), go_on(1);
  Told slow, other;
  const auto first = client->Open(GetStream("/tick/a"), slow.Reader([&] {
    if (slow.pieces > 0) return;
    inside.count_down();
    go_on.wait();
  }));
  inside.wait();
  // Opened while the thread is blocked: its pieces wait, which is no silence.
  const auto second = client->Open(GetStream("/tick/b"), other.Reader());
  const int64_t until_ms = base::SystemClock().MonotonicMs() + 3 * options.idle_timeout_ms;
  while (base::SystemClock().MonotonicMs() < until_ms) {
    ticker.Tick();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the server's pace
  }
  EXPECT_EQ(other.pieces, 0);
  go_on.count_down();
  EXPECT_TRUE(Eventually([&] {
    ticker.Tick();
    return other.pieces > 1 && slow.pieces > 1;
  }));
  EXPECT_EQ(other.ends, 0);
}

TEST(ClientStreams, IdleStreamEndsAlone) {
  Ticker ticker;
  const auto server = StartTicking(ticker, 4);
  ClientOptions options;
  options.idle_timeout_ms = 1'000;
  const auto client = StreamClientOf(server->port(), options);
  Told told[3], silent;
  std::vector<std::unique_ptr<OpenStream>> streams;
  for (Told& one : told) streams.push_back(client->Open(GetStream("/tick/a"), one.Reader()));
  streams.push_back(client->Open(GetStream("/tick/silent"), silent.Reader()));
  ASSERT_TRUE(Eventually([&] {
    ticker.Tick();
    return silent.ends == 1;
  }));
  EXPECT_EQ(silent.pieces, 1);
  EXPECT_EQ(silent.end.Copy().error().code, base::Code::kTimeout);
  for (const Told& one : told) EXPECT_EQ(one.ends, 0);
}

TEST(ClientStreams, NoCallbackAfterDestructor) {
  Ticker ticker;
  const auto server = StartTicking(ticker, 2);
  const auto client = StreamClientOf(server->port());
  std::latch inside(1), go_on(1);
  Told told;
  auto stream = client->Open(GetStream("/tick/a"), told.Reader([&] {
    if (told.pieces > 0) return;
    inside.count_down();
    go_on.wait();
  }));
  inside.wait();
  std::atomic<int> at_end = -1;
  std::jthread ending([&] {
    stream.reset();
    at_end = told.pieces.load();
  });
  ticker.Tick();
  EXPECT_EQ(at_end, -1);
  go_on.count_down();
  EXPECT_TRUE(Eventually([&] { return at_end >= 0; }));
  EXPECT_GE(at_end, 1) << "it did not wait for what was being told";
  // Another stream still gets pieces, the destroyed one none.
  Told other;
  const auto second = client->Open(GetStream("/tick/b"), other.Reader());
  EXPECT_TRUE(Eventually([&] { return other.pieces > 0; }));
  EXPECT_EQ(told.pieces, at_end);
  EXPECT_EQ(told.ends, 0);
}

TEST(ClientStreams, StreamMayEndAnother) {
  Ticker ticker;
  const auto server = StartTicking(ticker, 3);
  const auto client = StreamClientOf(server->port());
  Told first, second;
  std::unique_ptr<OpenStream> other = client->Open(GetStream("/tick/a"), first.Reader());
  ASSERT_TRUE(Eventually([&] { return first.pieces > 0; }));
  const auto stream = client->Open(GetStream("/tick/b"), second.Reader([&] { other.reset(); }));
  EXPECT_TRUE(Eventually([&] { return second.pieces > 0; }));
  EXPECT_EQ(first.ends, 0);
}

TEST(ClientStreams, StreamMayEndWhileOpening) {
  HttpScript script;
  script.Add({"", HttpScript::kSilence});
  const auto client = StreamClientOf(script.port());
  Told told;
  for (int i = 0; i < 20; ++i) (void)client->Open(GetStream("/a"), told.Reader());
  auto last = client->Open(GetStream("/a"), told.Reader());
  ASSERT_TRUE(Eventually([&] { return script.requests() > 0; }));
  last.reset();
  EXPECT_EQ(told.heads + told.pieces + told.ends, 0);
}

TEST(ClientStreams, MissingHeadIsATimeout) {
  HttpScript script;
  script.Add({"", HttpScript::kSilence});
  const auto client = StreamClientOf(script.port());
  ClientRequest request = GetStream("/a");
  request.timeout_ms = 100;
  Told told;
  const auto stream = client->Open(request, told.Reader());
  ASSERT_TRUE(Eventually([&] { return told.ends == 1; }));
  EXPECT_EQ(told.end.Copy().error().code, base::Code::kTimeout);
  EXPECT_EQ(told.heads, 0);
}

TEST(ClientStreams, UnsendableRequestEndsAtOnce) {
  const auto client = StreamClientOf(1);
  Told told;
  const auto stream = client->Open(GetStream("/a b"), told.Reader());
  ASSERT_TRUE(Eventually([&] { return told.ends == 1; }));
  EXPECT_EQ(told.end.Copy().error().code, base::Code::kInvalid);
}

TEST(ClientStreams, ClosingServerEndsAllStreams) {
  HttpScript script;
  for (int i = 0; i < 10; ++i)
    script.Add({kEndless, i % 2 ? HttpScript::kClose : HttpScript::kReset});
  const auto client = StreamClientOf(script.port());
  for (int i = 0; i < 10; ++i) {
    Told told;
    const auto stream = client->Open(GetStream("/a"), told.Reader());
    ASSERT_TRUE(Eventually([&] { return told.ends == 1; }));
    EXPECT_EQ(told.end.Copy().error().code, base::Code::kUnavailable);
  }
}

TEST(ClientStreams, DeadConnectionIsRetriedOnce) {
  HttpScript script;
  script.Add({testing::kHelloAnswer, HttpScript::kKeep});
  script.Add({"", HttpScript::kClose});  // the second request of the first connection
  script.Add({testing::kHelloAnswer, HttpScript::kKeep});
  const auto client = StreamClientOf(script.port());
  ASSERT_TRUE(client->Send(GetStream("/a")));
  Told told;
  const auto stream = client->Open(GetStream("/a"), told.Reader());
  ASSERT_TRUE(Eventually([&] { return told.ends == 1; }));
  EXPECT_TRUE(told.end.Copy());
  EXPECT_EQ(told.heads, 1);
  EXPECT_EQ(script.requests(), 3);
}

TEST(ClientStreams, OpenAndEndAThousandTimes) {
  const auto server =
      StartServer({{"GET", "/hello", [](const Request&) { return TextResponse(200, "hello"); }}});
  const auto client = StreamClientOf(server->port());
  constexpr size_t kAtOnce = 10;
  int whole = 0;
  for (int round = 0; round < 100; ++round) {
    std::vector<Told> told(kAtOnce);
    std::vector<std::unique_ptr<OpenStream>> streams;
    for (Told& one : told) streams.push_back(client->Open(GetStream("/hello"), one.Reader()));
    for (size_t i = 0; i < kAtOnce / 2; ++i) streams[i].reset();  // before or after its end
    for (size_t i = kAtOnce / 2; i < kAtOnce; ++i)
      whole += Eventually([&] { return told[i].ends == 1; }) && told[i].end.Copy();
  }
  EXPECT_EQ(whole, 500);
}

}  // namespace
}  // namespace http
