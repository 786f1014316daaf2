// What writes of observations mean, on each engine of the seam.
#include "memory/keeping/saving.h"

#include <gtest/gtest.h>

#include <random>

#include "memory/keeping/hiding.h"
#include "memory/keeping/observations_fixture.h"

namespace memory {
namespace {

class SavingTest : public ObservationsTest {
 protected:
  base::Result<Saved> Save(const api::NewObservation& made) {
    return SaveTo(rows(), made, kMidnight);
  }
  base::Result<api::Observation> Change(int64_t id, const Patch& patch,
                                        int64_t now_ms = kMidnight + 1) {
    return ChangeObservation(rows(), id, patch, FactsOf, now_ms);
  }
  api::Observation Row(int64_t id) {
    const RowPlace place = PlaceOf(id);
    EXPECT_TRUE(place.live);
    auto row = rows().Read(place.row);
    return row ? *row : api::Observation();
  }
};

INSTANTIATE_TEST_SUITE_P(Engines, SavingTest,
                         ::testing::Values(RowEngine::kFake, RowEngine::kSqlite), kNameOfRowEngine);

TEST_P(SavingTest, NewTextCreatesARow) {
  const Saved saved = MustSave(By("rule", "text"));
  EXPECT_EQ(saved.action, "created");
  const api::Observation row = Row(saved.id);
  EXPECT_EQ(row.content, "text");
  EXPECT_EQ(row.source.origin, "rule");
  EXPECT_EQ(row.created_ms, kMidnight);
  EXPECT_EQ(MustSave(By("rule", "other")).id, saved.id + 1);
}

TEST_P(SavingTest, UnknownOriginIsAUsers) {
  EXPECT_EQ(Row(MustSave(By("", "text")).id).source.origin, "user");
}

TEST_P(SavingTest, SameTextWithinTheWindowCountsADuplicate) {
  const int64_t id = MustSave(By("rule", "text")).id;
  const Saved again = MustSave(By("rule", "text"), kMidnight + kDedupWindow);
  EXPECT_EQ(again.action, "deduplicated");
  EXPECT_EQ(again.id, id);
  EXPECT_EQ(again.duplicate_count, 1);
  EXPECT_EQ(Row(id).last_seen_ms, kMidnight + kDedupWindow);
  EXPECT_EQ(MustSave(By("rule", "text"), kMidnight + kDedupWindow + 1).action, "created");
}

TEST_P(SavingTest, SameTextOfAnotherProjectIsARowOfItsOwn) {
  MustSave(Note("text", "p"));
  EXPECT_EQ(MustSave(Note("text", "q")).action, "created");
}

TEST_P(SavingTest, SessionOfAnotherProjectIsAConflict) {
  MustSave(Note("text", "p"));
  api::NewObservation other = Note("text", "q");
  other.session_id = Note("", "p").session_id;
  const auto refused = Save(other);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::Code::kConflict);
}

TEST_P(SavingTest, TopicIsUpdatedWithARevisionAndTheLowerTrust) {
  api::NewObservation first = By("user", "first", "t");
  first.tags = {"a"};
  const int64_t id = MustSave(first).id;
  api::NewObservation second = By("rule", "second", "t");
  second.replace_user = true;
  MustSave(second, kMidnight + 1);
  second.source.origin = "user";
  second.content = "third";
  const Saved saved = MustSave(second, kMidnight + kDay);
  EXPECT_EQ(saved.action, "updated");
  EXPECT_EQ(saved.id, id);
  EXPECT_EQ(saved.revision_count, 3);
  const api::Observation row = Row(id);
  EXPECT_EQ(row.content, "third");
  EXPECT_EQ(row.source.origin, "rule");
  EXPECT_EQ(row.tags, std::vector<std::string>{"a"}) << "a write without tags keeps them";
  EXPECT_EQ(row.updated_ms, kMidnight + kDay);
  EXPECT_TRUE(*rows().HasRevision(id, "first"));
}

TEST_P(SavingTest, AgentMayNotWriteAUsersTopic) {
  const int64_t id = MustSave(By("user", "the user's words", "t")).id;
  const auto refused = Save(By("agent", "an agent's text about it", "t"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::Code::kDenied);
  EXPECT_NE(refused.error().message.find("topic_key \"t\""), std::string::npos);
  EXPECT_EQ(Row(id).content, "the user's words");
}

TEST_P(SavingTest, RuleStoresBesideAUsersTopic) {
  const int64_t id = MustSave(By("user", "the user's words", "t")).id;
  const Saved saved = MustSave(By("rule", "captured", "t"));
  EXPECT_EQ(saved.action, "created");
  EXPECT_NE(saved.id, id);
  EXPECT_EQ(Row(saved.id).topic_key, "");
  EXPECT_EQ(MustSave(By("rule", "captured", "t")).action, "deduplicated");
}

TEST_P(SavingTest, AgentsRewordingOfAUserIsARevisionBesideTheUsersText) {
  api::NewObservation stated = By("user", "Use pnpm, not npm, for the scripts.");
  stated.source.rule = "stated";
  const int64_t id = MustSave(stated).id;
  const auto note = By("agent", "Package scripts are run with pnpm, not with npm.");
  const Saved saved = MustSave(note);
  EXPECT_EQ(saved.action, "deduplicated");
  EXPECT_EQ(saved.id, id);
  EXPECT_EQ(saved.revision_count, 3);
  EXPECT_EQ(Row(id).content, "Use pnpm, not npm, for the scripts.");
  EXPECT_TRUE(*rows().HasRevision(id, note.content));
  EXPECT_EQ(MustSave(note, kMidnight + kDay).revision_count, 3) << "the text is kept once";
}

TEST_P(SavingTest, AgentsOwnRewordingUpdatesItsRowAndGivesItTheTopic) {
  const int64_t id = MustSave(By("agent", "Use pnpm, not npm, for the scripts.")).id;
  const Saved saved = MustSave(By("agent", "The scripts are run with pnpm, not with npm.", "pnpm"));
  EXPECT_EQ(saved.id, id);
  EXPECT_EQ(Row(id).topic_key, "pnpm");
}

TEST_P(SavingTest, AgentSayingMoreThanItsUserIsARowOfItsOwn) {
  MustSave(By("user", "Use pnpm, not npm, for the scripts."));
  const char* more =
      "Use pnpm, not npm, for the scripts, since workspaces 9 and lockfiles of CI need it.";
  EXPECT_EQ(MustSave(By("agent", more)).action, "created");
}

TEST_P(SavingTest, AgentsRowOfAnotherTypeAndADigestAreNotRetold) {
  api::NewObservation other = By("agent", "Use pnpm, not npm, for the scripts.");
  other.type = "decision";
  MustSave(other);
  api::NewObservation digest = By("user", "Use pnpm, not npm, for the scripts.");
  digest.type = "session";
  MustSave(digest);
  EXPECT_EQ(MustSave(By("agent", "The scripts are run with pnpm, not with npm.")).action,
            "created");
}

TEST_P(SavingTest, TheNewest64RowsOfASessionAreCompared) {
  const int64_t id = MustSave(By("agent", "Use pnpm, not npm, for the scripts.")).id;
  const auto capture = [&](int from, int to) {
    for (int i = from; i < to; ++i) MustSave(By("rule", "capture " + std::to_string(i)));
  };
  capture(0, 63);
  EXPECT_EQ(MustSave(By("agent", "The scripts are run with pnpm, not with npm.")).id, id);
  capture(63, 64);
  EXPECT_EQ(MustSave(By("agent", "Run the scripts with pnpm, not with npm.")).action, "created");
}

TEST_P(SavingTest, ChangeKeepsARevisionAndNothingElse) {
  const int64_t id = MustSave(By("rule", "text")).id;
  Patch patch;
  patch.title = "new title";
  auto changed = Change(id, patch);
  ASSERT_TRUE(changed) << changed.error().message;
  EXPECT_EQ(changed->title, "new title");
  EXPECT_EQ(changed->content, "text");
  EXPECT_EQ(changed->revision_count, 2);
  EXPECT_EQ(changed->source.origin, "rule");
  EXPECT_EQ(Change(id, patch)->revision_count, 2) << "a patch that changes nothing is no revision";
}

TEST_P(SavingTest, ChangeOfAnotherRevisionIsAConflict) {
  const int64_t id = MustSave(By("rule", "text")).id;
  Patch patch;
  patch.title = "new";
  patch.if_revision = 2;
  const auto refused = Change(id, patch);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::Code::kConflict);
  patch.if_revision = 1;
  EXPECT_TRUE(Change(id, patch));
}

TEST_P(SavingTest, ChangeOfAMissingOrHiddenRowIsNotFound) {
  const int64_t hidden = MustSave(By("rule", "text")).id;
  ASSERT_TRUE(HideObservation(rows(), hidden, kSalt, kMidnight));
  EXPECT_EQ(Change(hidden, {}).error().code, base::Code::kNotFound);
  const auto refused = Change(7, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::Code::kNotFound);
}

TEST_P(SavingTest, AgentMayNotChangeAUsersRow) {
  const int64_t id = MustSave(By("user", "text")).id;
  Patch patch;
  patch.content = "other";
  patch.writer = api::kOriginAgent;
  const auto refused = Change(id, patch);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::Code::kDenied);
  patch.replace_user = true;
  EXPECT_EQ(Change(id, patch)->source.origin, "agent");
}

// The fake answers as the file does, so that tests of meaning may run on it alone.
TEST(SavingModel, BothEnginesAnswerAlike) {
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto one_of = [&](std::vector<std::string> of) { return of[random() % of.size()]; };
  FakeObservations fake;
  FileRows file;
  const auto as_text = [](const auto& result) -> std::string {
    if (!result) return result.error().message;
    if constexpr (requires { result->action; }) {
      return std::to_string(result->id) + " " + result->action + " " +
             std::to_string(result->revision_count) + " " + std::to_string(result->duplicate_count);
    } else {
      return std::to_string(result->id) + " " + result->title + " " + result->content + " " +
             result->topic_key + " " + result->source.origin + " " +
             std::to_string(result->revision_count) + " " + std::to_string(result->last_seen_ms);
    }
  };
  int64_t now_ms = kMidnight;
  for (int step = 0; step < 600; ++step) {
    now_ms += static_cast<int64_t>(random() % static_cast<unsigned>(kDedupWindow));
    if (random() % 4 == 0) {
      Patch patch;
      patch.content = one_of({"one", "two", "Use pnpm, not npm, for the scripts."});
      patch.writer = one_of({"user", "agent"});
      if (random() % 3 == 0) patch.if_revision = 1 + random() % 3;
      const auto id = static_cast<int64_t>(1 + random() % 40);
      ASSERT_EQ(as_text(ChangeObservation(fake, id, patch, FactsOf, now_ms)),
                as_text(ChangeObservation(file.rows(), id, patch, FactsOf, now_ms)))
          << "change " << id << " in step " << step;
      continue;
    }
    api::NewObservation made = Note(
        one_of({"one", "two", "Use pnpm, not npm, for the scripts.",
                "The scripts are run with pnpm, not with npm.", "Scripts: pnpm, not npm, always"}),
        one_of({"p", "P", "q"}));
    made.session_id = one_of({"s1", "s2"});
    made.type = one_of({"note", "session"});
    made.scope = one_of({"project", "global"});
    made.topic_key = one_of({"", "", "a", "b"});
    made.source.origin = one_of({"user", "agent", "rule"});
    made.source.rule = one_of({"", "stated"});
    ASSERT_EQ(as_text(SaveTo(fake, made, now_ms)), as_text(SaveTo(file.rows(), made, now_ms)))
        << "save in step " << step;
  }
}

}  // namespace
}  // namespace memory
