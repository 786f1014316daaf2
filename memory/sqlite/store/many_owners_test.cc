// However much one user has, another one's reads and runs find what is theirs.
#include <random>
#include <string>
#include <vector>

#include "memory/sqlite/store/trace_store_fixture.h"

namespace memory {
namespace {

class ManyOwnersTest : public TraceStoreTest {
 protected:
  FoundTraces Search(const TraceContext& context, const std::string& text) {
    TraceQuestion question;
    question.text = text;
    auto found = store_->traces().Search(context, question);
    EXPECT_TRUE(found) << found.error().message;
    return found ? *found : FoundTraces();
  }
};

TEST_F(ManyOwnersTest, DueAndNewestTracesAreFoundBesideManyOfOthers) {
  const int64_t due_ms = clock_.NowMs() - 1000;
  const std::string bobs = AddMany("bob", 1, "bob's", due_ms - 1000).front();
  NewTrace shared;
  shared.content = "of everybody";
  shared.kind = kProspective;
  shared.scope = kOrganizationScope;
  shared.remind_ms = due_ms - 2000;
  const auto everybodys = store_->traces().Add(context_, shared);
  ASSERT_TRUE(everybodys);
  AddMany("ann", 2'100, "ann's", due_ms);
  const auto due = store_->traces().Due(Of("bob"), 10);
  ASSERT_TRUE(due) << due.error().message;
  ASSERT_EQ(due->size(), 2u);
  EXPECT_EQ((*due)[0].id, bobs) << "the latest first";
  EXPECT_EQ((*due)[1].id, everybodys->id);
  const auto newest = store_->traces().Newest(Of("bob"), 10);
  ASSERT_TRUE(newest);
  ASSERT_EQ(newest->size(), 1u);
  EXPECT_EQ((*newest)[0].id, bobs);
  const auto anns = store_->traces().Newest(Of("ann"), 3);
  ASSERT_TRUE(anns);
  ASSERT_EQ(anns->size(), 3u);
  EXPECT_EQ((*anns)[0].content, "ann's 2099");
  TraceContext elsewhere = Of("ann");
  elsewhere.project = "q";
  EXPECT_EQ(store_->traces().Due(elsewhere, 10)->size(), 1u) << "the organization's";
}

TEST_F(ManyOwnersTest, EqualTextIsStoredOncePerOwner) {
  for (int i = 0; i < 1'100; ++i) AddTo(Of("user " + std::to_string(i)), "yes");
  const std::string first = AddTo(Of("user 1"), "yes");
  EXPECT_EQ(first, AddTo(Of("user 1"), "yes"));
  const std::string last = AddTo(Of("user 1099"), "yes");
  EXPECT_EQ(CountOf("SELECT count(*) FROM traces"), 1'100);
  TraceChange change;
  change.content = "no";
  ASSERT_TRUE(*store_->traces().Update(Of("user 1099"), last, change));
  EXPECT_EQ(AddTo(Of("user 1099"), "no"), last) << "its present text";
  EXPECT_NE(AddTo(Of("user 1099"), "yes"), last) << "its old text is free";
}

TEST_F(ManyOwnersTest, RunConsidersPairsBesideManyOfOthers) {
  AddMany("ann", 400, "ann's");
  AddTo(Of("bob"), "the pump of the well");
  AddTo(Of("bob"), "the pump was repaired");
  Search(Of("bob"), "pump");
  auto dry = store_->consolidation().Reflect(Of("bob"), true, api::kOriginUser);
  ASSERT_TRUE(dry);  // writes what was found together
  ASSERT_EQ(CountOf("SELECT count(*) FROM trace_pairs"), 1);
  Write(
      "INSERT INTO trace_pairs SELECT a.slot, b.slot, 1 FROM traces a JOIN traces b ON a.slot < "
      "b.slot WHERE a.scope_id = 'ann' AND b.scope_id = 'ann' LIMIT 60000");
  EXPECT_EQ(ReflectOf(Of("bob")).counts.strengthened, 1);
}

TEST_F(ManyOwnersTest, PairsAreBoundedByTracesNotReads) {
  const int64_t traces = 60;
  for (int64_t i = 0; i < traces; ++i)
    Add("pump " + std::to_string(i) + " of well " + std::to_string(i % 7) + " and " +
        std::to_string(i * 31 % 13));
  MustSave(Note("pump that is no trace"));
  for (int64_t i = 0; i < traces; ++i) {
    Search(context_, "pump " + std::to_string(i));
    Search(context_, "well " + std::to_string(i % 7) + " " + std::to_string(i));
  }
  ASSERT_TRUE(store_->consolidation().Reflect(context_, true, api::kOriginUser));
  EXPECT_GT(CountOf("SELECT count(*) FROM trace_pairs"), 0);
  EXPECT_LE(CountOf("SELECT max(n) FROM (SELECT count(*) AS n FROM trace_pairs GROUP BY low)"), 16);
  EXPECT_EQ(
      CountOf("SELECT count(*) FROM trace_pairs WHERE low NOT IN (SELECT slot FROM traces) OR "
              "high NOT IN (SELECT slot FROM traces)"),
      0);
  for (int64_t id = 1; id <= traces; ++id) ASSERT_TRUE(store_->Delete(id, true, kMidnight));
  EXPECT_EQ(CountOf("SELECT count(*) FROM trace_pairs"), 0);
}

// Searches of one within a minute fill no more than a part of what the server keeps of them.
TEST_F(ManyOwnersTest, PairsInMemoryAreLimitedPerOwner) {
  AddMany("ann", 300, "word");
  AddTo(Of("bob"), "the pump of the well");
  AddTo(Of("bob"), "the pump was repaired");
  std::mt19937 random(7);  // of 44,850 pairs more than the server keeps
  TraceQuestion question;
  question.limit = 5;
  for (int i = 0; i < 3'000; ++i) {
    question.text.clear();
    for (int word = 0; word < 5; ++word) question.text += std::to_string(random() % 300) + " ";
    ASSERT_TRUE(store_->traces().Search(Of("ann"), question));
  }
  Search(Of("bob"), "pump");
  ASSERT_TRUE(store_->consolidation().Reflect(context_, true, api::kOriginUser));
  EXPECT_EQ(CountOf("SELECT count(*) FROM trace_pairs p JOIN traces t ON t.slot = p.low WHERE "
                    "t.scope_id = 'bob'"),
            1);
}

TEST_F(ManyOwnersTest, TopicPrefixFindsRowsBesideManyOfOthers) {
  for (int i = 0; i < 40; ++i) {
    auto note = Note("text " + std::to_string(i), "ann");
    note.topic_key = "topic/" + std::to_string(100 + i);
    note.scope = "global";
    MustSave(note);
  }
  auto bobs = Note("of bob", "bob");
  bobs.topic_key = "topic/999";
  bobs.scope = "global";
  const Saved saved = MustSave(bobs);
  Filter filter = In("bob");
  filter.type = "decision";
  EXPECT_EQ(Find("topic/", filter), Ids());
  auto decided = Note("decided", "bob");
  decided.topic_key = "topic/9999";
  decided.scope = "global";
  decided.type = "decision";
  const Saved decision = MustSave(decided);
  EXPECT_EQ(Find("topic/", filter), Ids{decision.id});
  EXPECT_GT(saved.id, 0);
}

}  // namespace
}  // namespace memory
