// What hiding, showing and the log of deletions mean, on each engine of the seam.
#include "memory/keeping/hiding.h"

#include <gtest/gtest.h>

#include <random>

#include "memory/keeping/deletions.h"
#include "memory/keeping/observations_fixture.h"

namespace memory {
namespace {

class HidingTest : public ObservationsTest {
 protected:
  int64_t Save(const std::string& content, const std::string& topic = "",
               int64_t now_ms = kMidnight) {
    return MustSave(By("rule", content, topic), now_ms).id;
  }
  void MustHide(int64_t id) {
    const auto hidden = HideObservation(rows(), id, kSalt, kMidnight);
    EXPECT_TRUE(hidden) << hidden.error().message;
  }
  base::Result<api::Observation> Show(int64_t id) {
    return ShowObservation(rows(), id, kSalt, kMidnight);
  }
  void ExpectConflict(int64_t id, const std::string& reason) {
    const auto refused = Show(id);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, base::Code::kConflict);
    EXPECT_NE(refused.error().message.find(reason), std::string::npos) << refused.error().message;
  }
  api::Observation RowOf(int64_t id) { return *rows().Read(PlaceOf(id).row); }
  bool WasDeletedAs(const DeletionDigests& digests, const Owners& owners = {}) {
    return *WasDeleted(rows().deletions(), kSalt, digests, owners, {});
  }
  bool WasDeletedAs(const api::Observation& row) { return WasDeletedAs(DigestsOf(kSalt, row)); }
  // As an import without ids and times brings it.
  bool WasTextDeleted(api::Observation row) {
    row.id = row.created_ms = 0;
    return WasDeletedAs(row);
  }
};

INSTANTIATE_TEST_SUITE_P(Engines, HidingTest,
                         ::testing::Values(RowEngine::kFake, RowEngine::kSqlite), kNameOfRowEngine);

TEST_P(HidingTest, HiddenRowIsNotLiveAndComesBackAsItWas) {
  const int64_t id = Save("text", "t");
  MustHide(id);
  EXPECT_FALSE(IsLive(id));
  const auto shown = Show(id);
  ASSERT_TRUE(shown) << shown.error().message;
  EXPECT_EQ(shown->content, "text");
  EXPECT_EQ(shown->topic_key, "t");
  EXPECT_TRUE(IsLive(id));
}

TEST_P(HidingTest, ShowingALiveRowChangesNothing) {
  const int64_t id = Save("text");
  EXPECT_EQ(Show(id)->content, "text");
  EXPECT_TRUE(IsLive(id));
}

TEST_P(HidingTest, HidingAgainOrARemovedRowChangesNothing) {
  const int64_t id = Save("text");
  MustHide(id);
  MustHide(id);
  EXPECT_TRUE(Show(id)) << "one undo is enough";
  MustHide(id);
  Remove(id);
  MustHide(id);
}

TEST_P(HidingTest, UnknownRowIsNotFound) {
  const auto refused = HideObservation(rows(), 7, kSalt, kMidnight);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::Code::kNotFound);
  EXPECT_EQ(refused.error().message, "there is no observation 7");
  EXPECT_EQ(Show(7).error().code, base::Code::kNotFound);
}

TEST_P(HidingTest, RemovedRowCannotBeShown) {
  const int64_t id = Save("text");
  Remove(id);
  EXPECT_EQ(Show(id).error().code, base::Code::kNotFound);
}

TEST_P(HidingTest, RowThatRetentionHidIsNoClients) {
  const int64_t id = Save("text");
  Retire(id);
  ExpectConflict(id, "hidden by retention or by a merge");
  EXPECT_FALSE(IsLive(id));
  MustHide(id);
  EXPECT_TRUE(Show(id)) << "a client deleted it since";
}

TEST_P(HidingTest, RowWhoseTopicAnotherHasStaysHidden) {
  const int64_t id = Save("text", "t");
  MustHide(id);
  const int64_t other = Save("other", "t");
  EXPECT_NE(other, id) << "a hidden row has no topic";
  ExpectConflict(id, "another observation has the topic_key \"t\" now");
  EXPECT_FALSE(IsLive(id));
  EXPECT_TRUE(WasDeletedAs(RowOf(id))) << "it is still deleted for an import";
  MustHide(other);
  EXPECT_TRUE(Show(id));
}

TEST_P(HidingTest, HiddenRowIsDeletedForAnImportUntilItIsShown) {
  const int64_t id = Save("text");
  const api::Observation row = RowOf(id);
  EXPECT_FALSE(WasDeletedAs(row));
  MustHide(id);
  EXPECT_TRUE(WasDeletedAs(row));
  EXPECT_TRUE(WasTextDeleted(row));
  ASSERT_TRUE(Show(id));
  EXPECT_FALSE(WasDeletedAs(row));
  EXPECT_FALSE(WasTextDeleted(row));
}

TEST_P(HidingTest, RowOfAnotherTimeOrTextWasNotDeleted) {
  const int64_t id = Save("text");
  api::Observation later = RowOf(id), other = later;
  MustHide(id);
  later.created_ms += 1;
  EXPECT_FALSE(WasDeletedAs(later));
  other.id = 0;
  other.normalized_hash = api::NormalizedHash("other");
  EXPECT_FALSE(WasDeletedAs(other));
}

TEST_P(HidingTest, TextWrittenAgainIsWantedAgain) {
  const int64_t id = Save("text");
  const api::Observation row = RowOf(id);
  MustHide(id);
  const int64_t again = Save("text", "", kMidnight + kDay);
  EXPECT_NE(again, id);
  EXPECT_FALSE(WasDeletedAs(row));
  EXPECT_FALSE(WasTextDeleted(row));
  MustHide(again);
  EXPECT_TRUE(WasDeletedAs(row)) << "the newest entry decides";
  EXPECT_TRUE(WasTextDeleted(row));
}

TEST_P(HidingTest, EveryKindOfWriteButADuplicateIsNoted) {
  const int64_t id = Save("text", "t");
  const api::Observation row = RowOf(id);
  MustHide(id);
  const int64_t topic = Save("first", "t");
  EXPECT_TRUE(WasTextDeleted(row));
  EXPECT_EQ(Save("text", "t"), topic);
  EXPECT_FALSE(WasTextDeleted(row)) << "a row of its topic says it now";
}

TEST_P(HidingTest, ChangedRowIsDeletedWithItsFirstTextToo) {
  const int64_t id = Save("first", "t");
  api::Observation first = RowOf(id);
  Save("second", "t");
  Save("third", "t");
  MustHide(id);
  EXPECT_TRUE(WasTextDeleted(RowOf(id)));
  EXPECT_TRUE(WasTextDeleted(first));
  api::Observation second = first;
  second.normalized_hash = api::NormalizedHash("second");
  EXPECT_FALSE(WasTextDeleted(second)) << "an import without ids brings the first text";
  EXPECT_TRUE(WasDeletedAs(second)) << "it is known by its place";
  Save("first");
  EXPECT_FALSE(WasDeletedAs(second)) << "one of its texts was written again";
  EXPECT_FALSE(WasDeletedAs(first));
  EXPECT_TRUE(WasTextDeleted(RowOf(id))) << "the other one was not";
}

TEST_P(HidingTest, HiddenRowWithoutAnEntryWasDeletedUnlessRetentionHidIt) {
  const int64_t id = Save("text");
  const DeletionDigests digests = DigestsOf(kSalt, RowOf(id));
  MustHide(id);
  ForgetDeletions();
  const auto hidden = [&] {
    return *WasDeleted(rows().deletions(), kSalt, digests, {}, PlaceOf(id).row);
  };
  EXPECT_TRUE(hidden()) << "an earlier version kept no log";
  MustHide(id);
  Save("text", "", kMidnight + kDay);
  EXPECT_FALSE(hidden()) << "it has an entry, and was written again";
  ASSERT_TRUE(Show(id));
  Retire(id);
  EXPECT_FALSE(hidden());
}

TEST_P(HidingTest, EntriesOfOwnersCountForThemAlone) {
  Deletions& log = rows().deletions();
  const auto append = [&](int64_t place, int64_t text, std::optional<int64_t> owner) {
    ASSERT_TRUE(log.Append({place, text, 1, owner}));
  };
  append(1, 5, 100);
  append(2, 6, {});
  const auto deleted = [&](int64_t text, const Owners& owners) {
    return WasDeletedAs({{}, text, 0}, owners);
  };
  EXPECT_TRUE(deleted(5, {}));
  EXPECT_TRUE(deleted(5, {{100, 101}}));
  EXPECT_FALSE(deleted(5, {{101}}));
  EXPECT_TRUE(deleted(6, {{101}})) << "a row of the whole project";
  ASSERT_TRUE(NoteWriting(log, 5, 101));
  EXPECT_TRUE(deleted(5, {{100}})) << "another owner wrote it";
  ASSERT_TRUE(NoteWriting(log, 5, 100));
  EXPECT_FALSE(deleted(5, {{100}}));
  ASSERT_TRUE(log.Forget({{}, 6, 2}, std::vector<int64_t>{101}));
  EXPECT_TRUE(deleted(6, {})) << "of another time";
  ASSERT_TRUE(log.Forget({{}, 6, 1}, std::vector<int64_t>{101}));
  EXPECT_FALSE(deleted(6, {}));
}

TEST_P(HidingTest, OnlyAClientsDeletionRefusesAnUndo) {
  if (GetParam() != RowEngine::kFake) return;  // undone_runs_test.cc has what a file makes of it
  const int64_t id = Save("text");
  ASSERT_TRUE(HideRow(fake_, PlaceOf(id).row, kSalt, kMidnight));
  EXPECT_TRUE(fake_.no_undo.empty());
  MustHide(id);
  EXPECT_EQ(fake_.no_undo, std::set<RowId>{PlaceOf(id).row});
}

// The fake answers as the file does, so that tests of meaning may run on it alone.
TEST(HidingModel, BothEnginesAnswerAlike) {
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto one_of = [&](std::vector<std::string> of) { return of[random() % of.size()]; };
  FakeObservations fake;
  FileRows file;
  const auto both = [&](const auto& answer) {
    const std::string of_fake = answer(static_cast<Observations&>(fake));
    EXPECT_EQ(of_fake, answer(file.rows()));
    return !::testing::Test::HasFailure();
  };
  const auto message = [](const auto& result) {
    return result ? std::string("done") : result.error().message;
  };
  int64_t saved = 0;
  for (int step = 0; step < 600; ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    const int64_t now_ms = kMidnight + step * kMinute;
    const auto id = static_cast<int64_t>(1 + random() % static_cast<unsigned>(saved + 2));
    const auto place = *fake.Find(id);
    switch (random() % 6) {
      case 0:
        ASSERT_TRUE(both(
            [&](Observations& rows) { return message(HideObservation(rows, id, kSalt, now_ms)); }));
        break;
      case 1:
        ASSERT_TRUE(both([&](Observations& rows) {
          const auto shown = ShowObservation(rows, id, kSalt, now_ms);
          return message(shown) + (shown ? shown->content : "");
        }));
        break;
      case 2:
        if (place && place->live && random() % 2 == 0) {
          fake.Retire(place->row);
          file.Retire((*file.rows().Find(id))->row);
        } else if (place && random() % 4 == 0) {
          fake.Remove(place->row);
          file.Remove((*file.rows().Find(id))->row);
        }
        break;
      case 3: {
        if (!place) break;
        DeletionDigests digests = DigestsOf(kSalt, *fake.Read(place->row));
        if (random() % 2 == 0) digests.place.reset();
        if (random() % 2 == 0) digests.created_ms = 0;
        ASSERT_TRUE(both([&](Observations& rows) {
          std::optional<RowId> hidden;
          if (!place->live) hidden = (*rows.Find(id))->row;
          const auto was = WasDeleted(rows.deletions(), kSalt, digests, {}, hidden);
          return std::to_string(was ? *was : -1);
        }));
        break;
      }
      default: {
        api::NewObservation made = Note(one_of({"one", "two", "three"}), one_of({"p", "q"}));
        made.topic_key = one_of({"", "", "a", "b"});
        ASSERT_TRUE(both([&](Observations& rows) {
          const auto of = SaveTo(rows, made, now_ms);
          if (of) saved = std::max(saved, of->id);
          return of ? std::to_string(of->id) + of->action : of.error().message;
        }));
      }
    }
  }
}

}  // namespace
}  // namespace memory
