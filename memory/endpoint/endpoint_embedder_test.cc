// With any behavior of the endpoint a query has vectors or none, and never waits for long.
#include "memory/endpoint/endpoint_embedder.h"

#include <gtest/gtest.h>

#include <fstream>
#include <future>

#include "lib/testing/eventually.h"
#include "lib/testing/fake_clock.h"
#include "lib/testing/http_script.h"
#include "lib/testing/temporary_directory.h"
#include "memory/endpoint/endpoint_url.h"
#include "memory/endpoint/fake_endpoint_fixture.h"

namespace memory {
namespace {

using Vectors = std::vector<std::vector<int8_t>>;

class EndpointTest : public ::testing::Test {
 protected:
  EndpointTest() { Make({}); }
  void Make(EndpointOptions options) {
    if (options.url.empty()) options.url = endpoint_.url();
    options.model = "small";
    auto made = EndpointEmbedder::Make(std::move(options), clock_, metrics_);
    ASSERT_TRUE(made) << made.error().message;
    embedder_ = std::move(*made);
  }
  void MakePatient() {
    EndpointOptions options;
    options.deadline_ms = 60'000;  // no test is about the time that an answer takes
    Make(options);
  }
  void MakeHasty(const std::string& url = "") {
    EndpointOptions options;
    options.url = url;
    options.deadline_ms = options.rows_ms = 20;
    Make(options);
  }
  base::Result<Vectors> Rows(const std::vector<std::string>& texts) {
    return embedder_->OfRows(texts, {});
  }
  std::vector<int8_t> Question(const std::string& text) { return embedder_->OfQuestion(text, {}); }
  double Counted(const char* purpose, const char* outcome) const {
    return metrics_.Value("agent_memory_server_embedding_requests_total",
                          {{"for", purpose}, {"outcome", outcome}});
  }

  testing::FakeClock clock_;
  telemetry::Metrics metrics_;
  FakeEndpoint endpoint_;
  testing::TemporaryDirectory scratch_;
  std::unique_ptr<EndpointEmbedder> embedder_;
};

TEST_F(EndpointTest, RowsAndQueriesGetEqualVectors) {
  MakePatient();
  EXPECT_EQ(embedder_->known_model(), 0);
  auto model = embedder_->Model({});
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_GT(*model, 0);
  EXPECT_EQ(embedder_->known_model(), *model);
  auto rows = Rows({"my car", "a loaf"});
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(Question("which vehicle"), rows->front());
  EXPECT_NE(rows->front(), rows->back());
  // Recent queries are cached.
  const int asked = endpoint_.requests();
  EXPECT_EQ(Question("which vehicle"), rows->front());
  EXPECT_EQ(endpoint_.requests(), asked);
  EXPECT_EQ(Counted("question", "cached"), 1);
  EXPECT_FALSE(embedder_->failing());
}

TEST_F(EndpointTest, KeyFileIsReadForEachRequest) {
  EXPECT_TRUE(Rows({"car"}));
  EXPECT_EQ(endpoint_.authorization(), "");
  EndpointOptions options;
  options.key = "sk-environment";
  Make(options);
  EXPECT_TRUE(Rows({"car"}));
  EXPECT_EQ(endpoint_.authorization(), "Bearer sk-environment");
  options.key_file = scratch_.File("key");
  std::ofstream(options.key_file) << "sk-one\n";
  Make(options);
  EXPECT_TRUE(Rows({"car"}));
  EXPECT_EQ(endpoint_.authorization(), "Bearer sk-one");
  std::ofstream(options.key_file) << "sk-two";
  EXPECT_TRUE(Rows({"car"}));
  EXPECT_EQ(endpoint_.authorization(), "Bearer sk-two");
}

TEST_F(EndpointTest, RedirectIsNotFollowedAndGetsNoKey) {
  FakeEndpoint other;
  EndpointOptions options;
  options.key = "sk-secret";
  Make(options);
  endpoint_.Set(Misbehave::kStatus, 307, other.url() + "/embeddings");
  auto rows = Rows({"car"});
  ASSERT_FALSE(rows);
  EXPECT_EQ(other.requests(), 0);
  EXPECT_EQ(rows.error().message.find("sk-"), std::string::npos);
}

TEST_F(EndpointTest, UnusableAnswersGiveNoVectors) {
  MakePatient();
  ASSERT_TRUE(embedder_->Model({}));
  const std::pair<Misbehave, int> ways[] = {
      {Misbehave::kStatus, 500},        {Misbehave::kStatus, 429},
      {Misbehave::kStatus, 401},        {Misbehave::kStatus, 400},
      {Misbehave::kStatus, 204},        {Misbehave::kFewerVectors, 0},
      {Misbehave::kFewerDimensions, 0}, {Misbehave::kNotANumber, 0},
      {Misbehave::kNoJson, 0},          {Misbehave::kHuge, 0}};
  for (const auto& [way, status] : ways) {
    SCOPED_TRACE(static_cast<int>(way) * 1000 + status);
    endpoint_.Set(way, status);
    auto rows = Rows({"car", "loaf"});
    ASSERT_FALSE(rows);
    EXPECT_EQ(rows.error().code, base::Code::kUnavailable);
    EXPECT_EQ(rows.error().message.find("sk-"), std::string::npos);
    const std::string question = "car" + std::to_string(status) + std::to_string(int(way));
    EXPECT_TRUE(Question(question).empty());
    endpoint_.Set(Misbehave::kNot);
    clock_.Advance(3'600'000);
    EXPECT_TRUE(Rows({"car", "loaf"}));
    EXPECT_FALSE(Question(question).empty());
  }
  EXPECT_LT(endpoint_.sent_bytes(), size_t{256} << 20);
}

TEST_F(EndpointTest, HangingEndpointIsAbandonedAndPaused) {
  ASSERT_TRUE(embedder_->Model({}));
  MakeHasty();
  endpoint_.Set(Misbehave::kHang);
  EXPECT_TRUE(Question("car").empty());
  EXPECT_EQ(Counted("question", "late"), 1);
  EXPECT_TRUE(embedder_->failing());
  const int asked = endpoint_.requests();
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(Question("car").empty());
  EXPECT_EQ(endpoint_.requests(), asked);
  EXPECT_EQ(Counted("question", "paused"), 100);
  // After the pause one query probes the endpoint.
  clock_.Advance(1000);
  EXPECT_TRUE(Question("car").empty());
  EXPECT_TRUE(Question("car").empty());
  EXPECT_EQ(Counted("question", "late"), 2);
  MakePatient();
  endpoint_.Set(Misbehave::kNot);
  EXPECT_FALSE(Question("car").empty());
}

TEST_F(EndpointTest, StopEndsARequest) {
  MakePatient();
  endpoint_.Set(Misbehave::kHang);
  std::stop_source stop;
  auto asked =
      std::async(std::launch::async, [&] { return embedder_->OfRows({"car"}, stop.get_token()); });
  ASSERT_TRUE(testing::Eventually([&] { return endpoint_.hanging() == 1; }));
  stop.request_stop();
  EXPECT_FALSE(asked.get());
  EXPECT_FALSE(embedder_->failing()) << "nobody waited: it says nothing of the endpoint";
}

TEST_F(EndpointTest, RetryAfterIsRespected) {
  MakePatient();
  ASSERT_TRUE(embedder_->Model({}));
  endpoint_.Set(Misbehave::kStatus, 429, "30");
  EXPECT_FALSE(Rows({"car"}));
  endpoint_.Set(Misbehave::kNot);
  clock_.Advance(29'999);
  EXPECT_FALSE(embedder_->Model({}));
  clock_.Advance(1);
  EXPECT_TRUE(embedder_->Model({}));
}

TEST_F(EndpointTest, RefusedTextsGetNoVectorAndDelayNoOthers) {
  MakePatient();
  auto rows = Rows({"car", "loaf", "poison", "lawn", "more poison"});
  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_EQ(rows->size(), 5U);
  for (size_t i : {0, 1, 3}) EXPECT_FALSE((*rows)[i].empty());
  for (size_t i : {2, 4}) EXPECT_TRUE((*rows)[i].empty());
  EXPECT_TRUE(Question("poison").empty());
  EXPECT_FALSE(Question("car").empty()) << "that was the question's fault";
}

TEST_F(EndpointTest, BrokenConnectionsGiveNoVectors) {
  for (const testing::HttpScript::Step& step : std::vector<testing::HttpScript::Step>{
           {"", testing::HttpScript::kSilence},
           {"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", testing::HttpScript::kSilence},
           {"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", testing::HttpScript::kClose},
           {"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n", testing::HttpScript::kDrip},
           {"", testing::HttpScript::kReset},
           {"SSH-2.0\r\n", testing::HttpScript::kClose}}) {
    testing::HttpScript script;
    for (int i = 0; i < 4; ++i) script.Add(step);
    MakeHasty("http://127.0.0.1:" + std::to_string(script.port()));
    EXPECT_TRUE(Question("car").empty());
    EXPECT_FALSE(Rows({"car"}));
    embedder_.reset();
  }
}

TEST_F(EndpointTest, OnlyTheBeginningOfALongTextIsSent) {
  MakePatient();
  std::string text = "car";
  while (text.size() < 100'000) text += " \U0001F697";
  ASSERT_TRUE(Rows({text}));
  const std::string sent = *endpoint_.texts().begin();
  EXPECT_LE(sent.size(), size_t{8} << 10);
  EXPECT_GT(sent.size(), size_t{8 << 10} - 4);
  EXPECT_TRUE(text.starts_with(sent));
}

TEST(EndpointUrls, AreThoseOfOpenAiClients) {
  const auto whole = [](const std::string& url) {
    const auto parsed = ParseEndpointUrl(url, "/embeddings");
    return parsed ? parsed->base + " " + parsed->path : "";
  };
  EXPECT_EQ(whole("https://api.openai.com/v1"), "https://api.openai.com /v1/embeddings");
  EXPECT_EQ(whole("http://tei:8080/"), "http://tei:8080 /v1/embeddings");
  EXPECT_EQ(whole("http://[::1]:1/a/v1/embeddings"), "http://[::1]:1 /a/v1/embeddings");
  for (const char* bad : {"", "api.openai.com/v1", "ftp://x/v1", "https://", "https:///v1",
                          "https://:80", "https://u:sk-secret@x/v1", "https://x/v1?k=sk-secret",
                          "https://x/v1#a", "https://x /v1", "https://x/v1\r\nA: b"}) {
    const auto parsed = ParseEndpointUrl(bad, "/embeddings");
    ASSERT_FALSE(parsed) << bad;
    EXPECT_EQ(parsed.error().message.find("sk-secret"), std::string::npos);
  }
}

}  // namespace
}  // namespace memory
