// After a hard delete no byte of the files contains the text.
#include "memory/sqlite/removal/eraser.h"

#include "lib/base/process/file.h"
#include "lib/sqlite/database.h"
#include "memory/sqlite/removal/fts_levels.h"
#include "memory/sqlite/store/damage_fixture.h"
#include "memory/sqlite/store/store_fixture.h"

namespace memory {
namespace {

constexpr std::chrono::milliseconds kAtOnce{0}, kNotNow{3'600'000};
constexpr const char* kSecret = "zyxwvsecret";

class StoreEraseTest : public StoreTest {
 protected:
  StoreEraseTest() { OpenErasing(kAtOnce); }
  static StoreOptions Erasing(std::chrono::milliseconds after) {
    StoreOptions options;
    options.erase_after = after;
    return options;
  }
  void OpenErasing(std::chrono::milliseconds after) { Reopen(Erasing(after)); }
  // In the file or in its log.
  static bool Holds(const std::string& path, const std::string& word) {
    for (const char* part : {"", "-wal"}) {
      auto bytes = base::ReadFile(path + part, 1 << 30);
      if (bytes && bytes->find(word) != std::string::npos) return true;
    }
    return false;
  }
  bool Holds(const std::string& word) { return Holds(path_, word); }
  void Index() { Find("anything"); }  // puts what waits into the file's index
  void AwaitErased() {
    ASSERT_TRUE(Eventually([&] { return store_->DueErasures() == 0; }));
  }
  // Words that nothing shares, so that the index has each in full.
  static std::string WordOf(int64_t i) { return "q" + std::to_string(i * 7919) + "z"; }
  // `count` rows in seven projects, of very different lengths; number i has WordOf(i).
  void Fill(int64_t count) {
    std::vector<ExportedRow> rows;
    for (int64_t end = filled_ + count; filled_ < end; ++filled_) {
      api::Observation row;
      row.id = filled_ + 1;
      row.type = "note", row.scope = "project";
      row.project = row.session_id = "p" + std::to_string(filled_ * 31 % 7);
      row.title = WordOf(filled_);
      for (int64_t k = 0; k < 3 + filled_ * filled_ % 89; ++k)
        row.content += WordOf(filled_) + " common" + std::to_string(k) + " ";
      row.normalized_hash = api::NormalizedHash(row.content);
      row.created_ms = row.updated_ms = row.last_seen_ms = kMidnight + filled_;
      rows.push_back({row, {}});
    }
    ASSERT_TRUE(store_->Import(rows, {}));
  }
  FtsLevels Levels() {
    auto database = sqlite::Database::Open(path_, {sqlite::Access::kReader});
    auto read = database->Prepare("SELECT block FROM words_data WHERE id = 10");
    EXPECT_TRUE(read && *read->Step());
    return *ReadFtsLevels(read->Text(0));
  }
  const std::string path_ = scratch_.File("store");
  int64_t filled_ = 0;
};

TEST_F(StoreEraseTest, HardDeleteErasesFileLogAndIndex) {
  auto note = Note(std::string("alpha ") + kSecret + " beta");
  note.topic_key = "topic/zyxwvtopic";
  MustSave(note);
  note.content = std::string("gamma ") + kSecret + "two";  // the first text is a revision now
  MustSave(note);
  for (int i = 0; i < 40; ++i) MustSave(Note("row " + std::to_string(i)));
  EXPECT_EQ(Find(std::string(kSecret) + "two"), Ids{1});
  ASSERT_TRUE(Holds("zyxwv"));
  ASSERT_TRUE(store_->Delete(1, true, kMidnight));
  AwaitErased();
  EXPECT_FALSE(Holds("zyxwv"));
  ExpectSound();
  EXPECT_EQ(Find("row").size(), 10u);
}

// What a sidecar makes of a session quotes what was said in it, now and in its earlier versions.
TEST_F(StoreEraseTest, SessionDigestsLoseTheirQuotes) {
  const std::string said = std::string("The vault opens with ") + kSecret + " on Tuesdays only";
  MustSave(Note(said));
  for (const char* ending : {"\nLast answer: noted", "\nLast answer: done, too"}) {
    auto digest = Note("Goal: remember: the vault opens with zyxwvsecret on tuesdays only" +
                       std::string(ending));
    digest.type = "session";
    digest.title = "Session: the vault opens with zyxwvsecret";
    digest.topic_key = "session/s1";
    digest.source.origin = "agent";
    MustSave(digest);
  }
  auto hidden = Note("Goal: " + said);
  hidden.type = "session";
  hidden.topic_key = "session/s2";
  MustSave(hidden);
  ASSERT_TRUE(store_->Delete(3, false, kMidnight));
  MustSave(Note("The vault opens with a key"));
  Index();
  ASSERT_TRUE(Holds(kSecret));
  const auto places = store_->QuotesOf(1, {}, true);
  ASSERT_TRUE(places);
  ASSERT_EQ(places->rows.size(), 1u) << "digests are mended";
  EXPECT_EQ(places->rows[0].name, "4");
  EXPECT_EQ(places->texts, std::vector<std::string>{said});
  ASSERT_TRUE(store_->Delete(1, true, kMidnight));
  AwaitErased();
  EXPECT_FALSE(Holds(kSecret));
  EXPECT_EQ(store_->Get(2)->content, "Goal: remember: [erased]\nLast answer: done, too");
  EXPECT_EQ(store_->Get(2)->title, "Session: [erased]");
  EXPECT_EQ(store_->GetRevision(2, 1)->content, "Goal: remember: [erased]\nLast answer: noted");
  EXPECT_EQ(Find(kSecret), Ids());
  EXPECT_EQ(Find("answer"), Ids{2}) << "the rest is found";
  ExpectSound();
}

TEST_F(StoreEraseTest, HardDeleteErasesLargeIndexAndFreeBytesOfPages) {
  // Red without the merges, without the checkpoint and without the clean pages.
  OpenErasing(std::chrono::milliseconds(500));
  for (int turn = 0; turn < 3; ++turn) {
    Fill(1200);
    Index();
    for (int64_t i = filled_ - 1200 + turn; i < filled_; i += 9)
      ASSERT_TRUE(store_->Delete(i + 1, turn % 2 == 0 || i % 2 == 0, kMidnight));
    for (int64_t i = filled_ - 1200 + turn; i < filled_; i += 9)  // hidden before
      ASSERT_TRUE(store_->Delete(i + 1, true, kMidnight));
    AwaitErased();
    if (turn == 2) EXPECT_EQ(ErasureOf(Levels()), FtsErasure::kMerge) << "else it shows nothing";
    auto file = base::ReadFile(path_, 1 << 30), log = base::ReadFile(path_ + "-wal", 1 << 30);
    ASSERT_TRUE(file);
    for (int64_t i = filled_ - 1200 + turn; i < filled_; i += 9) {
      EXPECT_EQ(file->find(WordOf(i)), std::string::npos) << turn << ": " << WordOf(i);
      if (log) EXPECT_EQ(log->find(WordOf(i)), std::string::npos) << WordOf(i);
    }
  }
  ExpectSound();
  EXPECT_EQ(Find(WordOf(8)), Ids{9});
}

// FTS5 moves old segments to lower levels; it may then merge without dropping what was deleted.
TEST_F(StoreEraseTest, MergeErasesOldSegmentsOnLowLevels) {
  Fill(2500);
  Index();
  ASSERT_TRUE(store_->Delete(2, true, kMidnight));
  AwaitErased();
  ASSERT_EQ(ErasureOf(Levels()), FtsErasure::kMerge);
  ASSERT_GE(Levels().back().pages, 128) << "so that its number has two bytes";
  // All segments on the first of several levels, as after a segment that is longer than the old.
  store_.reset();
  Tamper(
      path_,
      "UPDATE words_data SET block = (SELECT substr(block, 1, 4) || x'060100' || x'0001' || "
      "substr(block, length(block) - 3) || x'00000000000000000000' FROM words_data WHERE id = 10) "
      "WHERE id = 10");
  if (HasFatalFailure()) return;
  OpenErasing(kAtOnce);
  MustSave(Note(std::string(kSecret) + " one"));
  EXPECT_EQ(Find(kSecret).size(), 1u);
  const int64_t id = Find(kSecret)[0];
  ASSERT_TRUE(store_->Delete(id, true, kMidnight));
  AwaitErased();
  EXPECT_FALSE(Holds(kSecret));
  EXPECT_TRUE(OldestIsLast(Levels()));
  EXPECT_GT(Levels().size(), 6u) << "by another merge: an index made anew has one level";
  ExpectSound();
}

TEST_F(StoreEraseTest, ErasureContinuesAfterACrash) {
  OpenErasing(kNotNow);
  MustSave(Note(std::string("alpha ") + kSecret));
  Index();
  ASSERT_TRUE(store_->Delete(1, true, kMidnight));
  EXPECT_EQ(store_->DueErasures(), 1);
  const std::string image = scratch_.File("image");
  for (const char* part : {"", "-wal"}) std::filesystem::copy_file(path_ + part, image + part);
  ASSERT_TRUE(Holds(image, kSecret));
  auto next = SqliteStore::Open(image, Erasing(kAtOnce));
  ASSERT_TRUE(next) << next.error().message;
  ASSERT_TRUE(Eventually([&] { return !Holds(image, kSecret); })) << "without any call";
  EXPECT_TRUE(Eventually([&] { return (*next)->DueErasures() == 0; }));
}

TEST_F(StoreEraseTest, CloseFinishesDueErasures) {
  OpenErasing(kNotNow);
  MustSave(Note(std::string("alpha ") + kSecret));
  Index();
  ASSERT_TRUE(store_->Delete(1, true, kMidnight));
  ASSERT_TRUE(Holds(kSecret));
  store_.reset();
  EXPECT_FALSE(Holds(kSecret));
}

TEST_F(StoreEraseTest, ReaderOfTheWalDelaysErasure) {
  MustSave(Note(std::string("alpha ") + kSecret));
  Index();
  auto reader = sqlite::Database::Open(path_, {sqlite::Access::kReader});
  ASSERT_TRUE(reader && reader->Execute("BEGIN; SELECT count(*) FROM observations"));
  ASSERT_TRUE(store_->Delete(1, true, kMidnight));
  for (int i = 0; i < 50; ++i) MustSave(Note("meanwhile " + std::to_string(i)));
  EXPECT_EQ(store_->DueErasures(), 1);
  EXPECT_TRUE(Holds(kSecret)) << "the reader still sees the row";
  ASSERT_TRUE(reader->Execute("ROLLBACK"));
  AwaitErased();
  EXPECT_FALSE(Holds(kSecret));
}

TEST_F(StoreEraseTest, RemainsOfAnEarlierVersionAreErased) {
  Fill(200);
  store_.reset();
  Tamper(path_, "DELETE FROM counters WHERE name = 'clean_pages'");
  {
    auto bytes = base::ReadFile(path_, 1 << 30);
    ASSERT_TRUE(bytes);
    const auto byte = [&](size_t at) { return static_cast<unsigned char>((*bytes)[at]); };
    size_t written = 0;
    const int file = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    for (size_t page = 4096; page < bytes->size(); page += 4096) {
      if (byte(page) != 13) continue;
      const size_t begin = 8 + 2 * (byte(page + 3) * 256u + byte(page + 4));
      const size_t end = byte(page + 5) * 256u + byte(page + 6);
      if (end < begin + 100) continue;
      const auto at = static_cast<off_t>(page + begin + 40);
      written += pwrite(file, kSecret, strlen(kSecret), at) > 0;
    }
    close(file);
    ASSERT_GT(written, 3u);
  }
  OpenErasing(kAtOnce);
  ASSERT_TRUE(Holds(kSecret));
  ASSERT_TRUE(store_->Delete(1, true, kMidnight));
  AwaitErased();
  EXPECT_FALSE(Holds(kSecret));
  ExpectSound();
  EXPECT_EQ(store_->Count({})->observations, 199);
}

TEST_F(StoreEraseTest, SessionSummariesLoseTheirQuotes) {
  MustSave(Note(std::string("the password of the vault is ") + kSecret));
  ASSERT_TRUE(store_->EndSession(
      "s-p",
      {std::string("Started: \"the password of the vault is ") + kSecret + "\" — Ended: \"thanks\"",
       2, false},
      kMidnight));
  ASSERT_TRUE(store_->StartSession("other", "q", "", kMidnight));
  ASSERT_TRUE(store_->EndSession("other", {"Started: \"what else\"", 1, false}, kMidnight));
  ASSERT_TRUE(store_->Delete(1, false, kMidnight));
  EXPECT_NE(store_->Summaries({}, 10)->back().summary.find(kSecret), std::string::npos);
  ASSERT_TRUE(store_->Delete(1, true, kMidnight + kDay));
  auto summaries = store_->Summaries({}, 10);
  ASSERT_EQ(summaries->size(), 2u);
  std::set<std::string> said = {(*summaries)[0].summary, (*summaries)[1].summary};
  EXPECT_TRUE(said.contains("Started: \"[erased]\" — Ended: \"thanks\""));
  EXPECT_TRUE(said.contains("Started: \"what else\""));
  AwaitErased();
  EXPECT_FALSE(Holds(kSecret));
}

TEST_F(StoreEraseTest, CloseDropsTheResidentIndex) {
  StoreOptions options = Erasing(kNotNow);
  options.index_at_once = true;
  std::atomic<int64_t> told = 0;
  options.on_erased = [&](int64_t deletes) { told += deletes; };
  Reopen(options);
  for (int i = 0; i < 3; ++i) MustSave(Note(std::string("alpha ") + kSecret + std::to_string(i)));
  EXPECT_EQ(store_->Search(In("p"), "alpha", false)->rows.size(), 3u);
  EXPECT_GT(store_->Indexes().projects, 0u);
  ASSERT_TRUE(store_->Delete(1, true, kMidnight));
  ASSERT_TRUE(store_->Delete(2, true, kMidnight));
  store_->Close();
  EXPECT_EQ(store_->Indexes().projects, 0u);
  EXPECT_EQ(told, 2);
}

}  // namespace
}  // namespace memory
