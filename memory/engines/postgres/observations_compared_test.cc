// The verbs of observations, answers and deletions mean the same on both engines: the answers of
// random calls, and what they leave.
#include <iostream>
#include <random>

#include "lib/testing/fake_clock.h"
#include "memory/engines/postgres/engines_fixture.h"
#include "memory/keeping/importing.h"
#include "memory/keeping/retelling.h"
#include "memory/model/retention.h"
#include "memory/sqlite/tables/keys.h"
#include "memory/sqlite/tables/live.h"
#include "memory/sqlite/tables/retired.h"
#include "memory/sqlite/writing/observation_rows.h"
#include "memory/store/memory_fixture.h"

namespace memory {
namespace {

constexpr const char* kSalt = "salt";

std::string Say(const base::Error& error) {
  return std::to_string(static_cast<int>(error.code)) + ": " + error.message;
}
std::string Say(const api::Observation& row) {
  std::string said = std::to_string(row.id);
  for (const std::string& text :
       {row.session_id, row.type, row.title, row.content, row.project, row.scope, row.topic_key,
        row.normalized_hash, row.source.origin, base::DumpJson(row.tags)})
    said += "|" + text;
  for (const int64_t number :
       {row.revision_count, row.duplicate_count, row.last_seen_ms, row.created_ms, row.updated_ms})
    said += "|" + std::to_string(number);
  return said;
}
std::string Say(const Saved& saved) {
  return saved.action + " " + std::to_string(saved.id) + " " +
         std::to_string(saved.revision_count) + " " + std::to_string(saved.duplicate_count);
}
std::string Say(const Imported& done) {
  return std::to_string(done.outcome) + " " + std::to_string(done.observation) +
         (done.added ? " added" : "");
}
template <class T>
std::string Say(const base::Result<T>& result) {
  return result ? Say(*result) : Say(result.error());
}
std::string Say(const base::Status& status) { return status ? "done" : Say(status.error()); }

class ObservationsComparedTest : public EnginesTest {
 protected:
  void SetUp() override {
    EnginesTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    ASSERT_TRUE(Liveness::RegisterFunction(liveness_, file()));
    RetentionPolicy policy;
    policy.defaults = {{"note", "project", 40 * kMinute, 0}, {"log", "project", kMinute, 0}};
    defaults_ = base::DumpJson(EncodeRetention(policy.defaults));
    liveness_->Set(std::move(policy));
  }
  // `call(database, rows)` → what it answered, in a transaction on each side that an error undoes.
  template <class Call>
  void Both(const Call& call) {
    server_->Use(
        {.lock = "SELECT agent_memory.enter($1::bigint, $2::bigint, $3, true)",
         .lock_values = {std::to_string(tenant_), std::to_string(clock_.NowMs()), defaults_}});
    std::vector<std::string> said;
    for (sql::Database* database :
         {static_cast<sql::Database*>(&file()), static_cast<sql::Database*>(&*server_)}) {
      auto transaction = sql::Transaction::Begin(*database);
      ASSERT_TRUE(transaction);
      SqliteObservations rows(*database);
      const auto answer = call(*database, static_cast<Observations&>(rows));
      said.push_back(Say(answer));
      if (!answer) continue;
      const base::Status done = transaction->Commit();
      EXPECT_TRUE(done) << done.error().message;
    }
    EXPECT_EQ(said[0], said[1]);
    ++answers_[said[0].substr(0, said[0].find_first_of(" |:"))];
  }

  testing::FakeClock clock_{kMidnight};
  std::shared_ptr<Liveness> liveness_ = std::make_shared<Liveness>(clock_);
  std::string defaults_;
  std::map<std::string, int> answers_;
};

TEST_F(ObservationsComparedTest, RandomCallsAnswerAlikeAndLeaveTheSameRows) {
  const auto seed = std::random_device()();
  std::cout << "seed " << seed << "\n";
  std::mt19937 random(seed);
  const auto below = [&](int most) { return static_cast<int>(random() % unsigned(most)); };
  const auto one_of = [&](std::vector<std::string> of) { return of[random() % of.size()]; };
  for (int step = 0; step < 1500 && !HasFailure(); ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    clock_.Advance(below(3) == 0 ? kMinute : 1);
    const int64_t now_ms = clock_.NowMs(), id = below(40) + 1;
    const std::string project = one_of({"p", "P", "q"}),
                      content = one_of({"one", "two", "Zwei Äpfel", "three four five six seven"});
    const int what = below(12);
    if (what < 5) {
      api::NewObservation note = Note(content, project);
      note.session_id = one_of({"s1", "s2", "s-" + project});
      note.type = one_of({"note", "log", "discovery"});
      note.scope = one_of({"project", "project", "global"});
      note.topic_key = one_of({"", "", "a/b", "c"});
      note.source.origin = one_of({"user", "agent", "import"});
      note.tags = {one_of({"x", "y"})};
      Both([&](sql::Database&, Observations& rows) {
        Saving saving(note, FactsOf(note.title, note.content), kSalt, 15 * kMinute, now_ms);
        if (MayRetell(saving.made)) saving.said.emplace(saving.made.title, saving.made.content);
        return SaveObservation(rows, saving);
      });
    } else if (what < 7) {
      Patch patch;
      if (below(2) == 0) patch.content = content;
      if (below(2) == 0) patch.title = one_of({"t", "u"});
      if (below(3) == 0) patch.tags = {{"z"}};
      if (below(3) == 0) patch.if_revision = below(3) + 1;
      patch.writer = one_of({"user", "agent"});
      Both([&](sql::Database&, Observations& rows) {
        return ChangeObservation(rows, id, patch, FactsOf, now_ms);
      });
    } else if (what == 7) {
      Both([&](sql::Database&, Observations& rows) {
        return HideObservation(rows, id, kSalt, now_ms);
      });
    } else if (what == 8) {
      Both([&](sql::Database&, Observations& rows) {
        return ShowObservation(rows, id, kSalt, now_ms);
      });
    } else if (what == 9) {
      api::Observation row;
      row.id = below(2) * (below(60) + 1), row.session_id = one_of({"s1", "i"}),
      row.project = project;
      row.type = "note", row.title = "note", row.content = content, row.scope = "project";
      row.topic_key = one_of({"", "a/b"}), row.tags = {"i"}, row.revision_count = 2;
      row.created_ms = below(3) == 0 ? 0 : kMidnight + below(3),
      row.updated_ms = row.last_seen_ms = row.created_ms;
      row.normalized_hash = api::NormalizedHash(content),
      row.source.origin = one_of({"user", "import"});
      const std::vector<Revision> revisions = {
          {1, now_ms, kMidnight, "note", "earlier", content + "!", "user", {}}};
      ImportOptions options;
      options.unite_tags = below(2) == 0, options.vouched = below(4) == 0,
      options.restore = below(3) == 0;
      options.now_ms = now_ms;
      Both([&](sql::Database&, Observations& rows) {
        const TextFacts facts = FactsOf(row.title, row.content);
        return ImportObservation(rows, {row, revisions, facts}, options, kSalt, now_ms);
      });
    } else if (what == 10) {
      const std::string key = one_of({"k1", "k2", "k3"});
      const auto digest = below(2) == 0 ? std::nullopt : std::optional<int64_t>(step);
      Both([&](sql::Database& database, Observations&) -> base::Result<Saved> {
        SqliteAnswers answers(database);
        ASSIGN_OR_RETURN(const auto kept, answers.Find(key, now_ms - 10 * kMinute));
        if (kept) return kept->saved;
        const Saved saved{id, "created", step, 0};
        RETURN_IF_ERROR(answers.Keep(key, {saved, digest}, now_ms));
        return saved;
      });
    } else {
      Both([&](sql::Database&, Observations& rows) -> base::Result<api::Observation> {
        ASSIGN_OR_RETURN(const auto place, rows.Find(id));
        if (!place) return NoSuchRow(id);
        return rows.Read(place->row);
      });
    }
    if (step % 300 == 299) CompareTables();
  }
  CompareTables();
  for (const char* answer : {"created", "updated", "deduplicated", "done"})
    EXPECT_GT(answers_[answer], 0) << answer;
}

}  // namespace
}  // namespace memory
