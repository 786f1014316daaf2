// Consolidation of a store's traces: one run at a time, meaning, damaged originals.
#include "lib/base/limits/byte_budget.h"
#include "lib/sqlite/database.h"
#include "lib/testing/fake_clock.h"
#include "memory/embedders.h"
#include "memory/sqlite/store/store_fixture.h"

namespace memory {
namespace {

constexpr int64_t kDayOfTraces = 86'400'000;

// Calls back when it is asked for the time.
class CallingClock : public ::testing::FakeClock {
 public:
  int64_t NowMs() const override {
    if (auto call = std::exchange(on_now, nullptr)) call();
    return FakeClock::NowMs();
  }
  mutable std::function<void()> on_now;
};

class ConsolidationStoreTest : public StoreTest {
 protected:
  ConsolidationStoreTest() {
    StoreOptions options;
    options.clock = &clock_;
    options.embedder = std::make_shared<WordBag>();
    Reopen(std::move(options));
    context_.project = "p";
  }
  ~ConsolidationStoreTest() override { store_.reset(); }
  std::string AddTrace(const std::string& content) {
    NewTrace trace;
    trace.content = content;
    auto added = store_->traces().Add(context_, trace);
    EXPECT_TRUE(added) << added.error().message;
    return added ? added->id : "";
  }
  ConsolidationRun Reflect() {
    auto run = store_->consolidation().Reflect(context_, false, api::kOriginUser);
    EXPECT_TRUE(run) << run.error().message;
    return run ? *run : ConsolidationRun();
  }
  // Writes to the file beside the store.
  void Write(const char* sql) {
    auto file = sqlite::Database::Open(scratch_.File("store"), {sqlite::Access::kWriter});
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_TRUE(file->Execute(sql));
  }

  CallingClock clock_;
  TraceContext context_;
};

TEST_F(ConsolidationStoreTest, ConcurrentSecondRunIsBusyAndChangesNothing) {
  AddTrace("what fades");
  clock_.Advance(30 * kDayOfTraces);
  std::optional<ConsolidationRun> second;
  clock_.on_now = [&] { second = Reflect(); };
  const ConsolidationRun first = Reflect();
  EXPECT_EQ(first.counts.pruned, 1);
  EXPECT_FALSE(first.busy);
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->busy);
  EXPECT_EQ(second->counts.pruned, 0);
  EXPECT_TRUE(second->id.empty());
  EXPECT_FALSE(Reflect().busy);
}

// A wall clock that is wrong for a moment lowers no strength and prunes nothing.
TEST_F(ConsolidationStoreTest, JumpOfTheClockPrunesNothing) {
  const std::string id = AddTrace("the north pump failed at noon");
  TraceQuestion question;
  question.text = "pump";
  clock_.Jump(365 * kDayOfTraces);
  ASSERT_TRUE(store_->traces().Search(context_, question));
  EXPECT_EQ(Reflect().counts.pruned, 0);
  clock_.Jump(-365 * kDayOfTraces);
  EXPECT_EQ(Reflect().counts.pruned, 0);
  const auto kept = store_->traces().Get(context_, id, false);
  ASSERT_TRUE(kept && *kept);
  EXPECT_GT((*kept)->trace.strength, 0.5);
  clock_.Advance(60 * kDayOfTraces);  // time that passes counts
  EXPECT_EQ(Reflect().counts.pruned, 1);
}

TEST_F(ConsolidationStoreTest, RunStaysWithinHalfTheByteBudget) {
  for (int i = 0; i < 1'100; ++i) AddTrace("pump number " + std::to_string(i) + " failed");
  base::ByteBudget budget(1 << 20);
  base::ByteCharge charge(&budget);
  {
    const base::ChargeScope scope(&charge);
    const auto run = store_->consolidation().Reflect(context_, true, api::kOriginUser);
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_TRUE(run->partial);
    EXPECT_LE(budget.highest(), budget.limit() / 2 + (128 << 10));
  }
  charge.Set(0);
  base::ByteCharge other(&budget);
  ASSERT_TRUE(other.TrySet(900'000));
  const base::ChargeScope scope(&charge);
  const auto refused = store_->consolidation().Reflect(context_, true, api::kOriginUser);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::Code::kUnavailable);
}

TEST_F(ConsolidationStoreTest, EqualMeaningsMergeWithBothTexts) {
  const std::string a = AddTrace("the north pump failed at noon");
  const std::string b = AddTrace("at noon the north pump failed");
  AddTrace("lunch was good");
  EXPECT_EQ(Reflect().counts.merged, 1);
  auto gone = store_->traces().Get(context_, a, true);
  ASSERT_TRUE(gone && *gone);
  auto merged = store_->traces().Get(context_, (*gone)->trace.merged_into, false);
  ASSERT_TRUE(merged && *merged);
  EXPECT_EQ((*merged)->trace.content,
            "the north pump failed at noon\nat noon the north pump failed");
  EXPECT_EQ((*merged)->sources, (std::vector<std::string>{a, b}));
}

// Three of twelve such pairs became one trace, since their vectors are nearly equal.
TEST_F(ConsolidationStoreTest, DifferentNumberDayOrNegationIsNotMerged) {
  EmbeddingSettings settings;
  settings.on = true;
  settings.table = "share/agent-memory-server/embedding.table";
  StoreOptions options;
  options.clock = &clock_;
  options.embedder = MakeEmbedder(settings);
  options.query_deadline_ms = 60'000;
  Reopen(std::move(options));
  const std::pair<const char*, const char*> pairs[] = {
      {"The staging database listens on port 5432", "The staging database listens on port 5433"},
      {"The weekly review meeting is on Monday", "The weekly review meeting is on Tuesday"},
      {"The licence of the editor ends in March", "The licence of the editor ends in April"},
      {"Host 10.0.0.12 ran out of disk space", "Host 10.0.0.13 ran out of disk space"},
      {"Ticket OPS-4711 waits for a reviewer", "Ticket OPS-4712 waits for a reviewer"},
      {"The parser was rewritten in v1.2.3", "The parser was rewritten in v1.2.4"},
      {"Backups are kept for seven days", "Backups are kept for nine days"},
      {"The service is ready for production", "The service is not ready for production"},
      {"The cache is shared between tenants", "The cache isn’t shared between tenants"},
      {"Invoice 2024-01-05 was paid by card", "Invoice 2024-02-05 was paid by card"},
      {"Its settings are in /etc/app/one.toml", "Its settings are in /etc/app/two.toml"},
      {"The train to Bern leaves at 7:15", "The train to Bern leaves at 7:45"}};
  for (const auto& [one, other] : pairs) {
    AddTrace(one);
    const auto nearest = store_->traces().Nearest(context_, other);
    ASSERT_TRUE(nearest) << nearest.error().message;
    EXPECT_LT(*nearest, 0.8) << other;
    AddTrace(other);
  }
  EXPECT_EQ(Reflect().counts.merged, 0);
  EXPECT_GE(store_->traces().Nearest(context_, pairs[0].first).value_or(0), 0.8);
}

TEST_F(ConsolidationStoreTest, TooLongGroupIsMergedInPartOrCompacted) {
  std::string a, b;
  for (int i = 0; i < 1'600; ++i) a += "north pump failed. ", b += "failed. pump north ";
  AddTrace(a);
  AddTrace(b);
  for (int i = 0; i < 6; ++i) {
    TraceQuestion question;
    question.text = "pump";
    ASSERT_TRUE(store_->traces().Search(context_, question));
    clock_.Advance(5 * kDayOfTraces);
  }
  const ConsolidationRun run = Reflect();
  EXPECT_EQ(run.counts.merged, 0);
  EXPECT_EQ(run.counts.compacted, 2);
  AddTrace("a " + a);
  AddTrace("b " + b);
  AddTrace("pump failed. north");
  EXPECT_GE(Reflect().counts.merged, 1) << "those that fit";
}

// Else each search beside a run waits for the writer, behind the run's next transaction.
TEST_F(ConsolidationStoreTest, RunLeavesNoRowWaitingForTheIndex) {
  StoreOptions options;
  options.clock = &clock_;
  options.embedder = std::make_shared<WordBag>();
  options.index_idle = std::chrono::hours(1);
  Reopen(std::move(options));
  AddTrace("the north pump failed at noon");
  AddTrace("at noon the north pump failed");
  ASSERT_EQ(Reflect().counts.merged, 1);
  auto file = sqlite::Database::Open(scratch_.File("store"), {sqlite::Access::kReader});
  ASSERT_TRUE(file);
  auto waiting = file->Prepare("SELECT count(*) FROM waiting");
  ASSERT_TRUE(waiting && waiting->Step());
  EXPECT_EQ(waiting->Int(0), 0);
}

TEST_F(ConsolidationStoreTest, DamagedOriginalIsNotReturned) {
  std::string text = "The first sentence.";
  for (int i = 0; i < 60; ++i) text += " Sentence " + std::to_string(i) + " of the text.";
  const std::string id = AddTrace(text);
  for (int i = 0; i < 6; ++i) {
    TraceQuestion question;
    question.text = "sentence";
    ASSERT_TRUE(store_->traces().Search(context_, question));
    clock_.Advance(5 * kDayOfTraces);
  }
  ASSERT_EQ(Reflect().counts.compacted, 1);
  auto original = store_->consolidation().Rehydrate(context_, id);
  ASSERT_TRUE(original && *original);
  EXPECT_EQ((*original)->content, text);
  store_.reset();
  Write("UPDATE trace_originals SET digest = 'another'");
  StoreOptions options;
  options.clock = &clock_;
  Reopen(std::move(options));
  original = store_->consolidation().Rehydrate(context_, id);
  ASSERT_TRUE(original && *original);
  EXPECT_EQ((*original)->content, std::nullopt);
  EXPECT_EQ((*original)->archived_ms, std::nullopt);
}

TEST_F(ConsolidationStoreTest, UnreadOriginalIsRemovedAfterItsArchiveDays) {
  StoreOptions options;
  options.clock = &clock_;
  options.consolidation.archive_days = 10;
  Reopen(std::move(options));
  std::string text = "The first sentence.";
  for (int i = 0; i < 60; ++i) text += " Sentence " + std::to_string(i) + " of the text.";
  const std::string id = AddTrace(text);
  for (int i = 0; i < 6; ++i) {
    TraceQuestion question;
    question.text = "sentence";
    ASSERT_TRUE(store_->traces().Search(context_, question));
    clock_.Advance(5 * kDayOfTraces);
  }
  ASSERT_EQ(Reflect().counts.compacted, 1);
  clock_.Advance(9 * kDayOfTraces);
  ASSERT_TRUE((*store_->consolidation().Rehydrate(context_, id))->content);
  clock_.Advance(9 * kDayOfTraces);
  ASSERT_TRUE(store_->Sweep({}));
  EXPECT_TRUE((*store_->consolidation().Rehydrate(context_, id))->content) << "somebody read it";
  clock_.Advance(11 * kDayOfTraces);
  ASSERT_TRUE(store_->Sweep({}));
  EXPECT_FALSE((*store_->consolidation().Rehydrate(context_, id))->content);
}

}  // namespace
}  // namespace memory
