// Shows that the account of a long session has a bounded size, and that the writer's transaction
// reads only messages that PrepareAccount did not read.
#include "sidecar/session/transcript.h"

#include <gtest/gtest.h>

#include "lib/conversation/conversations.h"
#include "lib/conversation/sqlite/rows.h"
#include "lib/testing/fake_clock.h"
#include "lib/testing/temporary_directory.h"
#include "sidecar/session/sessions.h"
#include "sidecar/session/stop.h"

namespace sidecar {
namespace {

using base::Json;

conversation::Message MessageOf(const char* role, const std::string& content) {
  conversation::Message message;
  message.role = role;
  message.content = content;
  return message;
}

TEST(SessionAccount, IsBoundedAndCountsOmittedMessages) {
  auto account = SessionAccount::Begin("s", 0, {});
  ASSERT_TRUE(account);
  constexpr int64_t kMessages = 30'000;
  const std::string text(300, 'x');
  for (int64_t i = 1; i <= kMessages; ++i) {
    const bool asks = i == 2'500 || i == 20'000;  // the user's only messages
    account->Add({MessageOf(asks ? "user" : "assistant", std::to_string(i) + text)}, i);
  }
  const Json body = account->EndBody();
  EXPECT_LE(body["messages"].size(), SessionAccount::kMostMessages);
  EXPECT_LT(body.dump().size(), 256u << 10);
  api::SummaryBuilder summary;
  for (const Json& message : body["messages"])
    summary.Add(message["role"].get<std::string>(), message["content"].get<std::string>());
  summary.AddOmitted(body["omitted"]);
  EXPECT_EQ(summary.counted(), kMessages);
  EXPECT_NE(summary.Text().find("Started: \"2500xxxxxxxxxxxxxxxxxxxxxxxx"), std::string::npos);
  EXPECT_NE(summary.Text().find("Ended: \"20000xxxxxxxxxxxxxxxxxxxxxxxx"), std::string::npos);
  EXPECT_EQ(body["messages"].back()["content"].get<std::string>().substr(0, 5), "30000");
}

class Accounts : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = State::Open(directory_.path(), [](const base::Error&) {});
    ASSERT_TRUE(opened) << opened.error().message;
    state_ = std::move(*opened);
    policy_.session_digest = true;
  }
  OutboxContext Context() const { return {policy_, limits_, 1}; }
  void Say(const std::string& id, int messages, const std::string& content) {
    ASSERT_TRUE(state_->Change([&](sqlite::Database& db) -> base::Status {
      conversation::SqliteRows rows(db);
      RETURN_IF_ERROR(OpenConversation(db, id, Context()));
      const std::vector<conversation::Message> all(static_cast<size_t>(messages),
                                                   MessageOf("user", content));
      RETURN_IF_ERROR(conversation::Append(rows, id, all, 1));
      return {};
    }));
  }
  // The pages that an end reads in the writer's transaction, which is rolled back.
  int64_t PagesOfAnEnd(const SessionAccount* account) {
    int64_t pages = 0;
    (void)state_->Change([&](sqlite::Database& db) -> base::Status {
      const auto count = [&] {
        int hits = 0, misses = 0, unused = 0;
        sqlite3_db_status(db.handle(), SQLITE_DBSTATUS_CACHE_HIT, &hits, &unused, 0);
        sqlite3_db_status(db.handle(), SQLITE_DBSTATUS_CACHE_MISS, &misses, &unused, 0);
        return int64_t{hits} + misses;
      };
      const int64_t before = count();
      EXPECT_TRUE(EndConversation(db, "c", Context(), account));
      pages = count() - before;
      return base::Error{base::Code::kInvalid, "taken back"};
    });
    return pages;
  }
  std::vector<Json> Told() {
    std::vector<Json> bodies;
    const auto heads = *state_->Read([](sqlite::Database& db) { return PendingRows(db, 0, 100); });
    for (const OutboxHead& head : heads) {
      const auto row =
          *state_->Read([&](sqlite::Database& db) { return LoadRow(db, head.sequence); });
      if (row->kind == "session_end") bodies.push_back(*base::ParseJson(row->body));
    }
    return bodies;
  }

  testing::TemporaryDirectory directory_;
  api::Policy policy_;
  OutboxLimits limits_;
  std::unique_ptr<State> state_;
};

TEST_F(Accounts, PreparedAccountShortensTransaction) {
  Say("c", 3'000, std::string(2'000, 'x'));
  const auto prepared = PrepareAccount(*state_, "c", policy_);
  ASSERT_TRUE(prepared && *prepared);
  EXPECT_LT(PagesOfAnEnd(prepared->get()) * 20, PagesOfAnEnd(nullptr));
}

TEST_F(Accounts, PreparedAccountGetsLaterMessages) {
  Say("c", 700, "before");
  const auto prepared = PrepareAccount(*state_, "c", policy_);
  ASSERT_TRUE(prepared && *prepared);
  EXPECT_EQ((*prepared)->last_sequence(), 700);
  Say("c", 1, "the last words");
  ASSERT_TRUE(state_->Change(
      [&](sqlite::Database& db) { return EndConversation(db, "c", Context(), prepared->get()); }));
  const Json messages = Told().at(0)["messages"];
  EXPECT_EQ(messages.size(), 701u);
  EXPECT_EQ(messages.back()["content"], "the last words");
}

TEST_F(Accounts, AccountOfAnotherSessionIsIgnored) {
  Say("c", 5, "first session");
  const auto prepared = PrepareAccount(*state_, "c", policy_);
  ASSERT_TRUE(
      state_->Change([&](sqlite::Database& db) { return EndConversation(db, "c", Context()); }));
  EXPECT_FALSE(*PrepareAccount(*state_, "c", policy_)) << "it is over";
  Say("c", 2, "second session");
  ASSERT_TRUE(state_->Change(
      [&](sqlite::Database& db) { return EndConversation(db, "c", Context(), prepared->get()); }));
  EXPECT_EQ(Told().at(1)["messages"].size(), 2u);
}

TEST_F(Accounts, RefusedSessionAtStopAffectsNoOther) {
  policy_.session_digest = false;
  Say("small1", 1, "words");
  Say("large", 200, std::string(300, 'x'));
  Say("small2", 1, "words");
  limits_.bytes = 8'000;
  StopSessions(*state_, Context());
  EXPECT_EQ(Told().size(), 2u);
  limits_.bytes = 1 << 20;
  StopSessions(*state_, Context());
  EXPECT_EQ(Told().size(), 3u) << "the others were told already";
}

}  // namespace
}  // namespace sidecar
