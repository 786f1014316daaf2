// Shows the evicted rows of a state.db over its limit and their order, the rows that stay whatever
// its size, and that a round can be stopped and repeated.
#include "sidecar/session/growth_upkeep.h"

#include <gtest/gtest.h>

#include "lib/conversation/conversations.h"
#include "lib/conversation/sqlite/rows.h"
#include "lib/conversation/working/ledger.h"
#include "lib/testing/temporary_directory.h"
#include "sidecar/growth/growth_tables.h"
#include "sidecar/outbox/outbox.h"
#include "sidecar/tables/answered_events.h"
#include "sidecar/tables/audit_log.h"
#include "sidecar/tables/injection_log.h"
#include "sidecar/tables/memory_sessions.h"

namespace sidecar {
namespace {

constexpr int64_t kUpkeepDayMs = 24 * 3'600'000, kNowMs = 1'700'000'000'000;
constexpr GrowthLimits kKeeps = {.answers_ms = 90 * kUpkeepDayMs,
                                 .injections_ms = 90 * kUpkeepDayMs,
                                 .conversations_ms = 90 * kUpkeepDayMs,
                                 .audit_ms = 90 * kUpkeepDayMs};

class Growth : public ::testing::Test {
 protected:
  void SetUp() override { Open(); }
  void Open() {
    state_.reset();
    auto opened = State::Open(directory_.path(), [](const base::Error&) {});
    ASSERT_TRUE(opened) << opened.error().message;
    state_ = std::move(*opened);
  }
  template <class F>
  void Write(F work) {
    const auto done =
        state_->Change([&](sqlite::Database& db) -> base::Status { return work(db); });
    ASSERT_TRUE(done) << done.error().message;
  }
  void Say(const std::string& id, int messages, const char* state, const char* role = "user") {
    std::vector<conversation::Message> said(static_cast<size_t>(messages));
    for (auto& message : said) {
      message.role = role;
      message.content = std::string(1'000, 'm');
    }
    Write([&](sqlite::Database& db) -> base::Status {
      conversation::SqliteRows rows(db);
      RETURN_IF_ERROR(conversation::Append(rows, id, said, kNowMs));
      return conversation::SqliteRows(db).UpdateConversation(id, {.state = state});
    });
  }
  void Capture(const std::string& conversation, bool dead) {
    OutboxRow row;
    row.lane = conversation + "-session";
    row.kind = "observation";
    row.body = "{}";
    Write([&](sqlite::Database& db) -> base::Status {
      RETURN_IF_ERROR(AddMemorySession(db, {row.lane, conversation, "", 0}));
      RETURN_IF_ERROR(Enqueue(db, row, {}));
      return dead ? MarkDead(db, db.LastInsertId(), "400", "no") : base::Status();
    });
  }
  // Writes rows of every kind, within the last two hours.
  void Fill() {
    Write([&](sqlite::Database& db) -> base::Status {
      conversation::SqliteRows rows(db);
      for (int i = 0; i < 1'500; ++i) {
        RETURN_IF_ERROR(SaveAnswer(db, "talk", std::to_string(i), std::string(500, 'a'),
                                   kNowMs - 7'200'000 + i));
        InjectionRecord record;
        record.conversation = "talk";
        record.turn = i;
        record.text = std::string(500, 'i');
        record.items = base::Json::array();
        record.created_ms = kNowMs;
        RETURN_IF_ERROR(RecordInjection(db, record));
      }
      for (int i = 0; i < 700; ++i) {
        const std::string item = std::string(300, 'l') + std::to_string(i);
        RETURN_IF_ERROR(
            conversation::MarkInLedger(rows, "ghost", {{item, "v"}, 0, kNowMs - 7'200'000}));
        RETURN_IF_ERROR(conversation::MarkInLedger(rows, "ghost-now", {{item, "v"}, 0, kNowMs}));
        RETURN_IF_ERROR(conversation::MarkInLedger(rows, "talk", {{item, "v"}, 0, 0}));
      }
      for (int i = 0; i < 300; ++i) {
        RETURN_IF_ERROR(AddAudit(db, "c", "PreToolUse", "bash", std::string(900, 'x'), kNowMs));
      }
      return {};
    });
    for (int i = 0; i < 5; ++i) Say("old" + std::to_string(i), 200, "ended");
    Say("untold", 200, "ended");
    Say("dead", 200, "ended");
    Capture("untold", false);
    Capture("dead", true);
    Say("talk", 1, "open", "system");
    Say("talk", 1'299, "open");
    Say("last", 50, "ended");
  }
  GrowthUpkeep::Removed Run(GrowthLimits limits, int64_t now_ms = kNowMs) {
    GrowthUpkeep upkeep(*state_, metrics_, {.limits = limits},
                        [this] { return --until_stop_ < 0; });
    return upkeep.Run(now_ms, now_ms);
  }
  int64_t Used() {
    return *state_->Read([](sqlite::Database& db) { return db.UsedBytes(); });
  }
  // The single number that `sql` selects.
  int64_t Figure(const char* sql) {
    return *state_->Read([&](sqlite::Database& db) -> base::Result<int64_t> {
      ASSIGN_OR_RETURN(auto query, db.Prepare(sql));
      ASSIGN_OR_RETURN([[maybe_unused]] const bool found, query.Step());
      return query.Int(0);
    });
  }
  std::map<std::string, GrowthTotal> Totals() {
    return *state_->Read([](sqlite::Database& db) { return GrowthTotals(db); });
  }

  testing::TemporaryDirectory directory_;
  telemetry::Metrics metrics_;
  std::unique_ptr<State> state_;
  int until_stop_ = 1'000'000;
};

TEST_F(Growth, FileOverLimitEvictsOldestInOrder) {
  Fill();
  std::vector<EvictionClass> went;
  for (int round = 0; round < 40; ++round) {
    GrowthLimits limits = kKeeps;
    limits.max_bytes = Used() - 1;
    GrowthUpkeep::Removed removed = Run(limits);
    bool any = false;
    for (const EvictionClass kind : kEvictionOrder) {
      if (removed.Of(kind) == 0) continue;
      any = true;
      if (went.empty() || went.back() != kind) went.push_back(kind);
    }
    if (!any) break;
    EXPECT_LE(Used(), limits.max_bytes);
  }
  EXPECT_EQ(went, (std::vector<EvictionClass>{
                      EvictionClass::kAnswers, EvictionClass::kInjections, EvictionClass::kLedgers,
                      EvictionClass::kConversations, EvictionClass::kMessages}));
  EXPECT_EQ(Figure("SELECT count(*) FROM handled_events"), kNewestAnswers);
  EXPECT_EQ(Figure("SELECT min(CAST(event AS INTEGER)) FROM handled_events"), 500);
  EXPECT_EQ(Figure("SELECT count(*) FROM injections"), kNewestInjections);
  EXPECT_EQ(Figure("SELECT min(turn) FROM injections"), 500);
  EXPECT_EQ(Figure("SELECT count(*) FROM ledger WHERE conversation = 'ghost'"), 0);
  EXPECT_EQ(Figure("SELECT count(*) FROM ledger WHERE conversation = 'ghost-now'"), 700)
      << "a runtime may mark before the first event";
  EXPECT_EQ(Figure("SELECT count(*) FROM ledger WHERE conversation = 'talk'"), 700);
  EXPECT_EQ(Figure("SELECT count(*) FROM conversations WHERE id LIKE 'old%'"), 0);
  EXPECT_EQ(Figure("SELECT count(*) FROM messages WHERE conversation IN ('untold', 'dead')"), 400)
      << "the server was not told of them";
  EXPECT_EQ(Figure("SELECT count(*) FROM messages WHERE conversation = 'last'"), 50);
  EXPECT_EQ(Figure("SELECT count(*) FROM messages WHERE conversation = 'talk'"), 1'001);
  EXPECT_EQ(Figure("SELECT min(sequence) FROM messages WHERE conversation = 'talk'"), 1)
      << "the system message";
  EXPECT_EQ(Figure("SELECT count(*) FROM audit_log"), 300) << "nobody read them";
  EXPECT_EQ(Figure("SELECT count(*) FROM outbox"), 2);
  EXPECT_EQ(metrics_.Value("agent_memory_sidecar_forgotten_total",
                           {{"what", "conversations"}, {"reason", "share"}}),
            5);
  EXPECT_EQ(metrics_.Value("agent_memory_sidecar_kept_rows", {{"what", "audit"}}), 300);
}

TEST_F(Growth, FreedPagesDoNotCountAndAreReused) {
  Fill();
  GrowthLimits limits = kKeeps;
  limits.max_bytes = Used() * 2 / 3;
  Run(limits);
  const int64_t used = Used();
  EXPECT_LE(used, limits.max_bytes);
  GrowthUpkeep::Removed again = Run(limits);
  for (const EvictionClass kind : kEvictionOrder) EXPECT_EQ(again.Of(kind), 0) << NameOf(kind);
  const int64_t pages = Figure("PRAGMA page_count");
  Say("new", 200, "open");
  EXPECT_EQ(Figure("PRAGMA page_count"), pages);
}

TEST_F(Growth, EachKindExpiresAfterNinetyDays) {
  Fill();
  GrowthUpkeep::Removed early = Run(kKeeps, kNowMs + 89 * kUpkeepDayMs);
  for (const EvictionClass kind : kEvictionOrder) EXPECT_EQ(early.Of(kind), 0) << NameOf(kind);
  const GrowthUpkeep::Removed late = Run(kKeeps, kNowMs + 90 * kUpkeepDayMs + 1);
  EXPECT_EQ(late.answers, 1'500);
  EXPECT_EQ(late.injections, 1'500);
  EXPECT_EQ(late.ledgers, 1'400);
  EXPECT_EQ(late.conversations, 6);
  EXPECT_EQ(late.messages, 299);
  EXPECT_EQ(Figure("SELECT count(*) FROM messages WHERE conversation IN ('untold', 'dead')"), 400);
  EXPECT_EQ(Figure("SELECT count(*) FROM ledger"), 700);
  EXPECT_EQ(Figure("SELECT count(*) FROM audit_log"), 300);
}

TEST_F(Growth, AuditRowsAreEvictedOnceRead) {
  Fill();
  Write([](sqlite::Database& db) { return MarkAuditRead(db, 120); });
  EXPECT_EQ(Run(kKeeps, kNowMs + 89 * kUpkeepDayMs).audit, 0);
  EXPECT_EQ(Run(kKeeps, kNowMs + 91 * kUpkeepDayMs).audit, 120);
  EXPECT_EQ(Figure("SELECT min(number) FROM audit_log"), 121);
  Write([](sqlite::Database& db) { return MarkAuditRead(db, 200); });
  GrowthLimits limits = kKeeps;
  limits.max_bytes = 1;
  const GrowthUpkeep::Removed removed = Run(limits);
  EXPECT_EQ(removed.audit, 80) << "the size takes young ones too";
  EXPECT_EQ(Figure("SELECT count(*) FROM audit_log"), 100);
  EXPECT_EQ(metrics_.Value("agent_memory_sidecar_audit_unread"), 100);
  Open();
  EXPECT_EQ(Run(limits).audit, 0);
  limits = kKeeps;
  limits.audit_ms = 0;
  Write([](sqlite::Database& db) { return MarkAuditRead(db, 300); });
  EXPECT_EQ(Run(limits, kNowMs + 400 * kUpkeepDayMs).audit, 0) << "kept for ever";
}

TEST_F(Growth, StopTakesEffectBetweenPieces) {
  Fill();
  const int64_t late_ms = kNowMs + 91 * kUpkeepDayMs;
  until_stop_ = 2;
  EXPECT_EQ(Run(kKeeps, late_ms).answers, 2 * kRowsOfAPiece);
  Open();
  until_stop_ = 1'000'000;
  EXPECT_EQ(Run(kKeeps, late_ms).answers, 1'500 - 2 * kRowsOfAPiece);
  EXPECT_EQ(Totals()["answers"].rows, 0);
  EXPECT_EQ(Totals()["answers"].bytes, 0);
  EXPECT_EQ(Totals()["injections"].bytes, 0);
}

TEST_F(Growth, TotalsFollowWrites) {
  Fill();
  Write([](sqlite::Database& db) -> base::Status {
    conversation::SqliteRows rows(db);  // the same item again, with a longer value
    RETURN_IF_ERROR(conversation::MarkInLedger(rows, "one", {{"i", "v"}, 0, 0}));
    RETURN_IF_ERROR(conversation::MarkInLedger(rows, "one", {{"i", "value"}, 0, 0}));
    return conversation::SqliteRows(db).UpdateConversation("talk",
                                                           {.fields = base::Json{{"a", "b"}}});
  });
  const auto totals = Totals();
  EXPECT_EQ(totals.at("ledgers").rows, Figure("SELECT count(*) FROM ledger"));
  EXPECT_EQ(totals.at("ledgers").bytes,
            Figure("SELECT sum(length(conversation) + length(item) + length(value) + 20)"
                   " FROM ledger"));
  EXPECT_EQ(totals.at("conversations").bytes,
            Figure("SELECT sum(length(id) + length(fields) + 100) FROM conversations"));
  EXPECT_EQ(totals.at("messages").rows, Figure("SELECT count(*) FROM messages"));
  EXPECT_GT(totals.at("messages").bytes, 1'000 * totals.at("messages").rows);
}

TEST_F(Growth, LargeConversationIsEvictedInPieces) {
  std::vector<conversation::Message> said(100);
  for (auto& message : said) {
    message.role = "user";
    message.content = std::string(200'000, 'm');
  }
  Write([&](sqlite::Database& db) -> base::Status {
    conversation::SqliteRows rows(db);
    RETURN_IF_ERROR(conversation::Append(rows, "large", said, kNowMs));
    return conversation::SqliteRows(db).UpdateConversation("large", {.state = "ended"});
  });
  until_stop_ = 4;  // three pieces are of other kinds
  Run(kKeeps, kNowMs + 91 * kUpkeepDayMs);
  const int64_t left = Figure("SELECT count(*) FROM messages");
  EXPECT_LT(left, 100);
  EXPECT_GE(left, 60);
}

}  // namespace
}  // namespace sidecar
