// Shows repeated salvages, and salvages without room or time.
#include <utility>

#include "sidecar/state/salvage_fixture.h"

namespace sidecar {
namespace {

using base::Json;

TEST_F(Damaged, SecondDamageDoesNotSalvageTheFirstFile) {
  Make(false);
  Reset();
  DamageTable("messages");
  auto state = Open();
  ASSERT_TRUE(state) << state.error().message;
  ASSERT_EQ(Said(**state).size(), 1u);
  // Delivers all salvaged writes.
  const auto rows =
      *(*state)->Read([](sqlite::Database& db) { return PendingRows(db, 0, 10'000); });
  ASSERT_FALSE(rows.empty());
  ASSERT_TRUE((*state)->Change([&](sqlite::Database& db) -> base::Status {
    for (const OutboxHead& row : rows) RETURN_IF_ERROR(MarkDelivered(db, row.sequence));
    return {};
  }));
  const OutboxTotals before = Totals(**state);
  ASSERT_EQ(before.pending, 0);
  state->reset();
  int64_t at = 0;
  {
    auto db = sqlite::Database::Open(File(), {});
    ASSERT_TRUE(db);
    auto page = db->Prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'handled_events'");
    ASSERT_TRUE(page && *page->Step());
    at = (page->Int(0) - 1) * static_cast<int64_t>(kPage);
  }
  Overwrite(File(), static_cast<size_t>(at), Noise(kPage));
  state = Open();
  ASSERT_TRUE(state) << state.error().message;
  const OutboxTotals totals = Totals(**state);
  EXPECT_EQ(totals.pending, 0);
  EXPECT_EQ(totals.delivered, before.delivered);
  EXPECT_EQ(totals.accepted, before.accepted);
  EXPECT_EQ(Said(**state).size(), 2u);
  ExpectUsable(**state);
}

// A new file with a limited number of free pages, beside the damaged one.
class NoRoom : public Damaged {
 protected:
  void Beside(const char* damaged_table) {
    Make(false);
    Reset();
    DamageTable(damaged_table);
    fs::rename(File(), File() + ".damaged-1700000000000");
    const std::string elsewhere = work_.path() + "/new";
    ASSERT_TRUE(State::Open(elsewhere, [](const base::Error&) {}));
    fs::copy(elsewhere + "/state.db", File());
  }
  base::Status SalvageInto(int64_t free_pages, const base::Clock& clock = base::SystemClock()) {
    auto db = sqlite::Database::Open(File(), {});
    if (!db) return db.error();
    const int64_t pages = static_cast<int64_t>(fs::file_size(File()) / kPage) + free_pages;
    const std::string limit = "PRAGMA max_page_count = " + std::to_string(pages);
    RETURN_IF_ERROR(db->Execute(limit.c_str()));
    return SalvageAll(*db, Path(), clock);
  }
};

TEST_F(NoRoom, ForTheOutboxIsRetriedAtNextStart) {
  Beside("handled_events");
  ASSERT_TRUE(SalvageInto(3));
  EXPECT_TRUE(fs::exists(File() + ".damaged-1700000000000"));
  {  // Meanwhile the sidecar accepts a write; later there is room.
    auto db = sqlite::Database::Open(File(), {});
    ASSERT_TRUE(db);
    EXPECT_TRUE(Damages(*db)->empty());
    OutboxRow row;
    row.lane = "new";
    row.kind = "observation";
    row.body = "{}";
    ASSERT_TRUE(Enqueue(*db, row, {}));
  }
  auto state = Open();
  ASSERT_TRUE(state) << state.error().message;
  EXPECT_EQ(Totals(**state).pending, kRows - kDelivered - kDead + 1);
  EXPECT_EQ(Said(**state)[0]["lost_writes"], 0);
  EXPECT_FALSE(fs::exists(File() + ".damaged-1700000000000"));
  ExpectUsable(**state);
}

TEST_F(NoRoom, ForMessagesSalvagesTheOutboxOnly) {
  Beside("handled_events");
  // Finds the smallest room that fits the outbox.
  for (int64_t pages = 4; fs::exists(File() + ".damaged-1700000000000"); pages += 2) {
    ASSERT_LT(pages, 200);
    ASSERT_TRUE(SalvageInto(pages));
  }
  auto state = Open();
  ASSERT_TRUE(state) << state.error().message;
  const Json said = Said(**state);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0]["lost_writes"], 0) << said.dump();
  EXPECT_EQ(said[0].value("no_room", Json()), Json::array({"messages"})) << said.dump();
  EXPECT_EQ(Totals(**state).pending, kRows - kDelivered - kDead);
  ExpectUsable(**state);
}

// Each read after the first advances the clock by 1 ms; the salvage ends after `left` reads.
class PassingClock : public base::Clock {
 public:
  explicit PassingClock(int64_t left) : now_ms_(kLongestSalvageMs - left) {}
  int64_t NowMs() const override { return 0; }
  int64_t MonotonicMs() const override { return std::exchange(begun_, true) ? now_ms_++ : 0; }

 private:
  mutable bool begun_ = false;
  mutable int64_t now_ms_;
};

TEST_F(NoRoom, OfTimeIsNotDamage) {
  Beside("handled_events");
  ASSERT_TRUE(SalvageInto(10'000, PassingClock(0)));
  auto state = Open();
  ASSERT_TRUE(state) << state.error().message;
  const Json said = Said(**state);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_TRUE(said[0].contains("not_in_time")) << said.dump();
  EXPECT_FALSE(said[0].contains("unfinished"));
  ExpectUsable(**state);
}

// The limit matters since the kubelet kills a slow start, and every retry of it.
TEST_F(NoRoom, OfTimeSalvagesOutboxAndNewestFirst) {
  Beside("handled_events");
  constexpr int64_t kForTheOutbox = kRows - kDelivered + 20, kMessages = 100;
  ASSERT_TRUE(SalvageInto(10'000, PassingClock(kForTheOutbox + kMessages)));
  auto state = Open();
  ASSERT_TRUE(state) << state.error().message;
  const Json said = Said(**state);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0]["lost_writes"], 0) << said.dump();
  EXPECT_EQ(said[0]["not_in_time"], Json::array({"messages", "injections"})) << said.dump();
  const int64_t taken = said[0]["salvaged"]["messages"].get<int64_t>();
  EXPECT_GT(taken, 0);
  EXPECT_LT(taken, kRows);
  const auto numbers = *(*state)->Read([](sqlite::Database& db) -> base::Result<Json> {
    ASSIGN_OR_RETURN(auto query, db.Prepare("SELECT min(number), max(number) FROM messages"));
    ASSIGN_OR_RETURN([[maybe_unused]] const bool found, query.Step());
    return Json{query.Int(0), query.Int(1)};
  });
  EXPECT_EQ(numbers, (Json{kRows - taken + 1, kRows}));
  ExpectUsable(**state);
}

TEST_F(NoRoom, OfTimeLosesNoAcknowledgedWrite) {
  Beside("handled_events");
  ASSERT_TRUE(SalvageInto(10'000, PassingClock(1)));
  auto state = Open();
  ASSERT_TRUE(state) << state.error().message;
  const Json said = Said(**state);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0]["lost_writes"], 0) << said.dump();
  EXPECT_EQ(said[0]["salvaged"]["outbox"], kRows - kDelivered) << said.dump();
  EXPECT_EQ(said[0]["salvaged"]["messages"], 0) << said.dump();
  ExpectUsable(**state);
}

// A damaged file may have any released schema.
TEST_F(NoRoom, OutboxOfOlderSchemaIsSalvaged) {
  constexpr size_t kDiscards = 8;  // the first version with a counter of discarded rows
  for (size_t version = 1; version <= StateSteps().size(); ++version) {
    SCOPED_TRACE("schema version " + std::to_string(version));
    fs::remove_all(Path());
    fs::create_directories(Path());
    {
      auto db = sqlite::Database::Open(File(), {});
      ASSERT_TRUE(db);
      ASSERT_TRUE(sqlite::Migrate(
          *db, {StateSteps().begin(), StateSteps().begin() + static_cast<int64_t>(version)}));
      ASSERT_TRUE(db->Execute(R"sql(
INSERT INTO outbox(state, lane, kind, method, path, body, project, origin, destination,
  idempotency_key, bytes, created_ms) VALUES
  ('pending', 's', 'observation', 'POST', '/observations', '{}', 'p', 'agent', 'http://m', 'k1', 200, 5),
  ('dead', 's', 'observation', 'POST', '/observations', '{}', 'p', 'agent', 'http://m', 'k2', 200, 5);
UPDATE outbox_totals SET value = CASE name WHEN 'accepted' THEN 5 WHEN 'delivered' THEN 3
  WHEN 'pending' THEN 1 WHEN 'dead' THEN 1
  WHEN 'discarded' THEN 2 ELSE value END)sql"));
    }
    DamageTable("handled_events");
    auto state = Open();
    ASSERT_TRUE(state) << state.error().message;
    const Json said = Said(**state);
    ASSERT_EQ(said.size(), 1u);
    EXPECT_EQ(said[0]["lost_writes"], 0) << said.dump();
    EXPECT_EQ(Totals(**state).pending, 1);
    const int64_t discarded = version < kDiscards ? 0 : 2;
    EXPECT_EQ(Totals(**state).discarded, discarded);
    EXPECT_EQ(Totals(**state).accepted, 5 + discarded);
    const auto row = (*state)->Read([](sqlite::Database& db) { return LoadRow(db, 1); });
    ASSERT_TRUE(row && *row);
    EXPECT_EQ((**row).idempotency_key, "k1");
    ExpectUsable(**state);
  }
}

}  // namespace
}  // namespace sidecar
