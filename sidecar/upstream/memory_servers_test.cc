// Shows that all callers of a memory server share its health, and that the LRU keeps the clients in
// use.
#include "sidecar/upstream/memory_servers.h"

#include <gtest/gtest.h>

#include "lib/testing/fake_client.h"
#include "lib/testing/fake_clock.h"

namespace sidecar {
namespace {

constexpr const char* kUrl = "http://m:1";

class MemoryServersTest : public ::testing::Test {
 protected:
  base::Result<http::Response> Send(int64_t patience_ms, const std::string& url = kUrl) {
    http::ClientRequest request;
    request.timeout_ms = patience_ms;
    return servers_.Send(url, request);
  }
  testing::FakeClock clock_;
  std::map<std::string, int> made_;
  int calls_ = 0, back_ = 0;
  std::function<base::Result<http::Response>()> answer_ = [] { return http::Response{}; };
  MemoryServers servers_{
      {.token_is_for = [](const std::string&) { return false; },
       .on_back = [this] { ++back_; },
       .make_client =
           [this](http::ClientOptions options) -> base::Result<std::unique_ptr<http::Client>> {
         ++made_[options.base_url];
         auto client = std::make_unique<testing::FakeClient>();
         client->Otherwise([this](const http::ClientRequest&) {
           ++calls_;
           return answer_();
         });
         return std::unique_ptr<http::Client>(std::move(client));
       },
       .max_clients = 3},
      clock_};
};

TEST_F(MemoryServersTest, SilentServerIsProbedByOneCaller) {
  answer_ = [] { return base::Error{base::Code::kUnavailable, "refused"}; };
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(Send(5'000));
  EXPECT_TRUE(servers_.IsAway(kUrl));
  for (const int64_t patience_ms : {200, 3'000, 10'000}) {
    EXPECT_TRUE(servers_.Refuses(kUrl, patience_ms));
    EXPECT_EQ(Send(patience_ms).error().code, base::Code::kUnavailable);
  }
  EXPECT_EQ(calls_, 3) << "nobody asked";
  clock_.Advance(500);
  answer_ = [this]() -> base::Result<http::Response> {
    EXPECT_TRUE(servers_.Refuses(kUrl, 10'000)) << "a second probe beside the first";
    return http::Response{};
  };
  EXPECT_TRUE(Send(200));
  EXPECT_FALSE(servers_.IsAway(kUrl));
  EXPECT_EQ(back_, 1);
}

TEST_F(MemoryServersTest, SlowServerForRecallsServesOthers) {
  answer_ = [] { return base::Error{base::Code::kTimeout, "slow"}; };
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(Send(200));
  EXPECT_TRUE(servers_.IsSlow(kUrl));
  EXPECT_FALSE(servers_.IsAway(kUrl));
  EXPECT_TRUE(servers_.Refuses(kUrl, 200));
  answer_ = [] { return http::Response{}; };
  EXPECT_TRUE(Send(5'000));
  EXPECT_TRUE(servers_.Refuses(kUrl, 200)) << "a write that was quick says nothing of a search";
  clock_.Advance(500);
  EXPECT_TRUE(Send(200));
  EXPECT_FALSE(servers_.IsSlow(kUrl));
}

// Recalls must not use up all probes of a server that answers slower than their deadline.
TEST_F(MemoryServersTest, ShortProbeDelaysNoPatientCaller) {
  answer_ = [] { return base::Error{base::Code::kUnavailable, "refused"}; };
  for (int i = 0; i < 3; ++i) (void)Send(5'000);
  clock_.Advance(500);
  answer_ = [] { return base::Error{base::Code::kTimeout, "slow"}; };
  EXPECT_EQ(Send(200).error().code, base::Code::kTimeout);
  answer_ = [] { return http::Response{}; };
  EXPECT_TRUE(Send(5'000));
}

TEST_F(MemoryServersTest, BusyServerIsAvailable) {
  http::Response busy;
  busy.status = 503;
  busy.body = R"({"error": "too many", "code": "unavailable"})";
  answer_ = [&] { return busy; };
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(Send(5'000));
  EXPECT_FALSE(servers_.IsAway(kUrl));
  busy.body = "no healthy upstream";
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Send(5'000));
  EXPECT_TRUE(servers_.IsAway(kUrl));
}

TEST_F(MemoryServersTest, EvictsTheLeastRecentlyUsedClient) {
  for (const char* url : {"http://a", "http://b", "http://c", "http://a", "http://d", "http://a"})
    EXPECT_TRUE(Send(5'000, url));
  EXPECT_EQ(made_["http://a"], 1);
  EXPECT_TRUE(Send(5'000, "http://b"));
  EXPECT_EQ(made_["http://b"], 2);
}

}  // namespace
}  // namespace sidecar
