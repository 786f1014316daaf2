// What a round of retention does, on each engine of the seam.
#include "memory/keeping/sweeping.h"

#include <gtest/gtest.h>

#include <random>

#include "memory/keeping/deletions.h"
#include "memory/keeping/sweeping_fixture.h"

namespace memory {
namespace {

RetentionRule Ttl(int64_t ttl_ms, const char* type = "*", const char* scope = "project") {
  return {type, scope, ttl_ms, 0};
}
RetentionRule Cap(int64_t max_rows, const char* type = "*", const char* scope = "project") {
  return {type, scope, 0, max_rows};
}

class SweepingTest : public ::testing::TestWithParam<RowEngine> {
 protected:
  void Save(int count, const std::string& type = "discovery") {
    for (int i = 0; i < count; ++i) kept_.Save("row " + std::to_string(i), type);
  }
  // Does it between a scan of the next round and the write that follows it.
  void AfterTheScan(const std::function<void()>& happens) {
    kept_.host().writes = 0;
    kept_.host().before_write = [this, happens] {
      if (kept_.host().writes == 3) happens();  // two find nothing to remove
    };
  }
  std::string States(int64_t first, int64_t last) {
    std::string states;
    for (int64_t id = first; id <= last; ++id) states += kept_.StateOf(id)[0];
    return states;
  }
  SweptRows kept_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Engines, SweepingTest, kRowEngines, kNameOfRowEngine);

TEST_P(SweepingTest, ExpiredRowIsHiddenAndRemovedTwoDaysLater) {
  kept_.SetRules(1, {Ttl(kHourMs)});
  const int64_t id = kept_.Save("text");
  kept_.clock.Advance(kHourMs - 1);
  EXPECT_EQ(kept_.MustSweep().lapsed, 0);
  kept_.clock.Advance(1);
  EXPECT_EQ(kept_.MustSweep().lapsed, 1);
  EXPECT_EQ(kept_.StateOf(id), "hidden");
  EXPECT_FALSE(*kept_.rows().IsHiddenByClient(kept_.RowOf(id)));
  kept_.clock.Advance(kDeletedMs - 1);
  EXPECT_EQ(kept_.MustSweep().purged, 0);
  kept_.clock.Advance(1);
  EXPECT_EQ(kept_.MustSweep().purged, 1);
  EXPECT_EQ(kept_.StateOf(id), "removed");
}

TEST_P(SweepingTest, RowWrittenSinceTheScanStays) {
  kept_.SetRules(1, {Ttl(kHourMs)});
  const int64_t id = kept_.Save("text");
  kept_.clock.Advance(kHourMs);
  AfterTheScan(
      [&] { ASSERT_TRUE(kept_.rows().CountDuplicate(kept_.RowOf(id), kept_.clock.NowMs())); });
  EXPECT_EQ(kept_.MustSweep().lapsed, 0);
  EXPECT_EQ(kept_.StateOf(id), "live");
}

TEST_P(SweepingTest, RowDeletedSinceTheScanIsAClients) {
  kept_.SetRules(1, {Ttl(kHourMs)});
  const int64_t id = kept_.Save("text");
  kept_.clock.Advance(kHourMs);
  AfterTheScan([&] { kept_.HideByClient(id); });
  EXPECT_EQ(kept_.MustSweep().lapsed, 0);
  EXPECT_TRUE(*kept_.rows().IsHiddenByClient(kept_.RowOf(id)));
}

TEST_P(SweepingTest, WritesTakeAHundredRowsAtMost) {
  kept_.SetRules(1, {Ttl(kHourMs)});
  Save(250);
  kept_.clock.Advance(kHourMs);
  EXPECT_EQ(kept_.MustSweep().lapsed, 250);
  EXPECT_EQ(kept_.host().writes, 5) << "two find nothing to remove, three hide";
  kept_.SetRules(1, {});
  kept_.host().writes = 0;
  EXPECT_EQ(kept_.MustSweep().restored, 250);
  EXPECT_EQ(kept_.host().writes, 5);
  Save(250);
  for (int64_t id = 1; id <= 250; ++id) kept_.HideByClient(id);
  kept_.clock.Advance(kDeletedMs);
  kept_.host().writes = 0;
  EXPECT_EQ(kept_.MustSweep().purged, 250);
  EXPECT_EQ(kept_.host().writes, 5) << "three remove, one each finds nothing more";
}

TEST_P(SweepingTest, StoppedRoundEndsAfterItsWriteAndTheNextContinues) {
  kept_.SetRules(1, {Ttl(kHourMs)});
  Save(250);
  kept_.clock.Advance(kHourMs);
  std::stop_source stop;
  kept_.host().before_write = [&] {
    if (kept_.host().writes == 3) stop.request_stop();
  };
  EXPECT_EQ(kept_.MustSweep(stop.get_token()).lapsed, 100);
  EXPECT_EQ(kept_.MustSweep().lapsed, 150);
  kept_.SetRules(1, {});
  kept_.host().writes = 0;
  stop = {};
  EXPECT_EQ(kept_.MustSweep(stop.get_token()).restored, 100);
  EXPECT_EQ(kept_.MustSweep().restored, 150) << "the rules are not looked at as old";
}

TEST_P(SweepingTest, HiddenRowComesBackOnlyAfterNewRulesOrAClockSetBack) {
  kept_.SetRules(1, {Ttl(kHourMs)});
  const int64_t id = kept_.Save("text");
  kept_.clock.Advance(kHourMs);
  EXPECT_EQ(kept_.MustSweep().lapsed, 1);
  kept_.SetRules(1, {Ttl(kHourMs)});
  EXPECT_EQ(kept_.MustSweep().restored, 0) << "it is still expired";
  kept_.SetRules(1, {Ttl(2 * kHourMs)});
  EXPECT_EQ(kept_.MustSweep().restored, 1);
  EXPECT_EQ(kept_.StateOf(id), "live");
  kept_.clock.Advance(kHourMs);
  EXPECT_EQ(kept_.MustSweep().lapsed, 1);
  kept_.clock.Jump(-1);
  EXPECT_EQ(kept_.MustSweep().restored, 1) << "the clock was ahead";
}

TEST_P(SweepingTest, RowThatAClientDeletedOrWhoseTopicIsTakenStaysHidden) {
  kept_.SetRules(1, {Ttl(kHourMs)});
  const int64_t deleted = kept_.Save("one"), old = kept_.Save("two", "discovery", "t");
  kept_.clock.Advance(kHourMs);
  EXPECT_EQ(kept_.MustSweep().lapsed, 2);
  const int64_t other = kept_.Save("three", "discovery", "t");
  EXPECT_NE(other, old);
  kept_.SetRules(1, {});
  AfterTheScan([&] { kept_.HideByClient(deleted); });
  EXPECT_EQ(kept_.MustSweep().restored, 0);
  EXPECT_EQ(States(1, 3), "hhl");
}

TEST_P(SweepingTest, LimitHidesTheLeastRecentlyUsedRowsButNoUsedOne) {
  for (int i = 0; i < 5; ++i) {
    kept_.Save("row " + std::to_string(i));
    kept_.clock.Advance(kMinute);
  }
  kept_.Use(2);
  kept_.SetRules(1, {Cap(2)});
  Swept swept = kept_.MustSweep();
  EXPECT_EQ(swept.capped, 3);
  EXPECT_EQ(swept.cap_exempt, 0);
  EXPECT_EQ(States(1, 5), "hlhhl");
  kept_.Use(5);
  kept_.SetRules(1, {Cap(1)});
  swept = kept_.MustSweep();
  EXPECT_EQ(swept.capped, 0);
  EXPECT_EQ(swept.cap_exempt, 1) << "all were used within a day";
  kept_.clock.Advance(kKeepUsedMs);
  EXPECT_EQ(kept_.MustSweep().cap_exempt, 1) << "to the millisecond";
  kept_.clock.Advance(1);
  EXPECT_EQ(kept_.MustSweep().capped, 1);
}

TEST_P(SweepingTest, LimitCountsRowsOfItsRuleAlone) {
  for (int i = 0; i < 3; ++i) {
    for (const char* type : {"discovery", "decision", "tool"})
      kept_.Save(type + std::to_string(i), type);
    kept_.Save("global " + std::to_string(i), "discovery", "", "p", "global");
    kept_.Save("elsewhere " + std::to_string(i), "discovery", "", "q");
    kept_.clock.Advance(kMinute);
  }
  kept_.SetRules(1, {Cap(4), Cap(1, "decision"), Cap(2, "*", "global")});
  EXPECT_EQ(kept_.MustSweep().capped, 2 + 2 + 1);
  EXPECT_EQ(States(1, 15),
            "hhhhl"
            "lhlll"
            "lllll");
}

TEST_P(SweepingTest, RowUsedSinceTheScanIsKeptByTheLimit) {
  Save(3);
  kept_.clock.Advance(2 * kDay);
  kept_.SetRules(1, {Cap(1)});
  AfterTheScan([&] {
    kept_.UseJustNow(1);
    kept_.Use(2);
  });
  const Swept swept = kept_.MustSweep();
  EXPECT_EQ(swept.capped, 0);
  EXPECT_EQ(States(1, 3), "lll");
}

TEST_P(SweepingTest, NoLimitHidesRowsWhileUsesCannotBeStored) {
  Save(3);
  kept_.SetRules(1, {Cap(1), Ttl(kHourMs, "tool")});
  kept_.Save("text", "tool");
  kept_.clock.Advance(kHourMs);
  kept_.uses_kept = false;
  Swept swept = kept_.MustSweep();
  EXPECT_EQ(swept.capped, 0);
  EXPECT_EQ(swept.lapsed, 1) << "the rest of the round goes on";
  kept_.uses_kept = true;
  EXPECT_EQ(kept_.MustSweep().capped, 2);
}

TEST_P(SweepingTest, UsedRowIsRemovedOnlyAfterItsProtectionUnlessAClientDeletedIt) {
  kept_.SetRules(1, {Ttl(kHourMs)});
  Save(3);
  kept_.clock.Advance(kHourMs);
  EXPECT_EQ(kept_.MustSweep().lapsed, 3);
  kept_.HideByClient(3);
  kept_.clock.Advance(kDeletedMs - kDay + 1);
  kept_.Use(1);
  kept_.Use(3);
  kept_.clock.Advance(kDay - 1);
  EXPECT_EQ(kept_.MustSweep().purged, 2);
  EXPECT_EQ(States(1, 3), "hrr");
  kept_.clock.Advance(2);
  EXPECT_EQ(kept_.MustSweep().purged, 1);
}

TEST_P(SweepingTest, RemovedRowHasAnEntryOfItsDeletionUnlessRetentionHidIt) {
  const int64_t deleted = kept_.Save("deleted");
  const int64_t over = kept_.Save("over", "tool");
  const api::Observation of_client = *kept_.rows().Read(kept_.RowOf(deleted));
  const api::Observation of_round = *kept_.rows().Read(kept_.RowOf(over));
  kept_.HideByClient(deleted);
  kept_.ForgetDeletions();  // as an earlier version, which kept no log
  kept_.SetRules(1, {Ttl(kHourMs, "tool")});
  kept_.clock.Advance(kHourMs);
  EXPECT_EQ(kept_.MustSweep().lapsed, 1);
  kept_.clock.Advance(kDeletedMs);
  EXPECT_EQ(kept_.MustSweep().purged, 2);
  const auto unwanted = [&](const api::Observation& row) {
    return *WasDeleted(kept_.rows().deletions(), kSalt, DigestsOf(kSalt, row), {}, {});
  };
  EXPECT_TRUE(unwanted(of_client));
  EXPECT_FALSE(unwanted(of_round));
}

TEST_P(SweepingTest, RowWithManyEdgesIsRemovedInSeveralWrites) {
  if (GetParam() != RowEngine::kFake) return;  // merged_edges_test.cc has a file's
  Save(3);
  for (int64_t id = 1; id <= 3; ++id) kept_.HideByClient(id);
  kept_.fake_sweep().steps_of_edges[kept_.RowOf(2)] = 2;
  kept_.clock.Advance(kDeletedMs);
  kept_.MustSweep();
  EXPECT_EQ(States(1, 3), "rrr");
  EXPECT_EQ(kept_.host().writes, 5) << "the first row; some edges; both others; and two at an end";
}

TEST_P(SweepingTest, RevisionsGoTwoDaysAfterTheyExpired) {
  kept_.Save("first", "discovery", "t");
  kept_.clock.Advance(kHourMs);
  kept_.Save("second", "discovery", "t");
  kept_.SetRules(1, {Ttl(kHourMs)});
  const auto keep_alive = [&](int64_t ms) {
    kept_.clock.Advance(ms);
    ASSERT_TRUE(kept_.rows().CountDuplicate(kept_.RowOf(1), kept_.clock.NowMs()));
  };
  keep_alive(kHourMs + kDeletedMs - 1);
  EXPECT_EQ(kept_.MustSweep().revisions, 0);
  keep_alive(1);
  EXPECT_EQ(kept_.MustSweep().revisions, 1);
  EXPECT_EQ(kept_.MustSweep().revisions, 0);
  EXPECT_EQ(kept_.StateOf(1), "live");
}

TEST_P(SweepingTest, KeysAreForgottenAfterAWeekInSeveralWrites) {
  kept_.AddKeys(501);
  kept_.clock.Advance(kKeyMs);
  EXPECT_EQ(kept_.MustSweep().keys, 0);
  kept_.clock.Advance(1);
  kept_.host().writes = 0;
  EXPECT_EQ(kept_.MustSweep().keys, 501);
  EXPECT_EQ(kept_.host().writes, 4) << "one finds no row, three are for keys";
}

// The fake answers as the file does, so that tests of meaning may run on it alone.
TEST(SweepingModel, BothEnginesAnswerAlike) {
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto below = [&](int64_t limit) {
    return static_cast<int64_t>(random() % static_cast<unsigned>(limit));
  };
  const auto one_of = [&](std::vector<std::string> of) { return of[random() % of.size()]; };
  SweptRows fake(RowEngine::kFake), file(RowEngine::kSqlite);
  int64_t saved = 0, total = 0;
  const auto told = [&](SweptRows& kept) {
    const Swept swept = kept.MustSweep();
    total += swept.lapsed + swept.capped + swept.restored + swept.purged;
    std::string text;
    for (const int64_t count : {swept.lapsed, swept.capped, swept.restored, swept.purged,
                                swept.revisions, swept.keys, swept.cap_exempt})
      text += std::to_string(count) + " ";
    for (int64_t id = 1; id <= saved; ++id) text += kept.StateOf(id)[0];
    return text;
  };
  for (int step = 0; step < 600; ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    const int64_t later_ms = below(kHourMs), id = 1 + below(saved + 1);
    for (SweptRows* kept : {&fake, &file}) kept->clock.Advance(later_ms);
    const std::string of_fake = told(fake);
    ASSERT_EQ(of_fake, told(file));
    const bool stored = fake.StateOf(id) == "live" || fake.StateOf(id) == "hidden";
    const int64_t call = below(8);
    const int64_t of_project = 1 + below(2);
    RetentionRules rules;
    for (const char* scope : {"project", "global"}) {
      for (const char* type : {"*", "decision"}) {
        if (below(2) == 0) rules.push_back({type, scope, below(4) * 5 * kHourMs, below(4) * 3});
      }
    }
    const std::string content = one_of({"one", "two", "three"}) + std::to_string(below(20));
    const std::string type = one_of({"discovery", "decision"}), topic = one_of({"", "", "a", "b"});
    const std::string project = one_of({"p", "q"}),
                      scope = one_of({"project", "project", "global"});
    std::vector<int64_t> ids, shown;
    for (SweptRows* kept : {&fake, &file}) {
      if (call == 0) kept->SetRules(of_project, rules);
      if (call == 1 && stored) kept->HideByClient(id);
      if (call == 2 && stored)
        shown.push_back(ShowObservation(kept->rows(), id, kSalt, kept->clock.NowMs()).has_value());
      if (call == 3 && stored) kept->Use(id);
      if (call > 3) ids.push_back(kept->Save(content, type, topic, project, scope));
    }
    if (!shown.empty()) {
      ASSERT_EQ(shown[0], shown[1]);
    }
    if (ids.empty()) continue;
    ASSERT_EQ(ids[0], ids[1]);
    saved = std::max(saved, ids[0]);
  }
  EXPECT_GT(total, 100) << "the rounds had work";
}

}  // namespace
}  // namespace memory
