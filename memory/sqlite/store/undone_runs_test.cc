// The undo of a run keeps what was changed since, whatever the change was.
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "memory/sqlite/store/trace_store_fixture.h"

namespace memory {
namespace {

class UndoneRunsTest : public TraceStoreTest {
 protected:
  void SetUp() override {
    friend_ = Add("a friend");
    other_ = Add("somebody else");
  }
  // Two that say the same, of which a run makes one.
  void AddDuplicates() {
    const std::string number = std::to_string(++pairs_);
    a_ = Add("User likes tea " + number);
    b_ = Add("user likes TEA " + number);
    ASSERT_TRUE(Link(a_, friend_, 0.5));
    run_ = Reflect();
    ASSERT_EQ(run_.counts.merged, 1);
    merged_ = MergedInto(a_);
    ASSERT_TRUE(IsLive(merged_));
  }
  bool Change(const TraceChange& change) {
    auto changed = store_->traces().Update(context_, merged_, change);
    return changed && *changed;
  }
  std::string friend_, other_, a_, b_, merged_;
  ConsolidationRun run_;
  int pairs_ = 0;
};

TEST_F(UndoneRunsTest, UndoOfAMergeKeepsLaterChanges) {
  const std::vector<std::pair<const char*, std::function<void()>>> changes = {
      {"content",
       [&] {
         EXPECT_TRUE(Change({"User prefers coffee", {}, {}}));
       }},
      {"tags",
       [&] {
         EXPECT_TRUE(Change({{}, std::vector<std::string>{"drink"}, {}}));
       }},
      {"an edge from it", [&] { EXPECT_TRUE(Link(merged_, other_)); }},
      {"an edge to it", [&] { EXPECT_TRUE(Link(other_, merged_)); }},
      {"another weight", [&] { EXPECT_TRUE(Link(merged_, friend_, 0.7)); }},
      {"another kind", [&] { EXPECT_TRUE(Link(merged_, friend_, 0.5, "knows")); }},
      {"an edge less",
       [&] { EXPECT_TRUE(*store_->traces().DeleteEdge(context_, merged_, friend_)); }},
      {"the observation's title",
       [&] {
         Patch patch;
         patch.title = "of tea";
         EXPECT_TRUE(store_->Update(RowOf(merged_), patch, clock_.NowMs()));
       }},
      {"tags of an import", [&] {
         WholeTrace same;
         same.trace = Get(merged_)->trace;
         same.trace.tags = {"imported"};
         ImportOptions uniting;
         uniting.unite_tags = true;
         EXPECT_TRUE(store_->traces()
                         .Import(std::make_shared<std::vector<WholeTrace>>(1, same), uniting)
                         .get());
         EXPECT_EQ(Get(merged_)->trace.tags.size(), 1u);
       }}};
  for (const auto& [what, change] : changes) {
    AddDuplicates();
    change();
    const auto before = Get(merged_);
    EXPECT_EQ(MustUndo(run_.id).merged, 0) << what;
    const auto after = Get(merged_);
    ASSERT_TRUE(after) << what;
    EXPECT_EQ(after->trace.content, before->trace.content) << what;
    EXPECT_EQ(after->trace.tags, before->trace.tags) << what;
    EXPECT_EQ(after->edges.size(), before->edges.size()) << what;
    EXPECT_FALSE(IsLive(a_)) << what;
    // The next duplicates are alone.
    ASSERT_TRUE(*store_->traces().Delete(context_, merged_, "", {}));
  }
  AddDuplicates();
  EXPECT_EQ(MustUndo(run_.id).merged, 1) << "without any change";
  EXPECT_TRUE(IsLive(a_) && IsLive(b_));
  EXPECT_EQ(Ends(a_), std::vector{friend_});
}

TEST_F(UndoneRunsTest, UndoRestoresNothingDeletedSince) {
  AddDuplicates();
  ASSERT_TRUE(store_->Delete(RowOf(a_), false, clock_.NowMs()));
  EXPECT_EQ(MustUndo(run_.id).merged, 1);
  EXPECT_FALSE(IsLive(a_)) << "a client deleted it";
  EXPECT_TRUE(IsLive(b_));
  AddDuplicates();
  ASSERT_TRUE(*store_->traces().Delete(context_, merged_, "", {}));
  EXPECT_EQ(MustUndo(run_.id).merged, 0);
  EXPECT_FALSE(IsLive(a_) || IsLive(b_) || IsLive(merged_));
  AddDuplicates();
  const std::string further = MustMerge({merged_, other_});
  EXPECT_EQ(MustUndo(run_.id).merged, 0);
  EXPECT_TRUE(IsLive(further));
}

TEST_F(UndoneRunsTest, UndoOfAPruneKeepsLaterDeletions) {
  const std::string faded = Add("a thing of the past"), gone = Add("another one");
  clock_.Advance(30 * kDay);
  const ConsolidationRun run = Reflect();
  ASSERT_GE(run.counts.pruned, 2);
  ASSERT_TRUE(store_->Delete(RowOf(gone), false, clock_.NowMs()));
  EXPECT_EQ(MustUndo(run.id).pruned, run.counts.pruned - 1);
  EXPECT_TRUE(IsLive(faded));
  EXPECT_FALSE(IsLive(gone));
}

TEST_F(UndoneRunsTest, UndoOfALinkKeepsLaterChangesAndNeverFails) {
  const std::vector<std::string> pumps = {Add("the pump of the well"), Add("the pump was repaired"),
                                          Add("the pump is blue")};
  TraceQuestion question;
  question.text = "pump";
  ASSERT_TRUE(store_->traces().Search(context_, question));
  const ConsolidationRun first = Reflect();
  ASSERT_EQ(first.counts.strengthened, 3);
  ASSERT_TRUE(store_->traces().Search(context_, question));
  const ConsolidationRun run = Reflect();
  ASSERT_EQ(run.counts.strengthened, 3);
  // One is deleted, one has another weight, and the list is full.
  EXPECT_TRUE(*store_->traces().DeleteEdge(context_, pumps[0], pumps[1]));
  EXPECT_TRUE(Link(pumps[0], pumps[2], 0.8, "coactivated"));
  const auto ends = AddMany("default", kMaxTraceEdges - 1, "an end");
  for (const std::string& end : ends) ASSERT_TRUE(Link(pumps[0], end, 0.4));
  MustUndo(run.id);
  const auto view = Get(pumps[0]);
  EXPECT_EQ(view->edges.size(), kMaxTraceEdges);
  EXPECT_EQ(view->edges[0].to, pumps[2]);
  EXPECT_EQ(view->edges[0].weight, 0.8);
  for (const TraceEdge& edge : view->edges) EXPECT_NE(edge.to, pumps[1]) << "it was deleted";
  EXPECT_NEAR(Get(pumps[1])->edges[0].weight, 0.1, 1e-9) << "as after the first run";
  EXPECT_EQ(Ends(pumps[1]).size(), 2u);
  MustUndo(first.id);
  EXPECT_TRUE(Ends(pumps[1]).empty());
  EXPECT_EQ(Get(pumps[0])->edges[0].weight, 0.8) << "it was changed";
}

// Calls back when it is asked for a vector.
class CallingBag : public WordBag {
 public:
  std::vector<int8_t> Embed(std::string_view text) const override {
    if (auto call = std::exchange(on_embed, nullptr)) call();
    return WordBag::Embed(text);
  }
  mutable std::function<void()> on_embed;
};

TEST_F(UndoneRunsTest, UndoOfAnActiveRunIsAConflict) {
  const auto bag = std::make_shared<CallingBag>();
  Open(bag);
  Add("User likes tea");
  Add("user likes TEA");
  std::future<base::Code> refused;
  bag->on_embed = [&] {  // while the run merges
    refused = std::async(std::launch::async, [&] {
      const auto runs = store_->consolidation().Runs(context_, 1);
      EXPECT_TRUE(runs && runs->size() == 1);
      const auto undone = store_->consolidation().Undo(context_, runs->front().id);
      return undone ? base::Code::kInternal : undone.error().code;
    });
    refused.wait_for(std::chrono::minutes(1));  // an undo that is not refused waits for the run
  };
  const ConsolidationRun run = Reflect();
  ASSERT_EQ(run.counts.merged, 1);
  ASSERT_TRUE(refused.valid());
  EXPECT_EQ(refused.get(), base::Code::kConflict);
  EXPECT_EQ(MustUndo(run.id).merged, 1);
  EXPECT_EQ(MustUndo(run.id).merged, 0) << "once";
}

TEST_F(UndoneRunsTest, AcknowledgedChangeDuringAnUndoIsKept) {
  for (int i = 0; i < 20; ++i) {
    AddDuplicates();
    const std::string edited = "edited " + std::to_string(i);
    bool changed = false;
    ConsolidationCounts undone[2];
    std::vector<std::thread> threads;
    threads.emplace_back([&] { changed = Change({edited, {}, {}}); });
    for (ConsolidationCounts& one : undone) threads.emplace_back([&] { one = MustUndo(run_.id); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(undone[0].merged + undone[1].merged, changed ? 0 : 1);
    EXPECT_EQ(IsLive(merged_), changed);
    EXPECT_EQ(IsLive(a_), !changed);
    EXPECT_EQ(changed ? Get(merged_)->trace.content : "", changed ? edited : "");
    for (const std::string& id : {merged_, a_, b_})
      EXPECT_TRUE(store_->traces().Delete(context_, id, "", {}));
  }
}

}  // namespace
}  // namespace memory
