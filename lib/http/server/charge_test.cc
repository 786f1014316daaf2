// The memory budget: charges begin at the head, last until the answer is sent, and are released.
#include <gtest/gtest.h>

#include "lib/base/limits/byte_budget.h"
#include "lib/base/process/clock.h"
#include "lib/http/server/reply.h"
#include "lib/http/server/server.h"
#include "lib/testing/eventually.h"
#include "lib/testing/http_server.h"
#include "lib/testing/raw_socket.h"

namespace http {
namespace {

using testing::GetText;
using testing::PostText;
using testing::RawSocket;
using testing::StatusOf;

constexpr size_t kMiB = 1 << 20;

class ServerBudget : public ::testing::Test {
 protected:
  void Start(
      size_t limit, std::function<void(ServerOptions&)> change = [](ServerOptions&) {}) {
    budget_ = std::make_shared<base::ByteBudget>(limit);
    ServerOptions options;
    options.budget = budget_;
    options.over_budget = [this](int status) { ++(status == 413 ? never_ : refused_); };
    change(options);
    const Handler fine = [this](const Request&) {
      ++handled_;
      return TextResponse(200, "fine");
    };
    const Handler much = [](const Request&) {
      return TextResponse(200, std::string(8 * kMiB, 'x'));
    };
    const Handler drain = [](const Request& request) {
      while (true) {
        const auto piece = request.stream->Read();
        if (!piece) return ErrorResponse(piece.error());
        if (piece->empty()) return TextResponse(200, "drained");
      }
    };
    server_ = testing::StartServer({{"POST", "/", fine, 8 * kMiB},
                                    {"GET", "/", fine},
                                    {"GET", "/much", much},
                                    {"POST", "/much", much},
                                    {"POST", "/stream", drain, 8 * kMiB, true}},
                                   options);
  }
  static std::string Head(size_t body_bytes, const std::string& more = "") {
    return "POST / HTTP/1.1\r\nHost: t\r\n" + more +
           "Content-Length: " + std::to_string(body_bytes) + "\r\n\r\n";
  }
  int port() const { return server_->port(); }
  bool AllIsGivenBack() {
    return testing::Eventually([&] { return budget_->used() == 0; });
  }

  std::shared_ptr<base::ByteBudget> budget_;
  std::atomic<int> refused_ = 0, never_ = 0, handled_ = 0;
  std::unique_ptr<Server> server_;
};

TEST_F(ServerBudget, LargeBodyIsRefusedAtHeadAndSmallOnesServed) {
  Start(9 * kMiB);
  std::vector<RawSocket> holders;
  for (int i = 0; i < 2; ++i) {
    holders.emplace_back(port()).Send(Head(kMiB));
    ASSERT_TRUE(testing::Eventually([&] { return budget_->used() == (i + 1) * 4 * kMiB; }));
  }
  RawSocket third(port());
  third.Send(Head(kMiB, "Expect: 100-continue\r\n"));
  const std::string answer = third.ReadUntil("}");
  EXPECT_EQ(StatusOf(answer), 503) << answer;
  EXPECT_NE(answer.find("\r\nRetry-After: 1\r\n"), std::string::npos) << answer;
  EXPECT_NE(answer.find("memory-budget"), std::string::npos) << answer;
  EXPECT_EQ(refused_, 1);
  for (int i = 0; i < 20; ++i) {
    const std::string small = PostText("/", std::string(8 << 10, 'x'), "Connection: close\r\n");
    ASSERT_EQ(StatusOf(testing::Exchange(port(), small)), 200);
    ASSERT_EQ(StatusOf(testing::Exchange(port(), GetText("/", "Connection: close\r\n"))), 200);
  }
  for (RawSocket& holder : holders) {
    holder.Send(std::string(kMiB, 'x'));
    EXPECT_EQ(StatusOf(holder.ReadAnswer()), 200);
  }
  EXPECT_TRUE(AllIsGivenBack());
  EXPECT_LE(budget_->highest(), budget_->limit());
}

TEST_F(ServerBudget, BodyThatNeverFitsIs413BeforeItIsSent) {
  Start(9 * kMiB);
  RawSocket socket(port());
  socket.Send(Head(3 * kMiB, "Expect: 100-continue\r\n"));
  const std::string answer = socket.ReadUntil("}");
  EXPECT_EQ(StatusOf(answer), 413) << answer;
  EXPECT_EQ(never_, 1);
  EXPECT_EQ(handled_, 0);
  EXPECT_TRUE(AllIsGivenBack());
}

TEST_F(ServerBudget, ChunkedBodyIsChargedAsItArrives) {
  Start(9 * kMiB);
  RawSocket holder(port());
  holder.Send(Head(kMiB));
  ASSERT_TRUE(testing::Eventually([&] { return budget_->used() == 4 * kMiB; }));
  const std::string head = "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string chunk = "40000\r\n" + std::string(256 << 10, 'x') + "\r\n";
  RawSocket chunked(port());
  std::string body = head;
  for (int i = 0; i < 8; ++i) body += chunk;  // 8 MiB with copies
  chunked.Send(body);
  EXPECT_EQ(StatusOf(chunked.ReadUntil("}")), 503);
  RawSocket larger(port());
  for (int i = 0; i < 8; ++i) body += chunk;
  holder.Reset();
  ASSERT_TRUE(AllIsGivenBack());
  larger.Send(body);
  EXPECT_EQ(StatusOf(larger.ReadUntil("}")), 413);
  EXPECT_EQ(handled_, 0);
  EXPECT_TRUE(AllIsGivenBack());
}

TEST_F(ServerBudget, HalfOpenConnectionIsChargedUntilTimeout) {
  Start(9 * kMiB, [](ServerOptions& options) { options.body_timeout_ms = 1'000; });
  RawSocket first(port()), second(port());
  first.Send(Head(2 * kMiB));
  ASSERT_TRUE(testing::Eventually([&] { return budget_->used() == 8 * kMiB; }));
  second.Send(Head(kMiB));
  EXPECT_EQ(StatusOf(second.ReadUntil("}")), 503);
  EXPECT_EQ(StatusOf(first.ReadUntil("}")), 408);
  EXPECT_TRUE(AllIsGivenBack());
}

TEST_F(ServerBudget, UnsentAnswerIsCharged) {
  Start(12 * kMiB);
  RawSocket slow(port());
  slow.Send(GetText("/much"));
  ASSERT_TRUE(testing::Eventually([&] { return budget_->used() == 8 * kMiB; }));
  const std::string refused = testing::Exchange(port(), GetText("/much", "Connection: close\r\n"));
  EXPECT_EQ(StatusOf(refused), 503) << "a second one has no room";
  EXPECT_NE(refused.find("Retry-After"), std::string::npos);
  EXPECT_EQ(StatusOf(testing::Exchange(port(), GetText("/", "Connection: close\r\n"))), 200);
  EXPECT_TRUE(slow.ReadAnswer().ends_with(std::string(1'000, 'x')));
  EXPECT_TRUE(AllIsGivenBack());
  // A POST has already changed something: its answer exceeds the budget instead of a 503.
  RawSocket first(port()), second(port());
  first.Send(PostText("/much", ""));
  second.Send(PostText("/much", ""));
  ASSERT_TRUE(testing::Eventually([&] { return budget_->used() == 16 * kMiB; }));
  EXPECT_EQ(StatusOf(first.ReadAnswer()), 200);
  EXPECT_EQ(StatusOf(second.ReadAnswer()), 200);
  EXPECT_TRUE(AllIsGivenBack());
}

TEST_F(ServerBudget, ClosedReaderReturnsCharge) {
  Start(12 * kMiB);
  {
    RawSocket slow(port());
    slow.Send(GetText("/much"));
    ASSERT_TRUE(testing::Eventually([&] { return budget_->used() == 8 * kMiB; }));
    slow.Reset();
  }
  EXPECT_TRUE(AllIsGivenBack());
}

TEST_F(ServerBudget, AnsweredClientMaySendNextLargeBody) {
  Start(5 * kMiB);
  RawSocket socket(port());
  for (int i = 0; i < 30; ++i) {
    socket.Send(PostText("/", std::string(kMiB, 'x')));
    ASSERT_EQ(StatusOf(socket.ReadAnswer()), 200) << i;
  }
  EXPECT_EQ(refused_, 0);
}

TEST_F(ServerBudget, RequestRefusedAtHeadIsNotCharged) {
  std::atomic<int> looked = 0;
  Start(9 * kMiB, [&](ServerOptions& options) {
    options.at_head = [&](const Request& request) -> std::optional<Response> {
      ++looked;
      if (request.headers.Get("Host") == "t") return std::nullopt;
      return RefusalResponse(403, "a stranger");
    };
  });
  for (const std::string& framing :
       {std::string("Content-Length: 1048576"), std::string("Content-Length: 99999999"),
        std::string("Transfer-Encoding: chunked")}) {
    RawSocket socket(port());
    socket.Send("POST / HTTP/1.1\r\nHost: evil\r\nExpect: 100-continue\r\n" + framing + "\r\n\r\n");
    const std::string answer = socket.ReadUntil("}");
    EXPECT_EQ(StatusOf(answer), 403) << answer;
    EXPECT_NE(answer.find("Connection: close"), std::string::npos);
  }
  EXPECT_EQ(budget_->highest(), 0u);
  EXPECT_EQ(handled_, 0);
  EXPECT_EQ(StatusOf(testing::Exchange(port(), PostText("/", "x", "Connection: close\r\n"))), 200);
  EXPECT_EQ(StatusOf(testing::Exchange(port(), GetText("/", "Connection: close\r\n"))), 200);
  EXPECT_EQ(looked, 4) << "without a body there is nothing to be held";
}

TEST_F(ServerBudget, PeerHasAShareOfTheBudget) {
  Start(64 * kMiB, [](ServerOptions& options) { options.peer_percent = 25; });
  std::vector<RawSocket> slow;
  for (size_t i = 0; i < 3; ++i) {
    slow.emplace_back(port()).Send(Head(kMiB));
    ASSERT_TRUE(testing::Eventually([&] { return budget_->used() == (i + 1) * 4 * kMiB; }));
  }
  RawSocket fourth(port());
  fourth.Send(Head(kMiB));
  const std::string answer = fourth.ReadUntil("}");
  EXPECT_EQ(StatusOf(answer), 503) << answer;
  EXPECT_NE(answer.find("127.0.0.1"), std::string::npos) << answer;
  RawSocket other(port(), "127.0.0.2");
  other.Send(Head(kMiB, "Connection: close\r\n") + std::string(kMiB, 'x'));
  EXPECT_EQ(StatusOf(other.ReadAll()), 200);
  for (RawSocket& socket : slow) socket.Send(std::string(kMiB, 'x'));
  for (RawSocket& socket : slow) EXPECT_EQ(StatusOf(socket.ReadAnswer()), 200);
  // The only body of a peer may exceed the share.
  RawSocket large(port());
  large.Send(Head(6 * kMiB, "Connection: close\r\n") + std::string(6 * kMiB, 'x'));
  EXPECT_EQ(StatusOf(large.ReadAll()), 200);
}

TEST_F(ServerBudget, StreamIsChargedForItsWindow) {
  Start(9 * kMiB);
  RawSocket upload(port());
  upload.Send("POST /stream HTTP/1.1\r\nHost: t\r\nContent-Length: 4194304\r\n\r\nx");
  ASSERT_TRUE(testing::Eventually([&] { return budget_->used() > 0; }));
  EXPECT_LT(budget_->used(), kMiB);
  upload.Send(std::string(4 * kMiB - 1, 'x'));
  EXPECT_EQ(StatusOf(upload.ReadAnswer()), 200);
  EXPECT_TRUE(AllIsGivenBack());
  EXPECT_LT(budget_->highest(), kMiB);
}

}  // namespace
}  // namespace http
