// After a hard delete no byte of the files has the text of what the row was made of.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/process/file.h"
#include "memory/sqlite/store/damage_fixture.h"
#include "memory/sqlite/store/trace_store_fixture.h"

namespace memory {
namespace {

constexpr const char* kWord = "zyxwvsecret";

class ErasedMergesTest : public TraceStoreTest {
 protected:
  bool Holds(const std::string& word) {
    for (const char* part : {"", "-wal"}) {
      auto bytes = base::ReadFile(scratch_.File("store") + part, 1 << 30);
      if (bytes && bytes->find(word) != std::string::npos) return true;
    }
    return false;
  }
  void AwaitErased() {
    ASSERT_TRUE(Eventually([&] { return store_->DueErasures() == 0; }));
  }
  std::string Secret(const std::string& more = "") { return std::string(kWord) + more; }
};

TEST_F(ErasedMergesTest, HardDeleteErasesSourcesOfAMerge) {
  // → the row that is deleted.
  const std::vector<std::pair<const char*, std::function<std::string()>>> ways = {
      {"a merge with another text",
       [&] {
         const std::string a = Add("it is " + Secret()), b = Add("something else");
         auto merged = store_->traces().Merge(context_, {a, b}, "short", {}, {});
         return merged->id;
       }},
      {"a run",
       [&] {
         const std::string a = Add("a note: " + Secret()), b = Add("A NOTE: " + Secret());
         Reflect();
         return MergedInto(a);
       }},
      {"a merge of merges",
       [&] {
         const std::string one = MustMerge({Add("one " + Secret()), Add("two")});
         return MustMerge({MustMerge({one, Add("three")}), Add("four")});
       }},
      {"a version of a source",
       [&] {
         const std::string a = Add("first " + Secret());
         TraceChange change;
         change.content = "second";
         EXPECT_TRUE(*store_->traces().Update(context_, a, change));
         auto merged = store_->traces().Merge(context_, {a, Add("b")}, "ab", {}, {});
         return merged->id;
       }},
      {"a merge that was deleted before",
       [&] {
         const std::string merged = MustMerge({Add("x " + Secret()), Add("y")});
         EXPECT_TRUE(*store_->traces().Delete(context_, merged, "", {}));
         return merged;
       }},
      {"a source of a merge that was taken apart",
       [&] {
         const std::string a = Add("apart " + Secret());
         const std::string merged = MustMerge({a, Add("the other part")});
         EXPECT_TRUE(store_->traces().Unmerge(context_, merged, {}));
         return a;
       }},
      {"a source of two merges that were taken apart",
       [&] {
         const std::string a = Add("twice " + Secret()), b = Add("kept of two");
         for (int i = 0; i < 2; ++i)
           EXPECT_TRUE(store_->traces().Unmerge(context_, MustMerge({a, b}), {}));
         const std::string inner = MustMerge({a, b});
         EXPECT_TRUE(store_->traces().Unmerge(context_, MustMerge({inner, Add("kept too")}), {}));
         EXPECT_TRUE(store_->traces().Unmerge(context_, inner, {}));
         return a;
       }},
      {"the original of a source that became a gist", [&] {
         std::string text = "The first sentence says nothing.";
         for (int i = 0; i < 60; ++i) text += " Sentence " + std::to_string(i) + " of the text.";
         text += " " + Secret() + ".";
         const std::string a = Add(text);
         TraceQuestion question;
         question.text = "sentence";
         for (int i = 0; i < 6; ++i) {
           EXPECT_TRUE(store_->traces().Search(context_, question));
           clock_.Advance(5 * kDay);
         }
         Reflect();
         EXPECT_EQ(Get(a)->trace.kind, kSemantic);
         return MustMerge({a, Add("the gist's friend")});
       }}};
  const std::string stays = Add("what stays");
  for (const auto& [what, way] : ways) {
    const std::string id = way();
    Find("anything");  // puts what waits into the index
    ASSERT_TRUE(store_->Delete(RowOf(id), true, clock_.NowMs())) << what;
    AwaitErased();
    EXPECT_FALSE(Holds(kWord)) << what;
    EXPECT_FALSE(IsLive(id));
  }
  EXPECT_TRUE(store_->traces().Get(context_, stays, true)->has_value());
  EXPECT_TRUE(Holds("kept of two") && Holds("the other part")) << "what was not deleted stays";
  ExpectSound();
}

TEST_F(ErasedMergesTest, SummariesLoseQuotesOfMergedSources) {
  const std::string a = Add("the secret of the zyxwv house is here");
  ASSERT_TRUE(store_->StartSession("s", "p", "", kMidnight));
  SessionEnd end;
  end.summary = "- the secret of the zyxwv house is here\n- lunch";
  ASSERT_TRUE(store_->EndSession("s", end, kMidnight));
  const auto merged = store_->traces().Merge(context_, {a, Add("b")}, "short", {}, {});
  ASSERT_TRUE(merged);
  ASSERT_TRUE(store_->Delete(RowOf(merged->id), true, clock_.NowMs()));
  AwaitErased();
  EXPECT_FALSE(Holds("zyxwv"));
}

TEST_F(ErasedMergesTest, HardDeleteErasesAChainOfManyMerges) {
  std::string merged = Add("part " + Secret("0"));
  for (int i = 1; i < 40; ++i) {
    auto next = store_->traces().Merge(context_, {merged, Add("part " + Secret(std::to_string(i)))},
                                       "all " + std::to_string(i), {}, {});
    ASSERT_TRUE(next);
    merged = next->id;
  }
  ASSERT_TRUE(store_->Delete(RowOf(merged), true, clock_.NowMs()));
  AwaitErased();
  EXPECT_FALSE(Holds(kWord));
  EXPECT_EQ(CountOf("SELECT count(*) FROM observations"), 0);
}

}  // namespace
}  // namespace memory
