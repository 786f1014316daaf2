// Shows what a salvage does that is not the first, has no room, or has no time.
#include "sidecar/state_salvage_fixture.h"

namespace sidecar {
namespace {

using base::Json;

TEST_F(Damaged, AtASecondDamageTheFirstFileIsNotTakenAgain) {
  Make(false);
  Reset();
  Overwrite(File(), fs::file_size(File()) / 2 / kPage * kPage, Noise(kPage));
  auto state = Open();
  ASSERT_TRUE(state) << state.error().message;
  ASSERT_EQ(Said(**state).size(), 1u);
  // All that was taken over is delivered, and the conversations go on.
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

// A new file that has room for `pages` pages, with the damaged one beside it.
class NoRoom : public Damaged {
 protected:
  void Beside(const char* damaged_table) {
    Make(false);
    Reset();
    int64_t at = 0;
    {
      auto db = sqlite::Database::Open(File(), {});
      ASSERT_TRUE(db);
      auto page = db->Prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?");
      ASSERT_TRUE(page);
      page->Bind(damaged_table);
      ASSERT_TRUE(*page->Step());
      at = (page->Int(0) - 1) * static_cast<int64_t>(kPage);
    }
    Overwrite(File(), static_cast<size_t>(at), Noise(kPage));
    fs::rename(File(), File() + ".damaged-1700000000000");
    const std::string elsewhere = work_.path() + "/new";
    ASSERT_TRUE(State::Open(elsewhere, [](const base::Error&) {}));
    fs::copy(elsewhere + "/state.db", File());
  }
  base::Status SalvageInto(int64_t free_pages, int64_t longest_read_ms = kLongestReadMs) {
    auto db = sqlite::Database::Open(File(), {});
    if (!db) return db.error();
    const int64_t pages = static_cast<int64_t>(fs::file_size(File()) / kPage) + free_pages;
    const std::string limit = "PRAGMA max_page_count = " + std::to_string(pages);
    RETURN_IF_ERROR(db->Execute(limit.c_str()));
    return SalvageAll(*db, Path(), longest_read_ms);
  }
};

TEST_F(NoRoom, ForTheOutboxItIsTriedAgainAtTheNextStartAndComesBehindWhatIsNew) {
  Beside("handled_events");
  ASSERT_TRUE(SalvageInto(3));
  EXPECT_TRUE(fs::exists(File() + ".damaged-1700000000000"));
  {  // The sidecar goes on meanwhile, and there is room again later.
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

TEST_F(NoRoom, ForTheMessagesTheOutboxIsTakenOverAndTheRestIsGoneWithout) {
  Beside("handled_events");
  // Just enough for the outbox.
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

TEST_F(NoRoom, OfTimeIsNoDamage) {
  Beside("handled_events");
  ASSERT_TRUE(SalvageInto(10'000, -1));
  auto state = Open();
  ASSERT_TRUE(state) << state.error().message;
  const Json said = Said(**state);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_TRUE(said[0].contains("not_in_time")) << said.dump();
  EXPECT_FALSE(said[0].contains("unfinished"));
  ExpectUsable(**state);
}

}  // namespace
}  // namespace sidecar
