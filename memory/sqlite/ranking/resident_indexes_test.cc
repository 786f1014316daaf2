// Resident indexes return the results of FTS5 after random writes, and keep to their budget.
#include "memory/ranking/resident_indexes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <span>

#include "lib/testing/temporary_directory.h"
#include "memory/sqlite/store/sqlite_store.h"
#include "memory/store/memory_fixture.h"

namespace memory {
namespace {

constexpr const char* kWords[] = {"go",    "went",    "gone",  "deploy", "deploys", "Deployment",
                                  "café",  "cafe",    "the",   "of",     "数据库",  "数据",
                                  "alpha", "beta",    "gamma", "delta",  "2024",    "yesterday",
                                  "a-b",   "foo_bar", "x.y",   "don't",  "Ünder",   "zeppelin"};

class Source {
 public:
  explicit Source(uint64_t seed) : random_(seed) {}
  uint64_t Below(uint64_t n) { return random_() % n; }
  std::string Text(uint64_t most) {
    std::string text;
    for (uint64_t i = 0, n = 1 + Below(most); i < n; ++i) {
      // The front of the list is said more often.
      text += kWords[Below(1 + Below(std::size(kWords)))];
      text += Below(9) == 0 ? "? " : " ";
    }
    return text;
  }

 private:
  std::mt19937_64 random_;
};

std::unique_ptr<SqliteStore> Open(const std::string& path, size_t index_bytes, bool at_once = true,
                                  std::shared_ptr<const Embedder> embedder = nullptr) {
  StoreOptions options;
  options.embedder = std::move(embedder);
  options.index_bytes = index_bytes;
  options.index_at_once = at_once;
  options.query_deadline_ms = 60'000;
  options.index_wait = std::chrono::minutes(1);
  auto store = SqliteStore::Open(path, options);
  EXPECT_TRUE(store) << store.error().message;
  return store ? std::move(*store) : nullptr;
}

// What a question finds, as one text.
std::string Answer(SqliteStore& store, const Filter& filter, const std::string& text, bool recall) {
  auto result = recall ? store.Recall(filter, text) : store.Search(filter, text, false);
  if (!result) return result.error().message;
  std::string answer = result->partial ? "partial" : "";
  for (const Found& found : result->rows)
    answer += std::to_string(found.row.id) + "=" + std::to_string(found.rank) + " ";
  return answer;
}

// Two stores with one history, of which one has no resident index.
void CompareHistories(const std::shared_ptr<const Embedder>& embedder) {
  const uint64_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Source source(seed);
  testing::TemporaryDirectory scratch;
  auto with = Open(scratch.File("with"), 1 << 20, true, embedder);
  auto without = Open(scratch.File("without"), 0, true, embedder);
  int64_t now_ms = kMidnight, last = 0;
  for (int step = 0; step < 600; ++step) {
    now_ms += static_cast<int64_t>(source.Below(8 * kMinute));
    const uint64_t act = source.Below(10);
    const auto id = static_cast<int64_t>(1 + source.Below(static_cast<uint64_t>(last) + 1));
    if (act < 6) {
      auto note = Note(source.Text(12), source.Below(3) ? "p" : "q");
      note.title = source.Text(3);
      note.session_id += std::to_string(source.Below(4));
      if (source.Below(4) == 0) note.tags = {source.Text(2)};
      if (source.Below(5) == 0) note.scope = "global";
      if (source.Below(5) == 0) note.topic_key = "topic/" + std::to_string(source.Below(5));
      if (source.Below(20) == 0) note.type = "audit";
      auto one = with->Save(note, "", now_ms), other = without->Save(note, "", now_ms);
      ASSERT_TRUE(one && other);
      last = std::max(last, one->id);
    } else if (act < 8) {
      Patch patch;
      patch.content = source.Text(12);
      ASSERT_EQ(with->Update(id, patch, now_ms).has_value(),
                without->Update(id, patch, now_ms).has_value());
    } else if (act < 9) {
      const bool hard = source.Below(2) == 0;
      ASSERT_EQ(with->Delete(id, hard, now_ms).has_value(),
                without->Delete(id, hard, now_ms).has_value());
    } else if (source.Below(20) == 0) {
      with = nullptr;
      with = Open(scratch.File("with"), 1 << 20, true, embedder);
    }
    Filter filter;
    if (source.Below(4)) filter.project = source.Below(3) ? "p" : "q";
    if (source.Below(6) == 0) filter.scope = source.Below(2) ? "global" : "project";
    if (source.Below(6) == 0) filter.type = source.Below(2) ? "audit" : "discovery";
    filter.limit = 1 + source.Below(12);
    const std::string text = source.Below(8) ? source.Text(6) : "topic/" + std::to_string(step % 5);
    const bool recall = source.Below(2) == 0;
    ASSERT_EQ(Answer(*with, filter, text, recall), Answer(*without, filter, text, recall))
        << "step " << step << ": " << text;
  }
  EXPECT_GT(with->Indexes().served, 0);
  EXPECT_EQ(without->Indexes().served, 0);
}

TEST(ResidentIndexes, RandomHistoriesAnswerLikeFts5) { CompareHistories(nullptr); }

TEST(ResidentIndexes, RandomHistoriesAnswerLikeTheVectorTable) {
  CompareHistories(std::make_shared<WordBag>());
}

// Words with made-up meanings, so that signals rank.
class WordsWithPieces : public WordBag, public PieceMeaning {
 public:
  FusionWeights weights() const override { return {0.25, false, 0.2F, true}; }
  const PieceMeaning* pieces() const override { return this; }
  std::vector<Piece> PiecesOf(std::string_view text) const override {
    std::set<Piece> pieces;
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find(' ', at), text.size());
      const size_t hash = std::hash<std::string_view>()(text.substr(at, end - at));
      if (end > at) pieces.insert(static_cast<Piece>(hash % 1000));
      at = end + 1;
    }
    return {pieces.begin(), pieces.end()};
  }
  std::vector<PieceCosines> Compare(std::span<const Piece> pieces,
                                    std::span<const Piece> asked) const override {
    std::vector<PieceCosines> cosines(pieces.size());
    for (size_t i = 0; i < pieces.size(); ++i)
      for (size_t k = 0; k < asked.size(); ++k)
        cosines[i].parts[k] =
            pieces[i] == asked[k] ? 255 : static_cast<uint8_t>((pieces[i] ^ asked[k]) % 150);
    return cosines;
  }
};

// The weights of words follow the rows that an index has, whenever it was built.
TEST(ResidentIndexes, AKeptIndexRanksBySignalsLikeANewOne) {
  testing::TemporaryDirectory scratch;
  const auto words = std::make_shared<WordsWithPieces>();
  auto kept = Open(scratch.File("kept"), 1 << 20, true, words);
  auto renewed = Open(scratch.File("renewed"), 1 << 20, true, words);
  Source source(3);
  Filter filter;
  filter.project = "p";
  for (int step = 0; step < 60; ++step) {
    const std::string text = source.Text(12) + std::to_string(step);
    for (SqliteStore* store : {kept.get(), renewed.get()}) {
      ASSERT_TRUE(store->Save(Note(text), "", kMidnight + step * kMinute));
      if (step % 7 == 6) {
        ASSERT_TRUE(store->Delete(step - 3, true, kMidnight + step * kMinute));
      }
    }
    if (step % 5 > 0) continue;
    renewed = nullptr;
    renewed = Open(scratch.File("renewed"), 1 << 20, true, words);
    const std::string asked = source.Text(6);
    ASSERT_EQ(Answer(*kept, filter, asked, true), Answer(*renewed, filter, asked, true))
        << "step " << step << ": " << asked;
  }
  EXPECT_GT(kept->Indexes().served, 0);
}

TEST(ResidentIndexes, BudgetHoldsAndKeepsTheMostQueried) {
  testing::TemporaryDirectory scratch;
  auto store = Open(scratch.File("store"), 16 << 10);
  Source source(1);
  for (int i = 0; i < 400; ++i) {
    auto note = Note(source.Text(12) + std::to_string(i), "p" + std::to_string(i % 8));
    ASSERT_TRUE(store->Save(note, "", kMidnight + i));
  }
  for (int i = 0; i < 200; ++i) {
    Filter filter;
    filter.project = "p" + std::to_string(i % 2 ? 0 : i % 8);
    ASSERT_TRUE(store->Recall(filter, "alpha beta"));
    ASSERT_LE(store->Indexes().bytes, size_t{16} << 10);
  }
  const int64_t missed = store->Indexes().missed;
  Filter filter;
  filter.project = "p0";  // asked most by far
  ASSERT_TRUE(store->Recall(filter, "alpha beta"));
  EXPECT_EQ(store->Indexes().missed, missed);
  EXPECT_GT(missed, 0);
}

TEST(ResidentIndexes, RepeatedQueriesBuildAnIndexInTheBackground) {
  testing::TemporaryDirectory scratch;
  auto store = Open(scratch.File("store"), 1 << 20, false);
  ASSERT_TRUE(store->Save(Note("zeppelin"), "", kMidnight));
  Filter filter;
  filter.project = "p";
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (store->Indexes().served == 0 && std::chrono::steady_clock::now() < give_up) {
    ASSERT_EQ(store->Search(filter, "zeppelin", false)->rows.size(), 1u);
    std::this_thread::yield();
  }
  EXPECT_GT(store->Indexes().served, 0);
  // An acknowledged write is found by the next question.
  ASSERT_TRUE(store->Save(Note("another zeppelin"), "", kMidnight + kDay));
  EXPECT_EQ(store->Search(filter, "zeppelin", false)->rows.size(), 2u);
}

}  // namespace
}  // namespace memory
