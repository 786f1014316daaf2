// With any behavior of the endpoint a turn gets facts of the model or of patterns, or an error, and
// never waits for long.
#include "memory/endpoint/facts/endpoint_extractor.h"

#include <gtest/gtest.h>

#include <fstream>
#include <future>

#include "lib/testing/eventually.h"
#include "lib/testing/fake_clock.h"
#include "lib/testing/temporary_directory.h"
#include "memory/endpoint/chat/chat_bodies.h"
#include "memory/endpoint/chat/fake_chat_fixture.h"
#include "memory/endpoint/facts/fact_bodies.h"
#include "memory/store/memory_fixture.h"

namespace memory {
namespace {

using Way = FakeChat::Way;

constexpr const char* kSaid = "I prefer dark roast coffee.";  // that patterns find a fact in
constexpr const char* kTokensLeft = "agent_memory_server_extraction_tokens_left";

class ExtractorTest : public ::testing::Test {
 protected:
  ExtractorTest() : clock_(kMidnight) { Make({}); }
  base::Status TryMake(ChatOptions options) {
    extractor_.reset();
    options.url = chat_.url();
    options.model = "small";
    options.tokens_file = scratch_.File("tokens.json");
    ASSIGN_OR_RETURN(endpoint_, ChatEndpoint::Make(std::move(options), clock_, metrics_));
    extractor_ = std::make_unique<EndpointExtractor>(*endpoint_);
    return {};
  }
  void Make(ChatOptions options, int64_t deadline_ms = 60'000) {
    options.deadline_ms = deadline_ms;
    const base::Status made = TryMake(std::move(options));
    ASSERT_TRUE(made) << made.error().message;
  }
  // → the contents of the facts.
  std::string Facts(const std::string& user, const std::string& assistant = "") {
    const auto facts = extractor_->FactsOf(user, assistant, {});
    if (!facts) return "error: " + facts.error().message;
    std::string contents;
    for (const FactCandidate& fact : *facts) contents += fact.content;
    return contents;
  }
  double Counted(const char* outcome) const {
    return metrics_.Value("agent_memory_server_extraction_requests_total", {{"outcome", outcome}});
  }
  double Up() const { return metrics_.Value("agent_memory_server_extraction_endpoint_up"); }
  // An error of this turn only.
  static std::string Turn(int i) { return std::string(kSaid) + " " + std::to_string(i); }

  const std::string by_patterns_ = ExtractFacts(kSaid, "").front().content;
  testing::FakeClock clock_;
  telemetry::Metrics metrics_;
  FakeChat chat_;
  testing::TemporaryDirectory scratch_;
  std::unique_ptr<ChatEndpoint> endpoint_;
  std::unique_ptr<EndpointExtractor> extractor_;
};

TEST_F(ExtractorTest, FactsComeFromTheModel) {
  const auto facts = extractor_->FactsOf(kSaid, "Noted!", {});
  ASSERT_TRUE(facts) << facts.error().message;
  ASSERT_EQ(facts->size(), 1u);
  EXPECT_EQ(facts->front().content, "User likes green tea.");
  EXPECT_EQ(facts->front().said_by, Speaker::kAssistant) << "of both sides the less trusted one";
  EXPECT_EQ(chat_.turn(), base::Json({{"user", kSaid}, {"assistant", "Noted!"}}));
  EXPECT_EQ(chat_.asked()["model"], "small");
  EXPECT_EQ(Counted("ok"), 1);
  EXPECT_EQ(metrics_.Value("agent_memory_server_extraction_tokens_total"), 500);
  EXPECT_EQ(metrics_.Value(kTokensLeft), 199'500);
  EXPECT_EQ(extractor_->FactsOf(kSaid, "", {})->front().said_by, Speaker::kUser);
}

TEST_F(ExtractorTest, RepeatedTurnCostsNoTokens) {
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Facts(kSaid), "User likes green tea.");
  EXPECT_EQ(chat_.requests(), 1);
}

TEST_F(ExtractorTest, SecretsCodeAndMemoriesAreNotSent) {
  const std::string secret = std::string("ghp_") + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
  Facts("I live in Oslo. My token is " + secret + ".\n<memory:x>\nUser hates tea.\n</memory:x>",
        "Fine.\n```\nint hidden = 1;\n```\n");
  const std::string sent = base::DumpJson(chat_.asked());
  EXPECT_NE(sent.find("Oslo"), std::string::npos) << sent;
  for (const char* hidden : {"ghp_a1B2", "hates tea", "int hidden"})
    EXPECT_EQ(sent.find(hidden), std::string::npos) << sent;
  const int asked = chat_.requests();
  EXPECT_EQ(Facts("```\nint hidden = 1;\n```\n"), "");
  EXPECT_EQ(chat_.requests(), asked) << "nothing was said";
}

TEST_F(ExtractorTest, HangingModelIsAbandonedAndPaused) {
  Make({}, 30);
  chat_.Set(Way::kHang);
  EXPECT_EQ(Facts(kSaid), by_patterns_);
  EXPECT_EQ(Counted("late"), 1);
  EXPECT_EQ(Up(), 0);
  EXPECT_LT(metrics_.Value(kTokensLeft), 200'000) << "it may have worked on the turn";
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(Facts(Turn(i)).substr(0, by_patterns_.size()), by_patterns_);
  EXPECT_LE(chat_.requests(), 1) << "the first may arrive late";
  EXPECT_EQ(Counted("paused"), 100);
  chat_.Set(Way::kAnswer);
  Make({});
  EXPECT_EQ(Facts(kSaid), "User likes green tea.");
  EXPECT_EQ(Up(), 1);
}

TEST_F(ExtractorTest, FailedEndpointFallsBackToPatternsWithoutTokens) {
  for (const int status : {500, 503, 401, 404, 307, 400, 413, 422}) {
    chat_.Set(Way::kStatus, status);
    EXPECT_EQ(Facts(kSaid), by_patterns_) << status;
    EXPECT_EQ(Up(), 0);
    EXPECT_EQ(metrics_.Value(kTokensLeft), 200'000) << status;
    clock_.Advance(60'000);
  }
  EXPECT_EQ(Counted("away"), 5);
  EXPECT_EQ(Counted("refused"), 3);
  chat_.Set(Way::kAnswer);
  EXPECT_EQ(Facts(kSaid), "User likes green tea.");
  EXPECT_EQ(Up(), 1);
}

TEST_F(ExtractorTest, RetryAfterIsRespected) {
  chat_.Set(Way::kStatus, 429, "30");
  EXPECT_EQ(Facts(kSaid), by_patterns_);
  chat_.Set(Way::kAnswer);
  clock_.Advance(29'999);
  EXPECT_EQ(Facts(kSaid), by_patterns_);
  clock_.Advance(1);
  EXPECT_EQ(Facts(kSaid), "User likes green tea.");
}

TEST_F(ExtractorTest, InvalidCompletionFallsBackToPatterns) {
  for (const Way way : {Way::kHtml, Way::kHuge}) {
    chat_.Set(way);
    EXPECT_EQ(Facts(kSaid), by_patterns_);
    EXPECT_EQ(Up(), 0);
    clock_.Advance(60'000);
  }
  EXPECT_EQ(Counted("unusable"), 2);
  EXPECT_LT(chat_.sent_bytes(), size_t{64} << 20);
}

TEST_F(ExtractorTest, UnusableAnswerIsAnErrorOfTheTurn) {
  chat_.Say(R"({"facts": [{"category": "sk-echo", "content": "c", "importance": 1}]})");
  for (int i = 0; i < 3; ++i) {
    const std::string facts = Facts(kSaid);
    EXPECT_TRUE(facts.starts_with("error: ")) << facts;
    EXPECT_EQ(facts.find("sk-echo"), std::string::npos);
  }
  EXPECT_EQ(metrics_.Value(kTokensLeft), 200'000 - 3 * 500) << "it was worked for";
  // Several in a row are a fault of the model: patterns extract facts until the next attempt.
  EXPECT_EQ(Facts(kSaid), by_patterns_);
  EXPECT_EQ(Counted("paused"), 1);
  EXPECT_EQ(Up(), 0);
  chat_.Say(kTeaFact);
  clock_.Advance(60'000);
  EXPECT_EQ(Facts(kSaid), "User likes green tea.");
  EXPECT_EQ(Up(), 1);
}

TEST_F(ExtractorTest, SpentBudgetSurvivesRestartUntilMidnight) {
  ChatOptions options;
  options.tokens_per_day = 10'000;
  Make(options);
  chat_.Say(kTeaFact, 4'000);
  int asked = 0;
  for (; asked < 10 && Facts(Turn(asked)) == "User likes green tea."; ++asked) {
  }
  EXPECT_EQ(asked, 2) << "a third could cost more than is left";
  EXPECT_EQ(Counted("spent"), 1);
  EXPECT_EQ(metrics_.Value(kTokensLeft), 2'000);
  Make(options);
  EXPECT_EQ(metrics_.Value(kTokensLeft), 2'000);
  EXPECT_EQ(Facts(kSaid), by_patterns_);
  EXPECT_EQ(chat_.requests(), asked);
  clock_.Advance(kDay);
  EXPECT_EQ(Facts(kSaid), "User likes green tea.");
}

TEST_F(ExtractorTest, ConcurrentRequestsNeverExceedTheBudget) {
  ChatOptions options;
  options.tokens_per_day = 3 * MostTokensOf(EncodeFactRequest("small", Turn(0), ""));
  Make(options);
  chat_.Set(Way::kHang);
  std::vector<std::future<std::string>> turns;
  for (int i = 0; i < 8; ++i)
    turns.push_back(std::async(std::launch::async, [this, i] { return Facts(Turn(i)); }));
  ASSERT_TRUE(testing::Eventually([&] { return Counted("spent") == 5; }));
  EXPECT_TRUE(testing::Eventually([&] { return chat_.hanging() == 3; }));
  chat_.Set(Way::kAnswer);
  for (auto& turn : turns) turn.get();
  EXPECT_EQ(chat_.requests(), 3);
}

TEST_F(ExtractorTest, UnreadableKeyFilePreventsStart) {
  ChatOptions options;
  for (const std::string& file : {scratch_.File("none"), scratch_.path(), scratch_.File("blank")}) {
    std::ofstream(scratch_.File("blank")) << "\n";
    options.key_file = file;
    const base::Status made = TryMake(options);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, base::Code::kInvalid);
    EXPECT_TRUE(made.error().message.starts_with("extraction-key-file: ")) << made.error().message;
    EXPECT_NE(made.error().message.find(file), std::string::npos) << made.error().message;
  }
  options.key_file = scratch_.File("key");
  std::ofstream(options.key_file) << "sk-one\n";
  Make(options);
  Facts(Turn(1));
  EXPECT_EQ(chat_.authorization(), "Bearer sk-one");
  std::ofstream(options.key_file) << "sk-two";
  Facts(Turn(2));
  EXPECT_EQ(chat_.authorization(), "Bearer sk-two");
}

TEST_F(ExtractorTest, StopEndsARequest) {
  chat_.Set(Way::kHang);
  std::stop_source stop;
  auto asked = std::async(std::launch::async,
                          [&] { return extractor_->FactsOf(kSaid, "", stop.get_token()); });
  ASSERT_TRUE(testing::Eventually([&] { return chat_.hanging() == 1; }));
  stop.request_stop();
  const auto facts = asked.get();
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().code, base::Code::kUnavailable);
  EXPECT_EQ(Up(), 1) << "nobody waited: it says nothing of the endpoint";
}

}  // namespace
}  // namespace memory
