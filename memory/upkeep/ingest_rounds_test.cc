// Outcomes of turns whose extractor fails or hangs, while other turns proceed.
#include "memory/upkeep/ingest_rounds.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>

#include "lib/testing/eventually.h"
#include "lib/testing/temporary_directory.h"
#include "memory/sqlite/engine/sqlite_engine.h"

namespace memory {
namespace {

using base::Code;
using base::Error;

// Obeys the text of the user.
class ObedientExtractor final : public Extractor {
 public:
  base::Result<std::vector<FactCandidate>> FactsOf(const std::string& user, const std::string&,
                                                   const std::stop_token& stop) override {
    ++asked;
    if (user == "away") return Error{Code::kUnavailable, "away"};
    if (user == "unusable" && !mended) return Error{Code::kInvalid, "no facts in it"};
    if (user == "hang") {
      std::mutex mutex;
      std::unique_lock lock(mutex);
      ++hanging;
      std::condition_variable_any().wait(lock, stop, [] { return false; });
      return Error{Code::kUnavailable, "stopped"};
    }
    return std::vector<FactCandidate>{{FactCategory::kKnowledge, user, 0.9, Speaker::kUser}};
  }
  std::atomic<int> asked = 0, hanging = 0;
  std::atomic<bool> mended = false;
};

class IngestRoundsTest : public ::testing::Test {
 protected:
  IngestRoundsTest() { Start(256); }
  ~IngestRoundsTest() override {
    rounds_.reset();
    engine_->Close();
  }
  void Start(size_t open_tenants) {
    engine_.reset();
    SqliteEngine::Options options;
    options.directory = scratch_.path();
    options.open_tenants = open_tenants;
    auto engine = SqliteEngine::Start(std::move(options), metrics_);
    ASSERT_TRUE(engine) << engine.error().message;
    engine_ = std::move(*engine);
  }
  void StartRounds(size_t at_once = 1) {
    rounds_ = std::make_unique<IngestRounds>(*engine_, extractor_, metrics_, at_once);
  }
  std::string Accept(const std::string& tenant, const std::string& user) {
    auto store = engine_->Open(tenant);
    EXPECT_TRUE(store) << store.error().message;
    Turn turn;
    turn.context = context_;
    turn.user = user;
    auto accepted = (*store)->turns().Accept(turn, {"", ""});
    EXPECT_TRUE(accepted) << accepted.error().message;
    return accepted->id;
  }
  TurnState StateOf(const std::string& tenant, const std::string& turn) {
    auto found = (*engine_->Open(tenant))->turns().Find(context_, turn);
    EXPECT_TRUE(found && *found);
    return **found;
  }
  bool Becomes(const std::string& tenant, const std::string& turn, const std::string& state) {
    return ::testing::Eventually([&] { return StateOf(tenant, turn).state == state; });
  }

  const TraceContext context_{"p", "", "ann", ""};
  telemetry::Metrics metrics_;
  testing::TemporaryDirectory scratch_;
  ObedientExtractor extractor_;
  std::unique_ptr<SqliteEngine> engine_;
  std::unique_ptr<IngestRounds> rounds_;
};

TEST_F(IngestRoundsTest, FailingTurnsOfOneTenantDelayNoOther) {
  std::vector<std::string> turns;
  for (int i = 0; i < 20; ++i) turns.push_back(Accept("b", "fact " + std::to_string(i)));
  const std::string waits = Accept("a", "away");
  StartRounds();
  for (const std::string& turn : turns) ASSERT_TRUE(Becomes("b", turn, "done"));
  EXPECT_EQ(StateOf("a", waits).state, "pending");
  EXPECT_LE(metrics_.Value("agent_memory_server_ingested_turns_total", {{"result", "failed"}}), 5);
}

TEST_F(IngestRoundsTest, DeadLetterKeepsItsTextsAndIsRetried) {
  const std::string turn = Accept("a", "unusable");
  StartRounds();
  ASSERT_TRUE(Becomes("a", turn, "failed"));
  EXPECT_EQ(extractor_.asked, kMaxExtractorTries);
  EXPECT_EQ(StateOf("a", turn).reason, "no facts in it");
  extractor_.mended = true;
  auto store = *engine_->Open("a");
  EXPECT_FALSE(*store->turns().Retry({"p", "", "bob", ""}, turn)) << "another user's";
  EXPECT_EQ(**store->turns().Retry(context_, turn), "failed");
  ASSERT_TRUE(Becomes("a", turn, "done"));
  EXPECT_EQ(StateOf("a", turn).facts[0]["decision"], "stored");
  EXPECT_EQ(**store->turns().Retry(context_, turn), "done") << "and stays so";
}

TEST_F(IngestRoundsTest, HangingModelDelaysNoStoreTurnOrStop) {
  Start(1);  // what holds its store keeps every other from being opened
  const std::string hangs = Accept("a", "hang");
  StartRounds(2);
  ASSERT_TRUE(::testing::Eventually([&] { return extractor_.hanging == 1; }));
  EXPECT_TRUE(Becomes("b", Accept("b", "fact"), "done"));
  rounds_.reset();
  EXPECT_EQ(StateOf("a", hangs).state, "pending");
}

TEST_F(IngestRoundsTest, FullDeadLettersFallBackToPatterns) {
  auto store = *engine_->Open("a");
  auto fail = [&](int64_t most_tries) {
    auto next = store->turns().Next();
    ASSERT_TRUE(next && *next);
    ASSERT_TRUE(store->turns().Fail(**next, "unusable", most_tries));
  };
  for (int64_t i = 0; i < kMaxDeadTurns; ++i) {
    Accept("a", "dead");
    fail(1);
  }
  const std::string turn = Accept("a", "I prefer tea.");
  for (int64_t i = 0; i < kMaxExtractorTries; ++i) fail(1);
  EXPECT_EQ(StateOf("a", turn).state, "pending");
  StartRounds();
  ASSERT_TRUE(Becomes("a", turn, "done"));
  EXPECT_EQ(extractor_.asked, 0);
  EXPECT_EQ(StateOf("a", turn).facts[0]["category"], "user_preference");
}

}  // namespace
}  // namespace memory
