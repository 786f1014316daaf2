// What imports of observations mean, on each engine of the seam.
#include "memory/keeping/importing.h"

#include <gtest/gtest.h>

#include <random>

#include "memory/keeping/hiding.h"
#include "memory/keeping/observations_fixture.h"

namespace memory {
namespace {

base::Result<Imported> ImportTo(Observations& rows, const api::Observation& row,
                                const ImportOptions& options = {},
                                const std::vector<Revision>& revisions = {}) {
  const TextFacts facts = FactsOf(row.title, row.content);
  return ImportObservation(rows, {row, revisions, facts}, options, kSalt, kMidnight);
}

api::Observation Given(const std::string& content, int64_t id = 0, int64_t created_ms = kMidnight) {
  const api::NewObservation note = Note(content);
  api::Observation row;
  row.id = id;
  row.session_id = note.session_id, row.project = note.project, row.type = note.type;
  row.title = note.title, row.content = content, row.scope = note.scope;
  row.normalized_hash = api::NormalizedHash(content);
  row.created_ms = created_ms;
  row.source.origin = api::kOriginImport;
  return row;
}

class ImportingTest : public ObservationsTest {
 protected:
  Imported MustImport(const api::Observation& row, const ImportOptions& options = {},
                      const std::vector<Revision>& revisions = {}) {
    const auto imported = ImportTo(rows(), row, options, revisions);
    EXPECT_TRUE(imported) << imported.error().message;
    return imported ? *imported : Imported();
  }
  void ExpectConflict(const api::Observation& row, const std::string& message) {
    const auto refused = ImportTo(rows(), row);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, base::Code::kConflict);
    EXPECT_EQ(refused.error().message, message);
  }
  void MustHide(int64_t id) { ASSERT_TRUE(HideObservation(rows(), id, kSalt, kMidnight)); }
  api::Observation Row(int64_t id) { return *rows().Read(PlaceOf(id).row); }
};

INSTANTIATE_TEST_SUITE_P(Engines, ImportingTest,
                         ::testing::Values(RowEngine::kFake, RowEngine::kSqlite), kNameOfRowEngine);

TEST_P(ImportingTest, NewRowKeepsItsIdTimesAndCounts) {
  api::Observation row = Given("text", 7);
  row.updated_ms = kMidnight + 1, row.last_seen_ms = kMidnight + 2;
  row.revision_count = 3, row.duplicate_count = 4;
  const Imported imported = MustImport(row);
  EXPECT_EQ(imported.outcome, Imported::kNew);
  EXPECT_EQ(imported.observation, 7);
  EXPECT_TRUE(imported.added);
  const api::Observation here = Row(7);
  EXPECT_EQ(here.created_ms, kMidnight);
  EXPECT_EQ(here.updated_ms, kMidnight + 1);
  EXPECT_EQ(here.last_seen_ms, kMidnight + 2);
  EXPECT_EQ(here.revision_count, 3);
  EXPECT_EQ(here.duplicate_count, 4);
  EXPECT_EQ(MustSave(Note("next")).id, 8) << "later rows count on";
}

TEST_P(ImportingTest, RowWithoutTimesGetsThatOfTheImport) {
  ImportOptions options;
  options.now_ms = kMidnight + kDay;
  const api::Observation here = Row(MustImport(Given("text", 0, 0), options).observation);
  EXPECT_EQ(here.created_ms, kMidnight + kDay);
  EXPECT_EQ(here.updated_ms, kMidnight + kDay);
  EXPECT_EQ(here.last_seen_ms, kMidnight + kDay);
}

TEST_P(ImportingTest, TakenRemovedAndTooLargeIdsAreReplaced) {
  const int64_t taken = MustSave(Note("first")).id;
  EXPECT_EQ(MustImport(Given("second", taken, kMidnight + 1)).observation, taken + 1);
  Remove(taken);
  EXPECT_EQ(MustImport(Given("third", taken)).observation, taken + 2);
  EXPECT_EQ(MustImport(Given("fourth", kHighestKeptId + 1)).observation, taken + 3);
  EXPECT_EQ(MustImport(Given("fifth", kHighestKeptId)).observation, kHighestKeptId);
}

TEST_P(ImportingTest, FreeIdsAreThoseThatNoRowHadAndThatFit) {
  const int64_t id = MustSave(Note("text")).id;
  EXPECT_FALSE(*IsFreeId(rows(), id));
  EXPECT_FALSE(*IsFreeId(rows(), 0));
  EXPECT_FALSE(*IsFreeId(rows(), kHighestKeptId + 1));
  EXPECT_TRUE(*IsFreeId(rows(), id + 1));
  Remove(id);
  EXPECT_FALSE(*IsFreeId(rows(), id));
}

TEST_P(ImportingTest, KnownRowIsSkipped) {
  const api::Observation row = Given("text", 7);
  MustImport(row);
  const Imported again = MustImport(row);
  EXPECT_EQ(again.outcome, Imported::kSkipped);
  EXPECT_EQ(again.observation, 7);
  EXPECT_FALSE(again.added);
}

TEST_P(ImportingTest, ChangedRowIsKnownByItsIdAndTime) {
  const int64_t id = MustImport(Given("text", 7)).observation;
  Patch patch;
  patch.content = "newer";
  ASSERT_TRUE(ChangeObservation(rows(), id, patch, FactsOf, kMidnight + 1));
  EXPECT_EQ(MustImport(Given("text", 7)).outcome, Imported::kSkipped);
  EXPECT_EQ(Row(id).content, "newer") << "an import overwrites nothing";
  EXPECT_EQ(MustImport(Given("other", 7, kMidnight + 2)).outcome, Imported::kNew);
}

TEST_P(ImportingTest, RowUnderAnotherIdIsKnownByItsTextUnlessDedupIsOff) {
  const int64_t id = MustImport(Given("text")).observation;
  EXPECT_EQ(MustImport(Given("text")).observation, id);
  EXPECT_EQ(MustImport(Given("text", 0, 0)).observation, id) << "without a time";
  EXPECT_NE(MustImport(Given("text", 0, kMidnight + 1)).observation, id) << "another time";
  ImportOptions options;
  options.dedup = false;
  const Imported twin = MustImport(Given("text"), options);
  EXPECT_EQ(twin.outcome, Imported::kNew);
  EXPECT_NE(twin.observation, id);
}

TEST_P(ImportingTest, RowOfAnotherTimeUnderTheSameIdIsAnotherRow) {
  MustImport(Given("text", 7));
  EXPECT_NE(MustImport(Given("text", 7, kMidnight + 1)).observation, 7);
  EXPECT_EQ(MustImport(Given("text", 7, 0)).observation, 7) << "without a time";
}

TEST_P(ImportingTest, RowOfAnotherSessionIsAnotherRow) {
  const int64_t id = MustImport(Given("text", 7)).observation;
  api::Observation other = Given("text", 7);
  other.session_id = "another";
  EXPECT_NE(MustImport(other).observation, id);
}

TEST_P(ImportingTest, SessionOfAnotherProjectIsAConflict) {
  MustImport(Given("text"));
  api::Observation other = Given("text");
  other.project = "q";
  ExpectConflict(other, "session_id s-p belongs to another project than \"q\"");
}

TEST_P(ImportingTest, TopicOfAnotherTextIsAConflictAndOfTheSameIsSkipped) {
  const int64_t id = MustSave(By("rule", "text", "t")).id;
  api::Observation row = Given("other", 0, kMidnight + 9);
  row.topic_key = "t";
  ExpectConflict(row, "topic_key \"t\" belongs to observation " + std::to_string(id) +
                          ", which says something else");
  row.content = "text";
  row.normalized_hash = api::NormalizedHash("text");
  const Imported same = MustImport(row);
  EXPECT_EQ(same.outcome, Imported::kSkipped);
  EXPECT_EQ(same.observation, id);
  row.content = "other";
  row.normalized_hash = api::NormalizedHash("other");
  row.scope = "global";
  EXPECT_EQ(MustImport(row).outcome, Imported::kNew) << "a topic is of one scope";
}

TEST_P(ImportingTest, DeletedRowComesBackOnRequestAlone) {
  const api::Observation row = Given("text", 7);
  MustImport(row);
  MustHide(7);
  const Imported skipped = MustImport(row);
  EXPECT_EQ(skipped.outcome, Imported::kSkippedDeleted);
  EXPECT_EQ(skipped.observation, 0);
  EXPECT_FALSE(IsLive(7));
  ImportOptions options;
  options.restore = true;
  const Imported back = MustImport(row, options);
  EXPECT_EQ(back.outcome, Imported::kNew);
  EXPECT_EQ(back.observation, 7);
  EXPECT_FALSE(back.added) << "the row that was hidden";
  EXPECT_TRUE(IsLive(7));
  Retire(7);
  EXPECT_EQ(MustImport(row).outcome, Imported::kNew) << "the deletion is forgotten";
}

TEST_P(ImportingTest, RemovedRowComesBackOnRequestAsANewOne) {
  const api::Observation row = Given("text", 7);
  MustImport(row);
  MustHide(7);
  Remove(7);
  EXPECT_EQ(MustImport(row).outcome, Imported::kSkippedDeleted);
  ImportOptions options;
  options.restore = true;
  const Imported back = MustImport(row, options);
  EXPECT_TRUE(back.added);
  EXPECT_EQ(back.observation, 8);
}

TEST_P(ImportingTest, RowThatRetentionHidComesBack) {
  MustImport(Given("text", 7));
  Retire(7);
  EXPECT_EQ(MustImport(Given("text", 7)).outcome, Imported::kNew);
  EXPECT_TRUE(IsLive(7));
}

TEST_P(ImportingTest, HiddenRowWithAnotherTextIsAnotherRow) {
  MustImport(Given("text", 7));
  Retire(7);
  const Imported other = MustImport(Given("other", 7));
  EXPECT_TRUE(other.added);
  EXPECT_NE(other.observation, 7);
}

TEST_P(ImportingTest, HiddenRowWhoseTopicAnotherHasIsSkipped) {
  api::Observation row = Given("text", 7);
  row.topic_key = "t";
  MustImport(row);
  Retire(7);
  MustSave(By("rule", "other", "t"));
  const Imported skipped = MustImport(row);
  EXPECT_EQ(skipped.outcome, Imported::kSkipped);
  EXPECT_EQ(skipped.observation, 7);
  EXPECT_FALSE(IsLive(7));
}

TEST_P(ImportingTest, LiveRowIsMetBeforeAHiddenTwin) {
  MustImport(Given("text", 7));
  MustHide(7);
  ImportOptions twin;
  twin.dedup = false, twin.restore = true;
  const int64_t live = MustImport(Given("text", 9), twin).observation;
  EXPECT_EQ(MustImport(Given("text")).observation, live);
}

TEST_P(ImportingTest, TagsAreUnitedOnRequestUpToTheLimit) {
  api::Observation row = Given("text", 7);
  row.tags = {"a"};
  MustImport(row);
  row.tags = {"b", "a"};
  MustImport(row);
  EXPECT_EQ(Row(7).tags, std::vector<std::string>{"a"});
  ImportOptions options;
  options.unite_tags = true;
  EXPECT_EQ(MustImport(row, options).outcome, Imported::kSkipped);
  EXPECT_EQ(Row(7).tags, (std::vector<std::string>{"a", "b"}));
  row.tags.clear();
  for (size_t i = 0; i < api::kMaxTags; ++i) row.tags.push_back("t" + std::to_string(i));
  MustImport(row, options);
  EXPECT_EQ(Row(7).tags.size(), api::kMaxTags);
}

TEST_P(ImportingTest, VouchedImportRaisesRowsOfClassImportAlone) {
  ImportOptions options;
  options.vouched = true;
  MustImport(Given("text", 7));
  EXPECT_EQ(MustImport(Given("text", 7), options).outcome, Imported::kRaised);
  EXPECT_EQ(Row(7).source.origin, "user");
  EXPECT_EQ(MustImport(Given("text", 7), options).outcome, Imported::kSkipped);
  api::Observation agents = Given("by an agent", 8);
  agents.source.origin = "agent";
  MustImport(agents);
  EXPECT_EQ(MustImport(agents, options).outcome, Imported::kSkipped);
  EXPECT_EQ(Row(8).source.origin, "agent");
}

TEST_P(ImportingTest, EarlierVersionsComeWithANewRow) {
  api::Observation row = Given("third", 7);
  row.revision_count = 3;
  std::vector<Revision> revisions(3);
  for (int64_t i = 0; i < 3; ++i) {
    Revision& one = revisions[static_cast<size_t>(i)];
    one.revision = i + 1;
    one.type = "note", one.origin = "user";
    one.content = "version " + std::to_string(i + 1);
  }
  revisions.push_back(revisions.front());
  revisions.back().content = "another first version";
  MustImport(row, {}, revisions);
  EXPECT_TRUE(*rows().HasRevision(7, "version 1"));
  EXPECT_TRUE(*rows().HasRevision(7, "version 2"));
  EXPECT_FALSE(*rows().HasRevision(7, "version 3")) << "that is the row itself";
  EXPECT_FALSE(*rows().HasRevision(7, "another first version")) << "of two the first counts";
}

TEST_P(ImportingTest, OnlyASessionOfRowsAloneTakesTimesAndSummary) {
  api::Session session;
  session.id = "s-p", session.project = "p", session.summary = "summary";
  MustSave(Note("text"));
  EXPECT_EQ(ImportSession(rows(), session)->outcome, Imported::kNew);
  EXPECT_EQ(ImportSession(rows(), session)->outcome, Imported::kSkipped);
  session.project = "q";
  EXPECT_EQ(ImportSession(rows(), session).error().code, base::Code::kConflict);
}

// The fake answers as the file does, so that tests of meaning may run on it alone.
TEST(ImportingModel, BothEnginesAnswerAlike) {
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto below = [&](int most) { return static_cast<int>(random() % unsigned(most)); };
  const auto one_of = [&](std::vector<std::string> of) { return of[random() % of.size()]; };
  FakeObservations fake;
  FileRows file;
  for (int step = 0; step < 600; ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    const auto both = [&](const auto& answer) {
      const std::string of_fake = answer(static_cast<Observations&>(fake));
      EXPECT_EQ(of_fake, answer(file.rows()));
      return !::testing::Test::HasFailure();
    };
    const int64_t now_ms = kMidnight + step, id = below(30);
    const auto place = *fake.Find(id);
    const int what = below(8);
    if (what == 0) {
      ASSERT_TRUE(both([&](Observations& rows) {
        const auto hidden = HideObservation(rows, id, kSalt, now_ms);
        return hidden ? std::string() : hidden.error().message;
      }));
    } else if (what == 1 && place && place->live) {
      fake.Retire(place->row);
      file.Retire((*file.rows().Find(id))->row);
    } else if (what == 2 && place && below(3) == 0) {
      fake.Remove(place->row);
      file.Remove((*file.rows().Find(id))->row);
    } else {
      api::Observation row = Given(one_of({"one", "two", "three"}), below(2) * below(30),
                                   below(4) == 0 ? 0 : kMidnight + below(3));
      row.session_id = one_of({"s1", "s2"});
      row.topic_key = one_of({"", "", "a", "b"});
      row.tags = {one_of({"x", "y"})};
      row.source.origin = one_of({"user", "import"});
      ImportOptions options;
      options.unite_tags = below(2) == 0;
      options.vouched = below(4) == 0;
      options.restore = below(3) == 0;
      options.now_ms = now_ms;
      ASSERT_TRUE(both([&](Observations& rows) -> std::string {
        const auto taken = ImportTo(rows, row, options);
        if (!taken) return taken.error().message;
        std::string answer = std::to_string(taken->outcome) + " " +
                             std::to_string(taken->observation) + (taken->added ? " added" : "");
        if (taken->observation == 0) return answer;
        const auto here = rows.Read((*rows.Find(taken->observation))->row);
        for (const std::string& tag : here->tags) answer += " " + tag;
        return answer + " " + here->source.origin + " " + here->content;
      }));
    }
  }
}

}  // namespace
}  // namespace memory
