// Edges of merged traces: where they lead, how many there are, and what a merge costs.
#include <algorithm>
#include <string>
#include <vector>

#include "lib/sqlite/database.h"
#include "memory/sqlite/store/trace_store_fixture.h"

namespace memory {
namespace {

class MergedEdgesTest : public TraceStoreTest {
 protected:
  int64_t StoredFrom(const std::string& id) {
    return CountOf(
        "SELECT count(*) FROM trace_edges e JOIN traces t ON t.slot = e.from_slot WHERE "
        "t.uuid = '" +
        id + "'");
  }
  // Edges from the first `count` of these, written at once.
  void LinkAll(const std::vector<std::string>& from, const std::string& to) {
    std::vector<ExportedEdge> edges;
    for (const std::string& one : from) edges.push_back({one, "", "", {to, "about", 0.5}});
    auto taken = store_->traces().Import(edges);
    ASSERT_TRUE(taken) << taken.error().message;
  }
};

// Each merge of a trace that 20,000 others lead to held the writer for two seconds.
TEST_F(MergedEdgesTest, MergeRewritesNoIncomingEdges) {
  const std::string hub = Add("the index of all"), other = Add("another index");
  const auto notes = AddMany("default", 600, "a note");
  LinkAll(notes, hub);
  const int64_t before = CountOf("SELECT count(*) FROM trace_edges");
  std::string merged = MustMerge({hub, other});
  EXPECT_EQ(CountOf("SELECT count(*) FROM trace_edges"), before);
  for (int i = 0; i < 5; ++i) merged = MustMerge({merged, Add("index " + std::to_string(i))});
  EXPECT_EQ(CountOf("SELECT count(*) FROM trace_edges"), before);
  EXPECT_EQ(Ends(notes[7]), std::vector{merged});
}

TEST_F(MergedEdgesTest, EdgeFollowsMergesOfItsEnd) {
  const std::string from = Add("from"), a = Add("a"), b = Add("b"), c = Add("c"), d = Add("d");
  ASSERT_TRUE(Link(from, a, 0.3));
  ASSERT_TRUE(Link(from, b, 0.6, "knows"));
  ASSERT_TRUE(Link(a, b));
  ASSERT_TRUE(Link(a, d, 0.2));
  const std::string ab = MustMerge({a, b}), abc = MustMerge({c, ab});
  const auto view = Get(from);
  ASSERT_EQ(view->edges.size(), 1u) << "one for both";
  EXPECT_EQ(view->edges[0].to, abc);
  EXPECT_EQ(view->edges[0].kind, "knows") << "the heavier";
  EXPECT_EQ(Ends(abc), std::vector{d}) << "none to itself";
  EXPECT_EQ(CountOf("SELECT count(*) FROM trace_edges WHERE from_slot = to_slot"), 0);
  // A new weight is that of all that lead there, also after the merges are taken apart.
  ASSERT_TRUE(Link(from, abc, 0.1, "less"));
  EXPECT_EQ(Get(from)->edges[0].weight, 0.1);
  ASSERT_TRUE(store_->traces().Unmerge(context_, abc, {}));
  EXPECT_EQ(Ends(from), std::vector{ab});
  ASSERT_TRUE(store_->traces().Unmerge(context_, ab, {}));
  EXPECT_EQ(Ends(from).size(), 2u);
  EXPECT_EQ(Get(from)->edges[0].kind, "less");
  EXPECT_EQ(Ends(a).size(), 2u);
  // What is removed does not come back.
  const std::string again = MustMerge({a, b});
  EXPECT_TRUE(*store_->traces().DeleteEdge(context_, from, again));
  EXPECT_FALSE(*store_->traces().DeleteEdge(context_, from, again));
  ASSERT_TRUE(store_->traces().Unmerge(context_, again, {}));
  EXPECT_TRUE(Ends(from).empty());
}

// A merged trace had a hundred times the limit, and the next edge was refused for some that no
// answer showed.
TEST_F(MergedEdgesTest, EdgeLimitCountsVisibleEdgesOnly) {
  auto ends = AddMany("default", 3 * kMaxTraceEdges, "an end");
  const std::vector<std::string> texts = {"User likes tea", "user likes TEA", "USER likes tea"};
  std::vector<std::string> sources;
  for (const std::string& text : texts) sources.push_back(Add(text));
  for (size_t i = 0; i < 3 * 200; ++i) {
    ASSERT_TRUE(Link(sources[i % 3], ends[i], static_cast<double>(i) / 600));
  }
  for (const bool by_run : {false, true}) {
    if (by_run) {
      EXPECT_EQ(Reflect().counts.merged, 1);
    }
    const std::string merged = by_run ? MergedInto(sources[0]) : MustMerge(sources);
    std::vector<std::string> heaviest(ends.begin() + 600 - kMaxTraceEdges, ends.begin() + 600);
    std::reverse(heaviest.begin(), heaviest.end());
    EXPECT_EQ(Ends(merged), heaviest) << by_run;
    EXPECT_EQ(StoredFrom(merged), static_cast<int64_t>(kMaxTraceEdges));
    const base::Status full = Link(merged, ends[700]);
    ASSERT_FALSE(full);
    EXPECT_EQ(full.error().code, base::Code::kFull);
    const auto imported =
        store_->traces().Import(std::vector<ExportedEdge>{{merged, "", "", {ends[701], "a", 1}}});
    ASSERT_TRUE(imported);
    EXPECT_EQ(imported->front(), EdgeTaken::kFull);
    // What no answer shows gives way: a deleted end, and one of two that became one trace.
    ASSERT_TRUE(*store_->traces().Delete(context_, ends[599], "", {}));
    EXPECT_TRUE(Link(merged, ends[702]));
    const std::string one = MustMerge({ends[597], ends[596]});
    EXPECT_TRUE(Link(merged, ends[703]));
    EXPECT_FALSE(Link(merged, ends[704]));
    EXPECT_EQ(Ends(merged).size(), kMaxTraceEdges);
    EXPECT_EQ(StoredFrom(merged), static_cast<int64_t>(kMaxTraceEdges));
    ASSERT_TRUE(store_->traces().Unmerge(context_, one, {}));
    if (by_run) break;
    ASSERT_TRUE(store_->traces().Unmerge(context_, merged, {}));
    ends[599] = Add("an end instead");
    ASSERT_TRUE(Link(sources[599 % 3], ends[599], 599.0 / 600));
  }
}

TEST_F(MergedEdgesTest, EdgesSurviveThePurgeOfMergedSources) {
  const std::string hub = Add("the index"), other = Add("another"), third = Add("a third");
  const auto notes = AddMany("default", 2'500, "a note");
  LinkAll(notes, hub);
  ASSERT_TRUE(Link(notes[0], other, 0.9, "heavy"));
  const std::string merged = MustMerge({MustMerge({hub, other}), third});
  const int64_t before = CountOf("SELECT count(*) FROM trace_edges");
  EXPECT_EQ(before, 2'501);
  clock_.Advance(31 * kDay);
  const auto swept = store_->Sweep({});
  ASSERT_TRUE(swept) << swept.error().message;
  EXPECT_EQ(CountOf("SELECT count(*) FROM observations WHERE deleted_ms IS NOT NULL"), 0);
  EXPECT_EQ(CountOf("SELECT count(*) FROM trace_edges"), 2'500);
  EXPECT_EQ(Ends(notes[2'499]), std::vector{merged});
  ASSERT_EQ(Ends(notes[0]), std::vector{merged});
  EXPECT_EQ(Get(notes[0])->edges[0].kind, "heavy");
}

TEST_F(MergedEdgesTest, HardDeleteOfAHubRemovesItsEdges) {
  const std::string hub = Add("the index");
  const auto notes = AddMany("default", 2'500, "a note");
  LinkAll(notes, hub);
  ASSERT_TRUE(store_->Delete(RowOf(hub), true, kMidnight));
  EXPECT_EQ(CountOf("SELECT count(*) FROM trace_edges"), 0);
  EXPECT_EQ(store_->Delete(1'000'000, true, kMidnight).error().code, base::Code::kNotFound);
}

TEST_F(MergedEdgesTest, CopyContainsEdgesOfMergedTraces) {
  const std::string from = Add("from"), a = Add("a"), b = Add("b"), c = Add("c");
  ASSERT_TRUE(Link(from, a));
  MustMerge({MustMerge({a, b}), c});
  const auto copy = store_->Copy({});
  ASSERT_TRUE(copy) << copy.error().message;
  auto file = sqlite::Database::Open(copy->path(), {sqlite::Access::kReader});
  ASSERT_TRUE(file);
  auto read = file->Prepare(
      "SELECT count(*) FROM trace_edges e JOIN observations f ON f.slot = e.from_slot JOIN "
      "observations t ON t.slot = e.to_slot WHERE f.content = 'from' AND t.content LIKE '%c'");
  ASSERT_TRUE(read && read->Step());
  EXPECT_EQ(read->Int(0), 1);
}

// The tags of a group were more than one trace may have, and the whole run failed.
TEST_F(MergedEdgesTest, RunMergesWithinTheTagLimit) {
  const auto add = [&](const std::string& content, int first) {
    NewTrace trace;
    trace.content = content;
    for (int i = 0; i < 60; ++i) trace.tags.push_back("tag " + std::to_string(first + i));
    EXPECT_TRUE(store_->traces().Add(context_, trace));
  };
  add("User likes tea", 0);
  add("user likes TEA", 100);
  add("USER likes tea", 0);
  EXPECT_EQ(Reflect().counts.merged, 1);
  EXPECT_EQ(CountOf("SELECT count(*) FROM observations WHERE deleted_ms IS NULL"), 2);
}

}  // namespace
}  // namespace memory
