// Ranks are the same on each engine of the seam, with and without indexes in memory.
#include "memory/ranking/ranker.h"

#include <gtest/gtest.h>

#include <random>

#include "lib/sqlite/database.h"
#include "lib/testing/temporary_directory.h"
#include "memory/rows/fake_candidates_fixture.h"
#include "memory/sqlite/ranking/sqlite_candidates.h"
#include "memory/sqlite/store/sqlite_store.h"
#include "memory/sqlite/tables/live.h"
#include "memory/store/memory_fixture.h"

namespace memory {
namespace {

constexpr int64_t kRange = 1;
constexpr int64_t kFirst = kRange << kRangeBits;

std::string AsText(const Ranking& ranking) {
  std::string text = ranking.behind ? "behind " : "";
  for (const Ranked& row : ranking.rows)
    text += std::to_string(row.slot - kFirst) + "=" + std::to_string(row.score) + " ";
  return text;
}

FakeCandidates::Row RowOf(int64_t number, const std::string& content, int64_t session = 1) {
  FakeCandidates::Row row;
  row.row.facts = {kFirst + number, session, number, CountWords(content), FlagsOf(content), 0, {}};
  row.row.content = content;
  row.live = {"discovery", kRange};
  return row;
}

RankQuery QueryOf(const std::string& text) {
  RankQuery query;
  query.text = text;
  query.ranges = {kRange};
  query.neighbours = true;
  return query;
}

ResidentIndexes::Options IndexesOf(const FakeCandidates& rows) {
  ResidentIndexes::Options options;
  options.open = [&rows]() -> base::Result<std::unique_ptr<Candidates>> {
    return std::unique_ptr<Candidates>(std::make_unique<FakeCandidates>(rows));
  };
  options.budget = std::make_shared<ResidentBudget>(1 << 20);
  options.build_at_once = true;
  return options;
}

TEST(Ranker, StrongerMatchIsFirst) {
  FakeCandidates rows;
  rows.Put(RowOf(1, "zeppelin beside many other words of little use"));
  rows.Put(RowOf(20, "zeppelin hangar"));
  rows.Put(RowOf(40, "bread"));
  const auto ranking = Ranker(rows, nullptr).Rank(QueryOf("zeppelin hangar"));
  ASSERT_TRUE(ranking);
  ASSERT_EQ(ranking->rows.size(), 2u);
  EXPECT_EQ(ranking->rows[0].slot, kFirst + 20);
}

TEST(Ranker, EachMatchLendsToItsOwnNeighbour) {
  FakeCandidates rows;
  for (const int64_t match : {1, 20}) {
    rows.Put(RowOf(match, "zeppelin"));
    rows.Put(RowOf(match + 1, "bread"));
  }
  const auto ranking = Ranker(rows, nullptr).Rank(QueryOf("zeppelin"));
  ASSERT_TRUE(ranking);
  ASSERT_EQ(ranking->rows.size(), 4u);
  for (size_t i : {2, 3}) EXPECT_EQ((ranking->rows[i].slot - kFirst) % 19, 2);
}

TEST(Ranker, TopicKeyIsAboveEveryMatch) {
  FakeCandidates rows;
  rows.Put(RowOf(1, "zeppelin zeppelin"));
  FakeCandidates::Row topic = RowOf(20, "bread");
  topic.topic_key = "zeppelin";
  rows.Put(topic);
  const auto ranking = Ranker(rows, nullptr).Rank(QueryOf("zeppelin"));
  ASSERT_EQ(ranking->rows.size(), 2u);
  EXPECT_EQ(ranking->rows[0].slot, kFirst + 20);
}

TEST(Ranker, WaitingRowsAreSaidUnlessTheCallerKnows) {
  FakeCandidates rows;
  rows.Put(RowOf(1, "zeppelin"));
  rows.SetWaiting(true);
  RankQuery query = QueryOf("zeppelin");
  const auto first = Ranker(rows, nullptr).Rank(query);
  EXPECT_TRUE(first->behind);
  EXPECT_TRUE(first->rows.empty());
  query.even_behind = true;
  EXPECT_EQ(Ranker(rows, nullptr).Rank(query)->rows.size(), 1u);
}

TEST(Ranker, RowThatIsNotAdmittedLendsNothingToItsNeighbour) {
  FakeCandidates rows;
  rows.Put(RowOf(1, "zeppelin"));
  rows.Put(RowOf(2, "hangar"));
  RankQuery query = QueryOf("zeppelin");
  EXPECT_EQ(Ranker(rows, nullptr).Rank(query)->rows.size(), 2u);
  query.admits = [](std::span<const int64_t> slots) {
    std::unordered_set<int64_t> admitted(slots.begin(), slots.end());
    admitted.erase(kFirst + 1);
    return admitted;
  };
  EXPECT_EQ(AsText(*Ranker(rows, nullptr).Rank(query)), "");
}

TEST(Ranker, IndexInMemoryFollowsPublishedChanges) {
  FakeCandidates rows;
  rows.Put(RowOf(1, "zeppelin"));
  ResidentIndexes resident(IndexesOf(rows));
  Ranker with(rows, &resident), without(rows, nullptr);
  const RankQuery query = QueryOf("zeppelin hangar");
  EXPECT_EQ(AsText(*with.Rank(query)), AsText(*without.Rank(query)));
  rows.Put(RowOf(2, "hangar of the zeppelin"));
  resident.Publish(*rows.Version(), {kFirst + 2});
  EXPECT_EQ(AsText(*with.Rank(query)), AsText(*without.Rank(query)));
  rows.Remove(kFirst + 1);
  resident.Publish(*rows.Version(), {kFirst + 1});
  EXPECT_EQ(AsText(*with.Rank(query)), AsText(*without.Rank(query)));
  EXPECT_EQ(resident.Read().served, 3);
}

constexpr const char* kWords[] = {"alpha", "gamma", "delta",  "bread", "garden", "zeppelin",
                                  "lamp",  "river", "signal", "stone", "topic",  "yard"};

class Source {
 public:
  explicit Source(uint64_t seed) : random_(seed) {}
  uint64_t Below(uint64_t n) { return random_() % n; }
  std::string Text(uint64_t most) {
    std::string text;
    for (uint64_t i = 0, n = 1 + Below(most); i < n; ++i)
      text += std::string(text.empty() ? "" : " ") + kWords[Below(1 + Below(std::size(kWords)))];
    return text;
  }

 private:
  std::mt19937_64 random_;
};

// Rows of a file, and the same rows in the fake.
class SameRows : public ::testing::Test {
 protected:
  SameRows() {
    StoreOptions options;
    options.embedder = embedder_;
    store_ = *SqliteStore::Open(scratch_.File("store"), options);
    for (int i = 0; i < 150; ++i) {
      auto note = Note(source_.Text(9), source_.Below(3) ? "p" : "q");
      note.title = source_.Text(2);
      note.session_id += std::to_string(source_.Below(4));
      if (source_.Below(5) == 0) note.scope = "global";
      if (source_.Below(7) == 0) note.topic_key = "topic/" + std::to_string(source_.Below(9));
      if (source_.Below(9) == 0) note.type = "audit";
      EXPECT_TRUE(store_->Save(note, "", kMidnight + i * kMinute));
    }
    for (int64_t id = 1; id < 150; id += 9) (void)store_->Delete(id, false, kMidnight + kDay);
    (void)store_->Search({}, "alpha", false);  // waits for the full-text index
    auto database = *sqlite::Database::Open(scratch_.File("store"), {sqlite::Access::kReader, 512});
    auto liveness = std::make_shared<Liveness>(base::SystemClock());
    EXPECT_TRUE(Liveness::RegisterFunction(liveness, database));
    file_ = *SqliteCandidates::Make(std::move(database));
    Copy();
  }

  void Copy() {
    std::map<int64_t, std::string> topics;
    const std::vector<RangeCounts> counts = *file_->Count({});
    for (const RangeCounts& range : counts) {
      ranges_.push_back(range.range);
      const auto note = [&](int64_t slot, std::string_view key) -> base::Result<bool> {
        topics[slot] = key;
        return true;
      };
      EXPECT_TRUE(file_->VisitTopics(range.range, "", "\x7F", note));
    }
    std::vector<IndexedRow> rows;
    const auto keep = [&](IndexedRow row) {
      rows.push_back(std::move(row));
      return true;
    };
    EXPECT_TRUE(file_->VisitIndexedRows(0, INT64_MAX, embedder_->model(), keep));
    for (IndexedRow& row : rows) {
      const int64_t slot = row.facts.slot;
      const auto live = file_->FindLive({&slot, 1});
      ASSERT_TRUE(live && live->contains(slot)) << slot;
      fake_.Put({std::move(row), live->at(slot), topics[slot]});
    }
    EXPECT_GT(rows.size(), 30u);
    EXPECT_GE(ranges_.size(), 3u);
  }

  RankQuery Query() {
    RankQuery query;
    query.text = source_.Below(8) ? source_.Text(5) : "topic/" + std::to_string(source_.Below(9));
    if (source_.Below(4))
      for (int64_t range : ranges_)
        if (source_.Below(2) || query.ranges.empty()) query.ranges.push_back(range);
    if (source_.Below(6) == 0) query.type = source_.Below(2) ? "audit" : "discovery";
    query.neighbours = source_.Below(2) == 0;
    query.limit = 1 + source_.Below(12);
    query.deadline_ms = 60'000;
    if (source_.Below(2))
      query.meaning = {embedder_->Embed(query.text),
                       embedder_->model(),
                       embedder_->weights(),
                       false,
                       nullptr,
                       {}};
    return query;
  }

  const uint64_t seed_ = std::random_device()();
  Source source_{seed_};
  const testing::TemporaryDirectory scratch_;
  const std::shared_ptr<const Embedder> embedder_ = std::make_shared<WordBag>();
  std::unique_ptr<SqliteStore> store_;
  std::unique_ptr<SqliteCandidates> file_;
  FakeCandidates fake_;
  std::vector<int64_t> ranges_;
};

TEST_F(SameRows, RankAlikeOnEachEngine) {
  SCOPED_TRACE("seed " + std::to_string(seed_));
  ResidentIndexes::Options options = IndexesOf(fake_);
  options.model = embedder_->model();
  options.dimensions = embedder_->dimensions();
  ResidentIndexes resident(options);
  Ranker on_file(*file_, nullptr), on_fake(fake_, nullptr), in_memory(fake_, &resident);
  size_t found = 0;
  for (int i = 0; i < 400; ++i) {
    const RankQuery query = Query();
    const auto ranking = on_file.Rank(query);
    ASSERT_TRUE(ranking) << ranking.error().message;
    found += ranking->rows.size();
    ASSERT_EQ(AsText(*on_fake.Rank(query)), AsText(*ranking)) << query.text;
    ASSERT_EQ(AsText(*in_memory.Rank(query)), AsText(*ranking)) << query.text;
  }
  EXPECT_GT(found, 400u);
  EXPECT_GT(resident.Read().served, 100);
}

}  // namespace
}  // namespace memory
