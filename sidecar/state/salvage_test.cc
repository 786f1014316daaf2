// Shows the recovery of damaged files: each page, cut short, without a header, with a broken WAL,
// of a newer program. The sidecar starts, reports the damage and keeps the readable rows.
#include "sidecar/state/salvage.h"

#include "lib/base/process/file.h"
#include "sidecar/outbox/dead_letters.h"
#include "sidecar/sidecar_fixture.h"
#include "sidecar/state/salvage_fixture.h"

namespace sidecar {
namespace {

using base::Json;

TEST_F(Damaged, AnyLostPageKeepsTheRest) {
  SCOPED_TRACE("seed " + std::to_string(seed_));
  Make(false);
  const size_t pages = fs::file_size(good_.path() + "/state.db") / kPage;
  ASSERT_GT(pages, 20u);
  int64_t set_aside = 0, kept_all = 0;
  for (size_t page = 0; page < pages; ++page) {
    SCOPED_TRACE("page " + std::to_string(page + 1));
    Reset();
    Overwrite(File(), page * kPage, Noise(kPage));
    auto state = Open();
    ASSERT_TRUE(state) << state.error().message;
    const Json said = Said(**state);
    const OutboxTotals totals = Totals(**state);
    if (said.empty()) {  // an unused page
      EXPECT_EQ(totals.pending, kRows - kDelivered - kDead);
    } else {
      ++set_aside;
      EXPECT_EQ(FilesAside(), 1u);
      EXPECT_FALSE(said[0]["reason"].get<std::string>().empty());
      if (!said[0]["lost_writes"].is_null()) {
        EXPECT_EQ(totals.accepted, kRows);
        EXPECT_EQ(totals.delivered, kDelivered);
        EXPECT_GE(totals.dead, said[0]["lost_writes"].get<int64_t>());
        kept_all += said[0]["lost_writes"] == 0;
      }
    }
    ExpectUsable(**state);
    // The next start salvages nothing again.
    state->reset();
    state = Open();
    ASSERT_TRUE(state);
    EXPECT_EQ(Said(**state).size(), said.size());
    ExpectUsable(**state);
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(set_aside, static_cast<int64_t>(pages) / 2);
  EXPECT_GT(kept_all, 0);  // damage of other tables loses no write
}

TEST_F(Damaged, FileWithoutHeaderKeepsNothing) {
  Make(false);
  Reset();
  Overwrite(File(), 0, std::string(100, 'x'));
  auto state = Open();
  ASSERT_TRUE(state) << state.error().message;
  const Json said = Said(**state);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_TRUE(said[0]["lost_writes"].is_null());
  EXPECT_EQ(Totals(**state).accepted, 0);
  EXPECT_EQ(FilesAside(), 1u);
  ExpectUsable(**state);
}

TEST_F(Damaged, TruncatedFileIsSalvagedToItsEnd) {
  Make(false);
  const size_t size = fs::file_size(good_.path() + "/state.db");
  for (const size_t left : {size - kPage, size / 2, size / 4, kPage, size_t{1000}}) {
    SCOPED_TRACE(left);
    Reset();
    fs::resize_file(File(), left);
    auto state = Open();
    ASSERT_TRUE(state) << state.error().message;
    EXPECT_EQ(Said(**state).size(), 1u);
    ExpectUsable(**state);
  }
}

TEST_F(Damaged, LogIsSalvagedWithItsFile) {
  Make(true);
  ASSERT_GT(fs::file_size(good_.path() + "/state.db-wal"), 0u);
  Reset();
  // Damages a page of the main file, which the WAL may cover.
  const size_t pages = fs::file_size(File()) / kPage;
  ASSERT_GT(pages, 20u);
  size_t known = 0;
  for (size_t page = 1; page < pages; ++page) {
    SCOPED_TRACE("page " + std::to_string(page + 1));
    Reset();
    Overwrite(File(), page * kPage, Noise(kPage));
    auto state = Open();
    ASSERT_TRUE(state) << state.error().message;
    const Json said = Said(**state);
    if (!said.empty()) {
      EXPECT_TRUE(fs::exists(Path() + "/" + said[0]["file"].get<std::string>() + "-wal"));
    }
    if (said.empty() || !said[0]["lost_writes"].is_null()) {
      EXPECT_EQ(Totals(**state).accepted, kRows);
      ++known;
    }
    ExpectUsable(**state);
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(known, pages / 2);  // the rest are pages of the schema
}

TEST_F(Damaged, BrokenLogIsReadUpToTheDamage) {
  SCOPED_TRACE("seed " + std::to_string(seed_));
  Make(true);
  const size_t size = fs::file_size(good_.path() + "/state.db-wal");
  for (int i = 0; i < 40; ++i) {
    Reset();
    const size_t at = random_() % size;
    SCOPED_TRACE("log at " + std::to_string(at));
    Overwrite(File() + "-wal", at, Noise(8));
    auto state = Open();
    ASSERT_TRUE(state) << state.error().message;
    ExpectUsable(**state);
    ASSERT_FALSE(HasFailure());
  }
}

TEST_F(Damaged, CrashDuringSetAsideIsFinished) {
  Make(true);
  Reset();
  Overwrite(File(), 2 * kPage, Noise(kPage));
  // The crash came after the rename of the file, before that of its WAL.
  fs::rename(File(), File() + ".damaged-1700000000000");
  fs::remove(File() + "-shm");
  auto state = Open();
  ASSERT_TRUE(state) << state.error().message;
  EXPECT_TRUE(fs::exists(File() + ".salvaged-1700000000000-wal"));
  EXPECT_FALSE(fs::exists(File() + ".damaged-1700000000000"));
  EXPECT_EQ(Said(**state).size(), 1u);
  EXPECT_EQ(Totals(**state).accepted, kRows);
  ExpectUsable(**state);
}

TEST_F(Damaged, LaterDamageEndsTheProgramOnce) {
  Make(false);
  Reset();
  int failures = 0;
  auto state = State::Open(Path(), [&](const base::Error&) { ++failures; });
  ASSERT_TRUE(state);
  const size_t size = fs::file_size(File());
  Overwrite(File(), kPage, Noise(size - kPage));
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE((*state)->Read([](sqlite::Database& db) { return DeadLetters(db, 0, 100); }));
  }
  EXPECT_EQ(failures, 1);
  state->reset();
  state = Open();
  ASSERT_TRUE(state) << state.error().message;
  EXPECT_EQ(Said(**state).size(), 1u);
  ExpectUsable(**state);
}

TEST_F(Damaged, NewestThreeCopiesAreKept) {
  Make(false);
  for (size_t i = 1; i <= 5; ++i) {
    fs::copy(good_.path() + "/state.db", File(), fs::copy_options::overwrite_existing);
    Overwrite(File(), 0, std::string(100, 'x'));
    ASSERT_TRUE(Open());
    EXPECT_EQ(FilesAside(), std::min<size_t>(i, 3));
  }
}

TEST_F(Damaged, FileOfNewerProgramIsRefused) {
  Make(false);
  Reset();
  Overwrite(File(), 60, std::string("\0\0\0\x63", 4));  // user_version
  for (const bool damaged_too : {false, true}) {
    if (damaged_too) Overwrite(File(), 5 * kPage, Noise(kPage));
    const auto bytes = *base::ReadFile(File());
    const auto state = Open();
    ASSERT_FALSE(state);
    EXPECT_EQ(state.error().code, base::Code::kInvalid);
    EXPECT_NE(state.error().message.find("schema version 99"), std::string::npos);
    EXPECT_EQ(FilesAside(), 0u);
    EXPECT_EQ(*base::ReadFile(File()), bytes);
  }
}

using DamagedSidecar = SidecarTest;

TEST_F(DamagedSidecar, ReportsAndDeliversReadableRows) {
  memory_.Down();
  Prompt("remember me");
  for (int i = 0; i < 100; ++i) Bash("error number " + std::to_string(i), "t" + std::to_string(i));
  running_.reset();
  const std::string file = directory_.path() + "/state/state.db";
  {
    // Damages only the table handled_events, whose root page is found by name.
    auto db = sqlite::Database::Open(file, {});
    ASSERT_TRUE(db);
    auto page = db->Prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'handled_events'");
    ASSERT_TRUE(page && *page->Step());
    const auto at = static_cast<std::streamoff>((page->Int(0) - 1) * 4096);
    std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
    out.seekp(at);
    out << std::string(4096, '\xEE');
  }
  memory_.Up();
  Start();
  const Json status = Ask("GET", "/v1/status").body;
  ASSERT_EQ(status["damages"].size(), 1u);
  EXPECT_EQ(status["damages"][0]["lost_writes"], 0);
  http::ClientRequest scrape;
  scrape.target = "/metrics";
  EXPECT_NE(admin_->Send(scrape)->body.find("agent_memory_sidecar_damaged_files 1"),
            std::string::npos);
  EXPECT_TRUE(memory_.WaitForObservations(100));
  ASSERT_TRUE(Drained());
  EXPECT_EQ(Messages().size(), 201u);
  EXPECT_EQ(Ask("GET", "/conversations/current").body["turn"], 1);
}

}  // namespace
}  // namespace sidecar
