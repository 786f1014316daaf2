// Search results of a store, and their scope.
#include <cmath>
#include <cstdlib>
#include <random>

#include "memory/sqlite/store/store_fixture.h"

namespace memory {
namespace {

TEST_F(StoreTest, TopicIsPerProjectAndScope) {
  auto note = Note("a");
  note.topic_key = "k";
  MustSave(note);
  auto other = Note("a", "q");
  other.topic_key = "k";
  EXPECT_EQ(MustSave(other).action, "created");
  note.scope = "global";
  EXPECT_EQ(MustSave(note).action, "created");
}

TEST_F(StoreTest, QuestionMatchesRowsWithSomeOfItsWords) {
  MustSave(Note("The linker reports an undefined reference when libfoo is missing"));
  MustSave(Note("Coffee is in the kitchen"));
  EXPECT_EQ(Find("Why does the build of our service fail with a linker error since yesterday?"),
            Ids{1});
  EXPECT_EQ(Find("quantum entanglement"), Ids{});
}

TEST_F(StoreTest, HostileQueriesAreTreatedAsWords) {
  MustSave(Note("alpha beta"));
  for (std::string text : {"\"", "' OR 1=1 --", "alpha\"", "NEAR(", "a* OR -b", ")(", "title:alpha",
                           "^", "{}", "AND OR NOT"}) {
    EXPECT_TRUE(store_->Search({}, text, false)) << text;
    EXPECT_TRUE(store_->Recall({}, text)) << text;
  }
  EXPECT_TRUE(store_->Search({}, std::string(10'000, 'x') + " alpha", false));
  EXPECT_EQ(store_->Search({}, "alpha AND (", true).error().code, base::Code::kInvalid);
  EXPECT_EQ(Find("alpha AND beta", {}, true), Ids{1});
  EXPECT_EQ(Find("alpha NOT beta", {}, true), Ids{});
}

TEST_F(StoreTest, SearchCoversAccentsCjkTagsAndTopicsNotTypes) {
  auto tagged = Note("nothing else");
  tagged.tags = {"kubernetes"};
  MustSave(tagged);
  MustSave(Note("Die Prüfung läuft im Café"));
  MustSave(Note("我们的数据库很快"));
  auto topic = Note("chosen");
  topic.topic_key = "storage/engine-choice";
  MustSave(topic);
  EXPECT_EQ(Find("kubernetes"), Ids{1});
  EXPECT_EQ(Find("cafe prufung"), Ids{2});
  EXPECT_EQ(Find("数据库"), Ids{3});
  EXPECT_EQ(Find("库"), Ids{3});
  EXPECT_EQ(Find("storage/engine-choice"), Ids{4});
  EXPECT_EQ(Find("storage/engine"), Ids{4});
  EXPECT_EQ(Find("discovery"), Ids{});
  EXPECT_EQ(Find("p"), Ids{});
}

TEST_F(StoreTest, SearchReturnsHitsAndRecallAddsNeighbours) {
  MustSave(Note("before it"));
  MustSave(Note("the zeppelin landed"));
  MustSave(Note("after it"));
  EXPECT_EQ(Find("zeppelin"), Ids{2});
  auto recalled = store_->Recall({}, "zeppelin");
  ASSERT_EQ(recalled->rows.size(), 3u);
  EXPECT_EQ(recalled->rows[0].row.id, 2);
  EXPECT_EQ(recalled->rows[1].row.id, 3);  // lent more after a hit than before it
  for (const Found& found : recalled->rows) {
    EXPECT_STREQ(found.method, "fts5_bm25");
    EXPECT_LT(found.rank, 0);
  }
}

TEST_F(StoreTest, RecallIsFilledWithNewestRowsOnce) {
  for (int i = 0; i < 6; ++i) {
    auto note = Note("filler " + std::to_string(i));
    note.session_id = "s" + std::to_string(i);
    MustSave(note, kMidnight + i);
  }
  auto hit = Note("zeppelin");
  hit.session_id = "own";
  MustSave(hit, kMidnight - kDay);
  Filter filter;
  filter.limit = 3;
  auto recalled = store_->Recall(filter, "zeppelin");
  ASSERT_EQ(recalled->rows.size(), 3u);
  EXPECT_EQ(recalled->rows[0].row.id, 7);
  EXPECT_EQ(recalled->rows[1].row.id, 6);
  EXPECT_STREQ(recalled->rows[1].method, "recency");
  EXPECT_EQ(recalled->rows[2].row.id, 5);
  filter.limit = 0;
  EXPECT_TRUE(store_->Recall(filter, "zeppelin")->rows.empty());
}

TEST_F(StoreTest, RefreshedTopicIsNewest) {
  auto note = Note("old");
  note.topic_key = "k";
  MustSave(note, kMidnight);
  MustSave(Note("young"), kMidnight + 1000);
  note.content = "fresh";
  MustSave(note, kMidnight + 2000);
  EXPECT_EQ(store_->Recent({})->at(0).id, 1);
}

TEST_F(StoreTest, OnlyGlobalRowsAreFoundFromOtherProjects) {
  auto global = Note("shared zeppelin", "a");
  global.scope = "global";
  MustSave(global);
  MustSave(Note("private zeppelin", "a"));
  MustSave(Note("other", "b"));
  EXPECT_EQ(Find("zeppelin", In("b")), Ids{1});
  EXPECT_EQ(Find("zeppelin", In("never-written")), Ids{1});
  EXPECT_EQ(Find("zeppelin", In("a")).size(), 2u);
  Filter scope = In("a");
  scope.scope = "project";
  EXPECT_EQ(Find("zeppelin", scope), Ids{2});
  scope.scope = "nonsense";
  EXPECT_EQ(Find("zeppelin", scope), Ids{});
  auto recalled = store_->Recall(In("b"), "");
  ASSERT_EQ(recalled->rows.size(), 2u);
  // Lists and counts by project hold what was written there.
  EXPECT_EQ(store_->Recent(In("b"))->size(), 1u);
  EXPECT_EQ(store_->Recent(In("a"))->size(), 2u);
  EXPECT_EQ(store_->Count(std::string("a"))->observations, 2);
  EXPECT_TRUE(store_->Recent(In("never-written"))->empty());
}

TEST_F(StoreTest, ProjectMatchesByCaseFoldingAndKeepsItsFirstForm) {
  MustSave(Note("zeppelin", "Straße"));
  auto again = Note("more zeppelin", "STRASSE");
  again.session_id = "s-Straße";
  EXPECT_EQ(MustSave(again).action, "created");
  EXPECT_EQ(Find("zeppelin", In("strasse")).size(), 2u);
  EXPECT_EQ(store_->Count({})->projects, std::vector<std::string>{"Straße"});
  EXPECT_EQ(store_->Get(2)->project, "Straße");
}

TEST_F(StoreTest, AuditRowsAppearOnlyOnRequest) {
  auto record = Note("zeppelin denied");
  record.type = "audit";
  MustSave(record);
  EXPECT_EQ(Find("zeppelin"), Ids{});
  EXPECT_TRUE(store_->Recall({}, "zeppelin")->rows.empty());
  EXPECT_TRUE(store_->Recall({}, "")->rows.empty());
  Filter asked;
  asked.type = "audit";
  EXPECT_EQ(Find("zeppelin", asked), Ids{1});
  EXPECT_EQ(store_->Recall(asked, "")->rows.size(), 1u);
}

// Dialogues of 20 rows, of words as unequally common as in a language. 1,500 rows;
// AGENT_MEMORY_PROJECT_ROWS=100000 for the long run.
class LargeProject : public StoreTest {
 protected:
  LargeProject() {
    if (const char* asked = std::getenv("AGENT_MEMORY_PROJECT_ROWS")) rows_ = std::stoi(asked);
    std::mt19937 random(7);
    for (int i = 0; i < rows_; ++i) {
      auto note = Note(Text(random, 30));
      note.session_id = "dialogue-" + std::to_string(i / 20);
      MustSave(note, kMidnight + i);
    }
  }
  static std::string Text(std::mt19937& random, int words) {
    std::string text;
    for (int i = 0; i < words; ++i) {
      const double share = std::generate_canonical<double, 32>(random);
      text += "w" + std::to_string(static_cast<int>(std::pow(2000, share))) + " ";
    }
    return text;
  }
  Ids Recalled(const std::string& text, size_t limit) {
    Filter filter;
    filter.limit = limit;
    const auto recalled = store_->Recall(filter, text);
    Ids ids;
    for (const Found& found : recalled->rows) ids.push_back(found.row.id);
    ids.resize(std::min<size_t>(ids.size(), 5));
    return ids;
  }
  int rows_ = 1500;
};

TEST_F(LargeProject, TopFiveMatchScoringOfAllRows) {
  std::mt19937 random(8);
  int same = 0;
  for (int i = 0; i < 20; ++i) {
    const std::string text = Text(random, 10);
    const Ids few = Recalled(text, 5), all = Recalled(text, static_cast<size_t>(rows_));
    for (int64_t id : few) same += std::find(all.begin(), all.end(), id) != all.end();
  }
  RecordProperty("same_of_100", same);
  EXPECT_GE(same, 95);
}

TEST_F(LargeProject, RareTypeIsFoundAmongManyBetterHits) {
  auto rare = Note("w1 " + std::string(400, 'x'));
  rare.type = "decision";
  const int64_t id = MustSave(rare).id;
  Filter decisions;
  decisions.type = "decision";
  EXPECT_EQ(Find("w1 w2 w3", decisions), Ids{id});
  StoreOptions in_memory;
  in_memory.index_bytes = 64 << 20;
  in_memory.index_at_once = true;
  Reopen(in_memory);
  EXPECT_EQ(Find("w1 w2 w3", decisions), Ids{id});
}

}  // namespace
}  // namespace memory
