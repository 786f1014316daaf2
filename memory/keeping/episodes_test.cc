// What saving and importing an episode does, on each engine of the seam.
#include "memory/keeping/episodes.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "lib/testing/fake_clock.h"
#include "memory/keeping/hiding.h"
#include "memory/rows/fake_answers_fixture.h"
#include "memory/rows/fake_episodes_fixture.h"
#include "memory/sqlite/episodes/episode_rows.h"
#include "memory/sqlite/tables/keys.h"
#include "memory/sqlite/tables/live.h"
#include "memory/sqlite/tables/migrated_file_fixture.h"
#include "memory/sqlite/writing/observation_rows.h"
#include "memory/store/memory_fixture.h"

namespace memory {
namespace {

using base::Json;

// The rows that a transaction gets, and calls as a store makes them.
struct Rows {
  EpisodeRows& episodes;
  Observations& observations;
  Answers& answers;

  base::Result<EpisodeSaved> Save(const Episode& given, const RequestKey& key, int64_t now_ms,
                                  const api::Source& source = {}) const {
    EpisodeSaving making(given, source, FactsOf, "salt", 15 * kMinute, now_ms);
    return SaveEpisode(episodes, observations, answers, making,
                       KeyOfEpisode(key, given, "salt", kDay));
  }
  base::Result<std::vector<Episode>> Of(const std::string& project,
                                        const std::string& conversation) const {
    ASSIGN_OR_RETURN(const auto number, episodes.FindProject(project));
    return number ? episodes.OfConversation(*number, conversation) : std::vector<Episode>();
  }
};

struct InMemory {
  FakeObservations observations;
  FakeEpisodes episodes{observations};
  FakeAnswers answers;
  Rows rows{episodes, observations, answers};
};

struct OnDisk {
  OnDisk() {
    EXPECT_TRUE(Liveness::RegisterFunction(std::make_shared<Liveness>(clock), file.database()));
  }
  ::testing::FakeClock clock{kMidnight};
  MigratedFile file;
  SqliteEpisodes episodes{file.database()};
  SqliteObservations observations{file.database()};
  SqliteAnswers answers{file.database()};
  Rows rows{episodes, observations, answers};
};

Episode Told(const std::string& summary, const std::string& conversation = "c",
             const std::string& project = "p") {
  Episode episode;
  episode.project = project;
  episode.conversation = conversation;
  episode.agent = "coder";
  episode.summary = summary;
  return episode;
}

class EpisodeRulesTest : public ::testing::TestWithParam<RowEngine> {
 protected:
  EpisodeRulesTest() {
    if (GetParam() == RowEngine::kSqlite) file_ = std::make_unique<OnDisk>();
  }
  const Rows& rows() { return file_ ? file_->rows : fake_.rows; }
  EpisodeSaved Save(const Episode& given, const RequestKey& key = "", int64_t now_ms = kMidnight) {
    auto saved = rows().Save(given, key, now_ms);
    EXPECT_TRUE(saved) << saved.error().message;
    return saved ? *saved : EpisodeSaved();
  }
  std::vector<bool> Import(const std::vector<Episode>& episodes) {
    auto taken = ImportEpisodes(rows().episodes, episodes);
    EXPECT_TRUE(taken) << taken.error().message;
    return taken ? *taken : std::vector<bool>();
  }
  std::vector<Episode> Of(const std::string& conversation, const std::string& project = "p") {
    auto found = rows().Of(project, conversation);
    EXPECT_TRUE(found) << found.error().message;
    return found ? *found : std::vector<Episode>();
  }
  api::Observation Observation(int64_t id) {
    const auto place = rows().observations.Find(id);
    EXPECT_TRUE(place && *place && (*place)->live) << "there is no live row " << id;
    return place && *place ? *rows().observations.Read((*place)->row) : api::Observation();
  }
  void Hide(int64_t observation) {
    EXPECT_TRUE(HideObservation(rows().observations, observation, "salt", kMidnight));
  }

 private:
  InMemory fake_;
  std::unique_ptr<OnDisk> file_;
};

INSTANTIATE_TEST_SUITE_P(Engines, EpisodeRulesTest, kRowEngines, kNameOfRowEngine);

TEST_P(EpisodeRulesTest, EpisodeIsAnObservationWithItsFieldsBeside) {
  Episode given = Told("  We chose pnpm.\nAnd vite.");
  given.user = "ann";
  given.key_decisions = {"pnpm"};
  given.entities = {"vite", {{"name", "scripts"}}, {{"id", "e1"}}, {{"other", 1}}};
  given.tools_used = {"shell", 7, " "};
  given.metadata = {{"a", 1}};
  api::Source source;
  source.origin = api::kOriginAgent;
  const auto saved = rows().Save(given, "", kMidnight, source);
  ASSERT_TRUE(saved) << saved.error().message;
  EXPECT_FALSE(saved->repeated || saved->key_reused);
  EXPECT_EQ(saved->created_ms, kMidnight) << "an episode without a time is of now";
  const auto found = Of("c");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, saved->id);
  EXPECT_EQ(found[0].agent, "coder");
  EXPECT_EQ(found[0].user, "ann");
  EXPECT_EQ(found[0].summary, given.summary);
  EXPECT_EQ(found[0].key_decisions, given.key_decisions);
  EXPECT_EQ(found[0].entities, given.entities);
  EXPECT_EQ(found[0].tools_used, given.tools_used);
  EXPECT_EQ(found[0].metadata, given.metadata);
  EXPECT_EQ(found[0].created_ms, kMidnight);
  const api::Observation row = Observation(1);
  EXPECT_EQ(row.type, kEpisodeType);
  EXPECT_EQ(row.title, "We chose pnpm.") << "the first line";
  EXPECT_EQ(row.content, given.summary);
  EXPECT_EQ(row.tags, (std::vector<std::string>{"shell", "vite", "scripts", "e1"}));
  EXPECT_EQ(row.source.origin, api::kOriginAgent);
}

TEST_P(EpisodeRulesTest, GivenTimeIsKept) {
  Episode given = Told("text");
  given.created_ms = 5;
  EXPECT_EQ(Save(given).created_ms, 5);
  EXPECT_EQ(Of("c")[0].created_ms, 5);
  EXPECT_EQ(Observation(1).created_ms, kMidnight);
}

TEST_P(EpisodeRulesTest, EqualSummaryIsStoredOncePerConversationAgentAndUser) {
  const EpisodeSaved first = Save(Told("text"));
  const EpisodeSaved again = Save(Told("text"), "", kMidnight + kDay);
  EXPECT_TRUE(again.repeated);
  EXPECT_EQ(again.id, first.id);
  EXPECT_EQ(again.created_ms, kMidnight);
  Episode other = Told("text");
  other.agent = "reviewer";
  EXPECT_FALSE(Save(other).repeated);
  other = Told("text");
  other.user = "ann";
  EXPECT_FALSE(Save(other).repeated) << "of a user and of none";
  EXPECT_TRUE(Save(other).repeated);
  EXPECT_FALSE(Save(Told("text", "d")).repeated);
  EXPECT_EQ(Of("c").size(), 3u);
  EXPECT_EQ(Observation(1).duplicate_count, 3) << "all have one observation";
}

TEST_P(EpisodeRulesTest, SummaryOfADeletedObservationIsStoredAnew) {
  const EpisodeSaved first = Save(Told("text"));
  Hide(1);
  EXPECT_TRUE(Of("c").empty());
  const EpisodeSaved again = Save(Told("text"));
  EXPECT_FALSE(again.repeated);
  EXPECT_GT(again.id, first.id);
  EXPECT_EQ(Of("c").size(), 1u);
}

TEST_P(EpisodeRulesTest, ConversationOfAnotherProjectGetsAnotherSession) {
  Save(Told("text"));
  EXPECT_FALSE(Save(Told("text", "c", "q")).repeated);
  EXPECT_EQ(Of("c", "P").size(), 1u) << "names of projects are folded";
  EXPECT_EQ(Of("c", "q").size(), 1u);
  EXPECT_EQ(Observation(2).project, "q");
  EXPECT_FALSE(Save(Told("more", "c", "q")).repeated) << "and the same one again";
  EXPECT_EQ(Of("c", "q").size(), 2u);
}

TEST_P(EpisodeRulesTest, RepeatedKeyIsTheSameEpisodeAndOtherFieldsAreReuse) {
  const EpisodeSaved first = Save(Told("text"), "k");
  EpisodeSaved again = Save(Told("text"), "k", kMidnight + kMinute);
  EXPECT_TRUE(again.repeated);
  EXPECT_EQ(again.id, first.id);
  EXPECT_EQ(again.created_ms, kMidnight);
  Episode other = Told("text");
  other.metadata = {{"a", 1}};
  again = Save(other, "k");
  EXPECT_TRUE(again.key_reused);
  EXPECT_FALSE(again.repeated);
  EXPECT_EQ(again.id, first.id);
  EXPECT_FALSE(Save(Told("another"), {"k", "account"}).key_reused);
  EXPECT_EQ(Of("c").size(), 2u);
}

TEST_P(EpisodeRulesTest, KeyOfARepeatedSummaryIsKeptToo) {
  const EpisodeSaved first = Save(Told("text"));
  EXPECT_TRUE(Save(Told("text"), "k").repeated);
  EXPECT_TRUE(Save(Told("other"), "k").key_reused);
  Hide(1);
  const EpisodeSaved again = Save(Told("text"), "k", kMidnight + kMinute);
  EXPECT_TRUE(again.repeated) << "deleted or not";
  EXPECT_EQ(again.id, first.id);
  EXPECT_EQ(again.created_ms, kMidnight + kMinute) << "the time is not known any more";
}

TEST_P(EpisodeRulesTest, KeyOfAnObservationIsAnother) {
  api::NewObservation note = Note("text");
  ASSERT_TRUE(KeepAnswer(rows().answers, {"k", note, "salt", kDay}, {9, "created"}, kMidnight));
  const EpisodeSaved saved = Save(Told("text"), "k");
  EXPECT_FALSE(saved.repeated || saved.key_reused);
}

TEST_P(EpisodeRulesTest, ImportNeedsTheObservation) {
  Episode known = Told("text", "d");
  EXPECT_EQ(Import({known}), std::vector<bool>{false}) << "an unknown project";
  Save(Told("text"));
  EXPECT_EQ(Import({known, Told("other"), known, Told("text")}),
            (std::vector<bool>{true, false, false, false}))
      << "stored; without an observation; twice, and the same as before";
  EXPECT_EQ(Of("d").size(), 1u);
  Hide(1);
  EXPECT_EQ(Import({Told("text", "e")}), std::vector<bool>{false});
}

TEST_P(EpisodeRulesTest, ImportKeepsAFreeIdAndReplacesATakenOne) {
  const int64_t taken = Save(Told("text")).id;
  Episode one = Told("text", "d"), other = Told("text", "e"), next = Told("text", "f");
  one.id = 50;
  other.id = taken;
  ASSERT_EQ(Import({one, other, next}), (std::vector<bool>{true, true, true}));
  EXPECT_EQ(Of("d")[0].id, 50);
  EXPECT_EQ(Of("e")[0].id, 51);
  EXPECT_EQ(Of("f")[0].id, 52);
  Hide(1);
  Save(Told("text"));
  one.conversation = "g";
  ASSERT_EQ(Import({one}), std::vector<bool>{true});
  EXPECT_EQ(Of("g")[0].id, 54) << "the id of a deleted episode is taken, too";
}

// The fake answers as the file does, so that tests of meaning may run on it alone.
TEST(EpisodesModel, BothEnginesAnswerAlike) {
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto one_of = [&](std::vector<std::string> of) { return of[random() % of.size()]; };
  InMemory fake;
  OnDisk file;
  const auto as_text = [](const base::Result<EpisodeSaved>& saved) -> std::string {
    if (!saved) return saved.error().message;
    return std::to_string(saved->id) + " " + std::to_string(saved->created_ms) +
           (saved->repeated ? " repeated" : "") + (saved->key_reused ? " reused" : "");
  };
  const auto listed = [](const base::Result<std::vector<Episode>>& found) -> std::string {
    if (!found) return found.error().message;
    std::string all;
    for (const Episode& one : *found)
      all += std::to_string(one.id) + one.agent + one.user.value_or("-") + one.summary +
             one.metadata.dump() + std::to_string(one.created_ms) + "\n";
    return all;
  };
  int64_t now_ms = kMidnight;
  for (int step = 0; step < 600; ++step) {
    now_ms += static_cast<int64_t>(random() % static_cast<unsigned>(5 * kMinute));
    Episode given =
        Told(one_of({"one", "two", "three"}), one_of({"c", "d"}), one_of({"p", "P", "q"}));
    given.agent = one_of({"coder", "reviewer"});
    if (random() % 2 == 0) given.user = one_of({"ann", "bob"});
    given.metadata = {{"n", random() % 2}};
    if (random() % 4 == 0) given.created_ms = 1 + static_cast<int64_t>(random() % 5);
    const size_t call = random() % 10;
    const auto observation = static_cast<int64_t>(1 + random() % 20);
    if (call == 0) {
      const auto hide = [&](const Rows& rows) {
        const auto hidden = HideObservation(rows.observations, observation, "salt", now_ms);
        return hidden ? "hidden" : hidden.error().message;
      };
      ASSERT_EQ(hide(fake.rows), hide(file.rows)) << "step " << step;
    } else if (call < 4) {
      given.id = static_cast<int64_t>(random() % 300);
      ASSERT_EQ(*ImportEpisodes(fake.episodes, {given}), *ImportEpisodes(file.episodes, {given}))
          << "import in step " << step;
    } else {
      const RequestKey key = one_of({"", "", "k", "l", "m" + std::to_string(step)});
      ASSERT_EQ(as_text(fake.rows.Save(given, key, now_ms)),
                as_text(file.rows.Save(given, key, now_ms)))
          << "save in step " << step;
    }
    ASSERT_EQ(listed(fake.rows.Of(given.project, given.conversation)),
              listed(file.rows.Of(given.project, given.conversation)))
        << "step " << step;
  }
}

}  // namespace
}  // namespace memory
