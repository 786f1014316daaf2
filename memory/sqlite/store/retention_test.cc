// Retention of a store: rows are hidden when they expire, removed later, and kept while used.
#include <thread>

#include "memory/sqlite/store/retention_fixture.h"

namespace memory {
namespace {

TEST_F(RetentionTest, ExpiredRowIsHiddenOnEveryPathAtOnce) {
  SetRules("p", R"([{"ttl": "1h"}, {"type": "decision"}])");
  Save("fleeting words");
  Save("lasting words", "decision");
  Save("fleeting elsewhere", "discovery", "q");
  clock_.Advance(kHour - 1);
  EXPECT_EQ(Listed().size(), 3u);
  EXPECT_EQ(Exported().size(), 3u);
  EXPECT_EQ(store_->Count({})->observations, 3);
  EXPECT_TRUE(store_->Get(1)) << "reading does not make it last longer";
  clock_.Advance(1);
  EXPECT_EQ(Listed(), (Ids{3, 2}));
  EXPECT_EQ(Find("fleeting"), Ids{3});
  EXPECT_EQ(Exported(), (Ids{2, 3}));
  EXPECT_EQ(store_->Get(1).error().code, base::Code::kNotFound);
  EXPECT_EQ(store_->Revisions(1).error().code, base::Code::kNotFound);
  EXPECT_EQ(store_->Timeline(1, 3, 3).error().code, base::Code::kNotFound);
  EXPECT_EQ(store_->Timeline(2, 3, 3)->size(), 1u);
  EXPECT_EQ(store_->Update(1, {}, clock_.NowMs()).error().code, base::Code::kNotFound);
  EXPECT_EQ(store_->Count({})->observations, 2);
  EXPECT_EQ(store_->Count("p")->observations, 1);
  EXPECT_EQ(store_->Recall(In("p"), "fleeting words")->rows.size(), 1u);
  Filter then = In("p");
  then.as_of_ms = kMidnight + 1;
  EXPECT_EQ(store_->Recall(then, "fleeting words")->rows.size(), 1u) << "then is no way around it";
  EXPECT_TRUE(store_->Delete(1, false, clock_.NowMs()));
  ExpectSound();
}

TEST_F(RetentionTest, ResidentIndexHidesExpiredRowsAtOnce) {
  options_.index_at_once = true;
  Start();
  SetRules("p", R"([{"ttl": "1h"}])");
  api::NewObservation note = Note("resident words");
  note.topic_key = "deploy/zebra";
  MustSave(note, clock_.NowMs());
  for (int i = 0; i < 30; ++i) Save("resident words number " + std::to_string(i));
  clock_.Advance(kHour - 1);
  EXPECT_EQ(Find("resident", In("p")).size(), 10u);
  EXPECT_EQ(Find("deploy/zebra", In("p")), Ids{1});
  EXPECT_GT(store_->Indexes().served, 0);
  clock_.Advance(1);
  const int64_t late = Save("resident words at last");
  EXPECT_EQ(Find("resident", In("p")), Ids{late});
  EXPECT_TRUE(Find("deploy/zebra", In("p")).empty());
  MustSweep();
  EXPECT_EQ(Find("resident", In("p")), Ids{late});
}

TEST_F(RetentionTest, ExpiredRowsFillNoPlaceInResults) {
  SetRules("p", R"([{"ttl": "1h"}, {"type": "decision"}])");
  for (int i = 0; i < 60; ++i) Save("common word " + std::to_string(i));
  const int64_t stays =
      Save("common word among much other text that ranks it far below the others", "decision");
  clock_.Advance(kHour);
  EXPECT_EQ(Find("common word", In("p")), Ids{stays});
}

TEST_F(RetentionTest, SweepHidesExpiredRowsAndPurgesThemLater) {
  SetRules("p", R"([{"ttl": "1h"}])");
  for (int i = 0; i < 250; ++i) Save("row " + std::to_string(i));
  Save("stays", "discovery", "q");
  clock_.Advance(kHour);
  EXPECT_EQ(MustSweep().lapsed, 250);
  EXPECT_EQ(InFile("SELECT live_rows FROM ranges WHERE number = 1"), 0);
  EXPECT_EQ(InFile("SELECT count(*) FROM observations"), 251);
  clock_.Advance(2 * kDay - 1);
  EXPECT_EQ(MustSweep().purged, 0);
  clock_.Advance(1);
  EXPECT_EQ(MustSweep().purged, 250);
  EXPECT_EQ(InFile("SELECT count(*) FROM observations"), 1);
  EXPECT_EQ(InFile("SELECT count(*) FROM retired"), 0);
  EXPECT_TRUE(store_->Delete(1, false, clock_.NowMs())) << "an id that was";
  EXPECT_EQ(Listed(), Ids{251});
  ExpectSound();
}

TEST_F(RetentionTest, LongerTtlRestoresUnpurgedRows) {
  SetRules("p", R"([{"ttl": "1h"}])");
  Save("a mistake hides it");
  Save("deleted by somebody");
  clock_.Advance(kHour);
  EXPECT_EQ(MustSweep().lapsed, 2);
  EXPECT_TRUE(store_->Delete(2, false, clock_.NowMs()));
  EXPECT_EQ(MustSweep().restored, 0);
  SetRules("p", R"([{"ttl": "100h"}])");
  EXPECT_EQ(MustSweep().restored, 1);
  EXPECT_EQ(Find("mistake"), Ids{1});
  EXPECT_TRUE(Find("deleted").empty());
  SetRules("p", "[]");
  clock_.Advance(300 * kDay);
  EXPECT_EQ(MustSweep().lapsed, 0);
  EXPECT_EQ(Listed(), Ids{1});
  ExpectSound();
}

TEST_F(RetentionTest, CapEvictsLeastRecentlyUsedAndSparesUsedRows) {
  for (int i = 1; i <= 6; ++i) {
    Save("row number " + std::to_string(i));
    clock_.Advance(kMinute);
  }
  Save("another type", "decision");
  EXPECT_TRUE(store_->Get(1));
  SetRules("p", R"([{"maxRows": 3}, {"type": "decision", "maxRows": 5}])");
  EXPECT_EQ(MustSweep().capped, 3);
  EXPECT_EQ(Listed(), (Ids{7, 6, 5, 1}));
  EXPECT_EQ(MustSweep().capped, 0);
  EXPECT_EQ(Find("number").size(), 3u);
  SetRules("p", R"([{"maxRows": 1}])");
  EXPECT_TRUE(store_->Get(7));
  Swept swept = MustSweep();
  EXPECT_EQ(swept.capped, 0) << "all were used within a day";
  EXPECT_EQ(swept.cap_exempt, 3);
  clock_.Advance(kDay);
  EXPECT_EQ(MustSweep().capped, 0) << "to the millisecond";
  clock_.Advance(1);
  EXPECT_EQ(MustSweep().capped, 3);
  EXPECT_EQ(Listed(), Ids{7}) << "used last of all";
  ExpectSound();
}

TEST_F(RetentionTest, CapsCountPerScopeAndProject) {
  for (int i = 0; i < 4; ++i) {
    for (const char* project : {"p", "q"}) {
      for (const char* scope : {"project", "global"}) {
        api::NewObservation note = Note(std::string(scope) + std::to_string(i), project);
        note.scope = scope;
        MustSave(note, clock_.NowMs());
      }
    }
    clock_.Advance(kMinute);
  }
  SetRules("p", R"([{"scope": "global", "maxRows": 1}, {"scope": "project", "maxRows": 3}])");
  EXPECT_EQ(MustSweep().capped, 4);
  Filter filter;
  auto counted = [&](const char* project, const char* scope) {
    filter.project = project;
    filter.scope = scope;
    return store_->Recent(filter)->size();
  };
  EXPECT_EQ(counted("p", "global"), 1u);
  EXPECT_EQ(counted("p", "project"), 3u);
  EXPECT_EQ(counted("q", "global"), 4u);
  EXPECT_EQ(counted("q", "project"), 4u);
}

TEST_F(RetentionTest, UseSurvivesARestartAndAsOfQueriesAreNoUse) {
  for (int i = 1; i <= 3; ++i) Save("row number " + std::to_string(i));
  EXPECT_TRUE(store_->Get(1));
  Filter then;
  then.as_of_ms = clock_.NowMs();
  EXPECT_EQ(store_->Search(then, "row number 2", false)->rows.size(), 3u);
  Start();
  SetRules("p", R"([{"maxRows": 1}])");
  EXPECT_EQ(MustSweep().capped, 2);
  EXPECT_EQ(Listed(), Ids{1});
}

TEST_F(RetentionTest, UsedRowIsPurgedOnlyAfterItsProtection) {
  options_.deleted_ms = 0;
  Start();
  SetRules("p", R"([{"ttl": "1h"}])");
  Save("read before its end");
  Save("nobody asks");
  Save("read, then deleted");
  clock_.Advance(kHour - 1);
  EXPECT_TRUE(store_->Get(1));
  EXPECT_TRUE(store_->Get(3));
  EXPECT_TRUE(store_->Delete(3, false, clock_.NowMs()));
  clock_.Advance(1);
  MustSweep();
  clock_.Advance(kDay - 1);
  MustSweep();
  EXPECT_EQ(InFile("SELECT group_concat(id) = '1' FROM observations"), 1);
  clock_.Advance(kHour);
  MustSweep();
  EXPECT_EQ(InFile("SELECT count(*) FROM observations"), 0);
}

TEST_F(RetentionTest, RulesSurviveARestartAndEmptyListRestoresDefaults) {
  options_.retention = {{"*", "project", kHour, 0}};
  Start();
  EXPECT_EQ((*store_->Retention("p"))[0].ttl_ms, kHour);
  SetRules("P", R"([{"ttl": "2h"}])");
  Start();
  EXPECT_EQ((*store_->Retention("p"))[0].ttl_ms, 2 * kHour);
  EXPECT_EQ((*store_->Retention("unknown"))[0].ttl_ms, kHour);
  SetRules("p", "[]");
  EXPECT_EQ((*store_->Retention("p"))[0].ttl_ms, kHour);
  SetRules("never seen", "[]");
  EXPECT_EQ(InFile("SELECT count(*) FROM projects"), 1);
}

TEST_F(RetentionTest, TopicOfAnExpiredRowIsFreeAtOnce) {
  SetRules("p", R"([{"ttl": "1h"}])");
  EXPECT_EQ(SaveTopic("k", "old").action, "created");
  clock_.Advance(kHour);
  const Saved again = SaveTopic("k", "new");
  EXPECT_EQ(again.action, "created");
  EXPECT_EQ(again.revision_count, 1);
  EXPECT_EQ(Listed(), Ids{again.id});
  clock_.Advance(kHour);
  MustSweep();
  EXPECT_EQ(SaveTopic("k", "third").action, "created");
  EXPECT_EQ(Listed().size(), 1u);
  ExpectSound();
}

TEST_F(RetentionTest, ExpiredRowIsNoDuplicate) {
  options_.dedup_window_ms = kDay;
  Start();
  SetRules("p", R"([{"ttl": "1h"}])");
  const int64_t first = Save("said again");
  clock_.Advance(kHour - 1);
  EXPECT_EQ(Save("said again"), first);
  clock_.Advance(kHour - 1);
  EXPECT_EQ(Listed(), Ids{first}) << "saying it again is like writing it";
  clock_.Advance(1);
  const int64_t second = Save("said again");
  EXPECT_NE(second, first);
  EXPECT_EQ(Listed(), Ids{second});
}

TEST_F(RetentionTest, ImportReusesExpiredTopicAndSkipsTheSameRow) {
  SetRules("p", R"([{"ttl": "1h"}])");
  SaveTopic("k", "over soon");
  api::Observation over = *store_->Get(1);
  clock_.Advance(kHour);
  EXPECT_EQ((*store_->Import({ExportedRow{over, {}}}, {}))[0]->outcome, Imported::kSkipped);
  api::Observation other = over;
  other.id = 50;
  other.content = "another text";
  other.normalized_hash = api::NormalizedHash(other.content);
  other.created_ms = other.updated_ms = other.last_seen_ms = clock_.NowMs();
  auto imported = store_->Import({ExportedRow{other, {}}}, {});
  ASSERT_TRUE((*imported)[0]) << (*imported)[0].error().message;
  EXPECT_EQ((*imported)[0]->outcome, Imported::kNew);
  EXPECT_EQ(Listed(), Ids{50});
  ExpectSound();
}

TEST_F(RetentionTest, ExpiredRevisionsAreHiddenAndPurgedLater) {
  SaveTopic("k", "first");
  clock_.Advance(kHour);
  SaveTopic("k", "second");
  clock_.Advance(kHour);
  SaveTopic("k", "third");
  EXPECT_EQ(store_->Revisions(1)->size(), 3u);
  SetRules("p", R"([{"ttl": "1h"}])");
  clock_.Advance(kHour - 1);
  EXPECT_EQ(store_->Revisions(1)->size(), 2u);
  EXPECT_EQ(SaveTopic("k", "fourth").revision_count, 4) << "the row itself lives";
  Filter then;
  then.as_of_ms = kMidnight + 1;
  EXPECT_TRUE(store_->Search(then, "first", false)->rows.empty());
  EXPECT_EQ(MustSweep().revisions, 0);
  SetRules("p", R"([{"ttl": "1000h"}])");
  EXPECT_EQ(store_->Revisions(1)->size(), 4u);
  SetRules("p", R"([{"ttl": "1h"}])");
  for (int i = 0; i < 58; ++i) {
    clock_.Advance(50 * kMinute);
    SaveTopic("k", "text " + std::to_string(i));
  }
  EXPECT_EQ(MustSweep().revisions, 2) << "those that are over for two days";
  EXPECT_EQ(InFile("SELECT count(*) FROM revisions"), 59);
}

TEST_F(RetentionTest, IdempotencyKeysExpireAfterSevenDays) {
  MustSave(Note("first"), clock_.NowMs(), "key");
  EXPECT_EQ(MustSweep().keys, 0);
  clock_.Advance(7 * kDay + 1);
  EXPECT_EQ(MustSweep().keys, 1);
}

TEST_F(RetentionTest, CopyContainsNoExpiredRow) {
  SetRules("p", R"([{"ttl": "1h"}])");
  SetRules("q", R"([{"ttl": "5h"}])");
  Save("overandgone");
  clock_.Advance(kHour);
  Save("present");
  auto spool = store_->Copy({});
  ASSERT_TRUE(spool) << spool.error().message;
  auto rows = OpenForeign(spool->path());
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(Walked(**rows), Ids{2});
  EXPECT_TRUE(store_->Copy("q"));
}

TEST_F(RetentionTest, NeitherAgeNorACapTakesAPinnedRow) {
  SetRules("p", R"([{"ttl": "48h", "maxRows": 2}])");
  const int64_t pinned = Save("the oldest row");
  Patch pin;
  pin.pinned = true;
  ASSERT_TRUE(store_->Update(pinned, pin, clock_.NowMs()));
  for (int i = 0; i < 4; ++i) {
    clock_.Advance(1000);
    Save("row " + std::to_string(i));
  }
  clock_.Advance(kDay + kHour);
  MustSweep();
  EXPECT_EQ(Listed(), (Ids{5, pinned})) << "the cap takes the others, and counts it";
  clock_.Advance(100 * kDay);
  MustSweep();
  EXPECT_EQ(Listed(), Ids{pinned});
  EXPECT_EQ(store_->Recall(In("p"), "oldest")->rows.size(), 1u);
  pin.pinned = false;
  ASSERT_TRUE(store_->Update(pinned, pin, clock_.NowMs()));
  clock_.Advance(3 * kDay);
  MustSweep();
  EXPECT_EQ(Listed(), Ids{});
  ExpectSound();
}

TEST_F(RetentionTest, StoppedSweepEndsAndTheNextContinues) {
  SetRules("p", R"([{"ttl": "1h"}])");
  for (int i = 0; i < 150; ++i) Save("row " + std::to_string(i));
  clock_.Advance(kHour);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(store_->Sweep(stop.get_token())->lapsed, 0);
  EXPECT_EQ(MustSweep().lapsed, 150);
}

TEST_F(RetentionTest, WriteDuringASweepIsNeverHidden) {
  SetRules("p", R"([{"maxRows": 1}])");
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 10; ++i) {
      clock_.Advance(1);
      SaveTopic("k" + std::to_string(i), "round " + std::to_string(round));
    }
    std::thread sweeping([&] { MustSweep(); });
    clock_.Advance(1);
    const Saved saved = SaveTopic("k" + std::to_string(round % 10), "written meanwhile");
    sweeping.join();
    auto row = store_->Get(saved.id);
    ASSERT_TRUE(row) << "round " << round;
    EXPECT_EQ(row->content, "written meanwhile");
    clock_.Advance(2 * kDay);
  }
}

}  // namespace
}  // namespace memory
