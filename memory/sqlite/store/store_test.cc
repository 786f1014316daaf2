// Writes of a store: dedup, keys, deletes, sessions, restarts.
#include <thread>

#include "memory/sqlite/store/store_fixture.h"

namespace memory {
namespace {

TEST_F(StoreTest, TopicKeyUpdatesItsRowAndKeepsARevision) {
  auto note = Note("first text");
  note.topic_key = "choice";
  EXPECT_EQ(MustSave(note).action, "created");
  note.content = "second text";
  note.title = "new title";
  Saved second = MustSave(note, kMidnight + kDay);
  EXPECT_EQ(second.action, "updated");
  EXPECT_EQ(second.id, 1);
  EXPECT_EQ(second.revision_count, 2);
  EXPECT_EQ(second.duplicate_count, 0);
  auto row = store_->Get(1);
  EXPECT_EQ(row->content, "second text");
  EXPECT_EQ(row->updated_ms, kMidnight + kDay);
  EXPECT_EQ(row->created_ms, kMidnight);
  auto revisions = store_->Revisions(1);
  ASSERT_EQ(revisions->size(), 2u);
  EXPECT_EQ((*revisions)[0].content, "first text");
  EXPECT_EQ((*revisions)[1].title, "new title");
  EXPECT_EQ(Find("first"), Ids{});
  EXPECT_EQ(Find("second"), Ids{1});
  ExpectSound();
}

TEST_F(StoreTest, EqualContentIsDeduplicatedUntilTheWindowEnds) {
  int64_t start = kMidnight - 7 * kMinute;
  MustSave(Note("Same  TEXT"), start);
  Saved duplicate = MustSave(Note("same text"), start + 15 * kMinute);
  EXPECT_EQ(duplicate.action, "deduplicated");
  EXPECT_EQ(duplicate.id, 1);
  EXPECT_EQ(duplicate.duplicate_count, 1);
  EXPECT_EQ(store_->Get(1)->last_seen_ms, start + 15 * kMinute);
  EXPECT_EQ(store_->Get(1)->updated_ms, start);
  EXPECT_EQ(MustSave(Note("same text"), start + 15 * kMinute + 1000).action, "created");
}

TEST_F(StoreTest, NewTopicKeyIsNotDeduplicatedByContent) {
  MustSave(Note("text"));
  auto note = Note("text");
  note.topic_key = "new";
  EXPECT_EQ(MustSave(note).action, "created");
  EXPECT_EQ(store_->Get(2)->topic_key, "new");
}

TEST_F(StoreTest, EqualTextIsStoredOncePerRule) {
  auto note = Note("text");
  note.source.rule = "errors";
  MustSave(note);
  note.source.rule = "panics";
  EXPECT_EQ(MustSave(note).action, "created");
  EXPECT_EQ(MustSave(note).action, "deduplicated");
}

TEST_F(StoreTest, ConcurrentWritesOfATopicMakeOneRow) {
  constexpr int kWriters = 64;
  std::vector<std::jthread> writers;
  std::atomic<int> created{0}, failed{0};
  for (int i = 0; i < kWriters; ++i) {
    writers.emplace_back([&, i] {
      auto note = Note("text " + std::to_string(i));
      note.topic_key = "k";
      auto saved = store_->Save(note, "", kMidnight + i);
      if (!saved)
        ++failed;
      else if (saved->action == "created")
        ++created;
    });
  }
  writers.clear();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(created, 1);
  EXPECT_EQ(store_->Count({})->observations, 1);
  EXPECT_EQ(store_->Get(1)->revision_count, kWriters);
  EXPECT_EQ(store_->Revisions(1)->size(), size_t{kWriters});
  ExpectSound();
}

TEST_F(StoreTest, ConcurrentWritesOfATextMakeOneRow) {
  std::vector<std::jthread> writers;
  for (int i = 0; i < 64; ++i) {
    writers.emplace_back([&] { EXPECT_TRUE(store_->Save(Note("same"), "", kMidnight)); });
  }
  writers.clear();
  EXPECT_EQ(store_->Count({})->observations, 1);
  EXPECT_EQ(store_->Get(1)->duplicate_count, 63);
}

TEST_F(StoreTest, IdempotencyKeyReplaysAfterARestart) {
  Saved first = MustSave(Note("text"), kMidnight, "key-1");
  EXPECT_FALSE(first.replayed);
  Reopen();
  Saved again = MustSave(Note("text"), kMidnight + kDay, "key-1");
  EXPECT_TRUE(again.replayed);
  EXPECT_EQ(again.id, first.id);
  EXPECT_EQ(again.action, "created");
  EXPECT_EQ(store_->Get(1)->duplicate_count, 0);
  // Kept for seven days, not longer.
  MustSave(Note("other"), kMidnight + 8 * kDay, "key-2");
  EXPECT_EQ(MustSave(Note("text"), kMidnight + 8 * kDay, "key-1").id, 3);
}

TEST_F(StoreTest, SoftAndHardDeletesKeepTheIndexSound) {
  for (int i = 0; i < 8; ++i) MustSave(Note("word number" + std::to_string(i)));
  EXPECT_TRUE(store_->Delete(1, false, kMidnight));
  EXPECT_TRUE(store_->Delete(1, false, kMidnight));
  EXPECT_EQ(store_->Get(1).error().code, base::Code::kNotFound);
  EXPECT_EQ(store_->Update(1, {}, kMidnight).error().code, base::Code::kNotFound);
  EXPECT_EQ(store_->Timeline(1, 3, 3).error().code, base::Code::kNotFound);
  EXPECT_TRUE(store_->Delete(1, true, kMidnight));
  EXPECT_TRUE(store_->Delete(1, true, kMidnight));
  EXPECT_TRUE(store_->Delete(1, false, kMidnight));
  EXPECT_TRUE(store_->Delete(2, true, kMidnight));
  EXPECT_EQ(store_->Delete(99, false, kMidnight).error().code, base::Code::kNotFound);
  EXPECT_EQ(Find("word").size(), 6u);
  EXPECT_EQ(store_->Count({})->observations, 6);
  ExpectSound();
}

TEST_F(StoreTest, DeletedRowFreesItsTopicAndTextNotItsId) {
  auto note = Note("text");
  note.topic_key = "k";
  MustSave(note);
  MustSave(Note("plain"));
  EXPECT_TRUE(store_->Delete(1, false, kMidnight));
  EXPECT_TRUE(store_->Delete(2, true, kMidnight));
  EXPECT_EQ(MustSave(note).id, 3);
  EXPECT_EQ(MustSave(Note("plain")).id, 4);
  EXPECT_TRUE(store_->Delete(4, true, kMidnight));
  Reopen();
  EXPECT_EQ(MustSave(Note("more")).id, 5);
}

TEST_F(StoreTest, PatchUpdatesFieldsAndKeepsARevision) {
  MustSave(Note("old words"));
  Patch patch;
  patch.content = "new words";
  patch.tags = std::vector<std::string>{"t"};
  auto row = store_->Update(1, patch, kMidnight + 5);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->content, "new words");
  EXPECT_EQ(row->title, "note");
  EXPECT_EQ(row->revision_count, 2);
  EXPECT_EQ(row->normalized_hash, api::NormalizedHash("new words"));
  EXPECT_EQ(store_->Update(1, patch, kMidnight + 6)->revision_count, 2);  // nothing new
  EXPECT_EQ(Find("old"), Ids{});
  EXPECT_EQ(Find("new"), Ids{1});
  ExpectSound();
}

TEST_F(StoreTest, SessionStartsOnceAndKeepsItsEnd) {
  auto session = store_->StartSession("s", "p", "", kMidnight);
  EXPECT_EQ(session->started_ms, kMidnight);
  EXPECT_EQ(store_->StartSession("s", "P", "", kMidnight + 5)->started_ms, kMidnight);
  EXPECT_EQ(store_->StartSession("s", "q", "", kMidnight).error().code, base::Code::kConflict);
  EXPECT_EQ(store_->EndSession("unknown", {}, kMidnight).error().code, base::Code::kNotFound);
  EXPECT_TRUE(store_->Summaries({}, 3)->empty());
  EXPECT_TRUE(store_->EndSession("s", {"interim", 2, true}, kMidnight + 1));
  EXPECT_EQ(store_->RecentSessions({}, 5)->at(0).ended_ms, 0);
  EXPECT_EQ(store_->Summaries({}, 3)->size(), 1u);
  EXPECT_EQ(store_->EndSession("s", {"summary", 4}, kMidnight + 2)->ended_ms, kMidnight + 2);
  auto again = store_->EndSession("s", {}, kMidnight + 9);
  EXPECT_EQ(again->summary, "summary");
  EXPECT_EQ(again->message_count, 4);
  EXPECT_EQ(again->ended_ms, kMidnight + 2);
  EXPECT_EQ(store_->StartSession("s", "p", "", kMidnight + 99)->summary, "summary");
}

TEST_F(StoreTest, SessionOfAnotherProjectIsAConflict) {
  EXPECT_TRUE(store_->StartSession("s", "a", "", kMidnight));
  auto note = Note("x", "b");
  note.session_id = "s";
  EXPECT_EQ(store_->Save(note, "", kMidnight).error().code, base::Code::kConflict);
  EXPECT_EQ(store_->Count({})->projects, std::vector<std::string>{"a"});  // nothing was left behind
}

TEST_F(StoreTest, TimelineHasNeighboursOfTheSameSession) {
  for (int i = 0; i < 7; ++i) MustSave(Note("row " + std::to_string(i)), kMidnight);
  auto other = Note("elsewhere");
  other.session_id = "t";
  MustSave(other);
  auto ids = [&](size_t before, size_t after) {
    Ids found;
    auto rows = store_->Timeline(4, before, after);
    for (const auto& row : *rows) found.push_back(row.id);
    return found;
  };
  EXPECT_EQ(ids(3, 3), (Ids{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(ids(0, 1), (Ids{4, 5}));
  EXPECT_EQ(ids(1, 0), (Ids{3, 4}));
}

TEST_F(StoreTest, RestartKeepsEverything) {
  auto note = Note("zeppelin");
  note.tags = {"a", "b c"};
  note.source = {"bash", "call", "rule", "tool-output"};
  note.topic_key = "k";
  MustSave(note);
  auto before = api::EncodeObservation(*store_->Get(1));
  Reopen();
  EXPECT_EQ(api::EncodeObservation(*store_->Get(1)), before);
  EXPECT_EQ(Find("zeppelin"), Ids{1});
  ExpectSound();
}

TEST_F(StoreTest, UnknownOriginIsUser) {
  auto note = Note("x");
  note.source.origin = "root";
  MustSave(note);
  EXPECT_EQ(store_->Get(1)->source.origin, "user");
}

TEST_F(StoreTest, ExportIsASnapshotAndTwoRunAtATime) {
  MustSave(Note("first"));
  auto cursor = store_->OpenExport({});
  auto other = store_->OpenExport({});
  ASSERT_TRUE(cursor && other);
  EXPECT_EQ(store_->OpenExport({}).error().code, base::Code::kUnavailable);
  Ids seen;
  EXPECT_TRUE((*cursor)->WalkSessions([&](const api::Session&) -> base::Status {
    MustSave(Note("written meanwhile"));
    return {};
  }));
  EXPECT_TRUE((*cursor)->WalkObservations(false, [&](const ExportedRow& exported) -> base::Status {
    seen.push_back(exported.row.id);
    return {};
  }));
  EXPECT_EQ(seen, Ids{1});
  *cursor = nullptr;
  EXPECT_TRUE(store_->OpenExport({}));
}

}  // namespace
}  // namespace memory
