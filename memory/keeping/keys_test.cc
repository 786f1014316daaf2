// What a repeated call with an Idempotency-Key gets, on each engine of the seam.
#include "memory/keeping/keys.h"

#include <gtest/gtest.h>

#include <memory>

#include "memory/rows/fake_answers_fixture.h"
#include "memory/sqlite/tables/keys.h"
#include "memory/sqlite/tables/migrated_file_fixture.h"

namespace memory {
namespace {

constexpr int64_t kAsked = 1'000'000, kKeptFor = 1'000;

KeyOfCaller KeyFor(const RequestKey& key, const std::string& content) {
  api::NewObservation body;
  body.content = content;
  return {key, body, "salt", kKeptFor};
}

class KeyRulesTest : public ::testing::TestWithParam<RowEngine> {
 protected:
  KeyRulesTest() {
    if (GetParam() != RowEngine::kSqlite) return;
    file_ = std::make_unique<MigratedFile>();
    on_disk_ = std::make_unique<SqliteAnswers>(file_->database());
  }
  Answers& answers() { return on_disk_ ? *on_disk_ : static_cast<Answers&>(fake_); }
  void Keep(const RequestKey& key, const std::string& content, int64_t id,
            int64_t now_ms = kAsked) {
    EXPECT_TRUE(KeepAnswer(answers(), KeyFor(key, content), {id, "updated", 3, 2}, now_ms));
  }
  // → the id and what was said of it.
  std::string Ask(const RequestKey& key, const std::string& content, int64_t now_ms = kAsked) {
    const auto found = FindAnswer(answers(), KeyFor(key, content), now_ms);
    EXPECT_TRUE(found) << found.error().message;
    if (!found || !*found) return "none";
    return std::to_string((*found)->id) + ((*found)->replayed ? " replayed" : "") +
           ((*found)->key_reused ? " reused" : "");
  }

 private:
  FakeAnswers fake_;
  std::unique_ptr<MigratedFile> file_;
  std::unique_ptr<Answers> on_disk_;
};

INSTANTIATE_TEST_SUITE_P(Engines, KeyRulesTest, kRowEngines, kNameOfRowEngine);

TEST_P(KeyRulesTest, RepetitionGetsTheFirstAnswer) {
  Keep("k", "text", 7);
  const auto found = FindAnswer(answers(), KeyFor("k", "text"), kAsked);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->id, 7);
  EXPECT_EQ((*found)->action, "updated");
  EXPECT_EQ((*found)->revision_count, 3);
  EXPECT_EQ((*found)->duplicate_count, 2);
  EXPECT_EQ(Ask("k", "text"), "7 replayed");
  EXPECT_EQ(Ask("other", "text"), "none");
}

TEST_P(KeyRulesTest, OtherBodyIsReuseOfTheKey) {
  Keep("k", "text", 7);
  EXPECT_EQ(Ask("k", "another"), "7 reused");
}

TEST_P(KeyRulesTest, EmptyKeyIsNoKey) {
  Keep("", "text", 7);
  EXPECT_EQ(Ask("", "text"), "none");
  EXPECT_FALSE(*answers().Find("", 0));
}

TEST_P(KeyRulesTest, CallersHaveTheirOwnKeys) {
  Keep({"k", "ann"}, "text", 7);
  EXPECT_EQ(Ask({"k", "bob"}, "text"), "none");
  EXPECT_EQ(Ask("k", "text"), "none");
  Keep("k", "text", 8);
  EXPECT_EQ(Ask({"k", "bob"}, "text"), "none") << "an anonymous caller's is no other's";
  EXPECT_EQ(Ask({"k", "ann"}, "text"), "7 replayed");
  EXPECT_EQ(Ask("k", "text"), "8 replayed");
}

TEST_P(KeyRulesTest, KeyOfAnEarlierVersionIsReplayedForAnyBodyAndCaller) {
  ASSERT_TRUE(answers().Keep("k", {{7, "created"}, std::nullopt}, kAsked));
  EXPECT_EQ(Ask("k", "any"), "7 replayed");
  EXPECT_EQ(Ask({"k", "ann"}, "any"), "7 replayed");
  EXPECT_EQ(Ask({"k", "ann"}, "any", kAsked + kKeptFor + 1), "none");
}

TEST_P(KeyRulesTest, AnswerIsKeptForItsTime) {
  Keep("k", "text", 7);
  EXPECT_EQ(Ask("k", "text", kAsked + kKeptFor), "7 replayed");
  EXPECT_EQ(Ask("k", "text", kAsked + kKeptFor + 1), "none");
  Keep("k", "text", 8, kAsked + kKeptFor + 1);
  EXPECT_EQ(Ask("k", "text", kAsked + kKeptFor + 1), "8 replayed");
}

}  // namespace
}  // namespace memory
