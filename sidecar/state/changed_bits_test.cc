// Shows the handling of a state.db with a flipped bit in a stored text, which SQLite accepts: the
// row is skipped, counted and reported, and all other rows work.
#include <gtest/gtest.h>

#include "lib/base/process/file.h"
#include "lib/conversation/conversations.h"
#include "lib/conversation/sqlite/rows.h"
#include "sidecar/sidecar_fixture.h"
#include "sidecar/state/salvage_fixture.h"
#include "sidecar/tables/damaged_rows.h"

namespace sidecar {
namespace {

using base::Json;

// Flips one bit of the text, which occurs once in the file.
void TurnABit(const std::string& file, const std::string& text) {
  std::string bytes = *base::ReadFile(file);
  const size_t at = bytes.find(text);
  ASSERT_NE(at, std::string::npos) << text;
  ASSERT_EQ(bytes.find(text, at + 1), std::string::npos) << text;
  std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
  out.seekp(static_cast<std::streamoff>(at + text.size() / 2));
  out.put(static_cast<char>(bytes[at + text.size() / 2] ^ 0x04));
  ASSERT_TRUE(out.good());
}

using ChangedBits = Damaged;

TEST_F(ChangedBits, OfAMessageHideOnlyThatMessage) {
  Make(false);
  Reset();
  TurnABit(File(), "message 143.");
  auto state = Open();
  ASSERT_TRUE(state) << state.error().message;
  EXPECT_TRUE(Said(**state).empty());  // SQLite detects no damage
  size_t served = 0;
  for (int i = 0; i < 5; ++i) {
    for (const int64_t budget : {0, 1'000'000}) {
      const std::string id = "c" + std::to_string(i);
      const auto messages = (*state)
                                ->Read([&](sqlite::Database& db) {
                                  conversation::SqliteRows rows(db);
                                  return budget > 0
                                             ? conversation::NewestMessages(rows, id, budget)
                                             : conversation::MessagesBetween(rows, id, 1, kRows);
                                })
                                ->messages;
      served += messages.size();
      for (const auto& message : messages) {
        EXPECT_NE(message.sequence * 5 + i - 5, 143);
        EXPECT_TRUE(message.content.starts_with("message "));
      }
    }
  }
  EXPECT_EQ(served, 2u * (kRows - 1));
  ExpectUsable(**state);  // its write commits after the record of the damaged row
  const auto counts = *(*state)->Read([](sqlite::Database& db) { return CountDamagedRows(db); });
  EXPECT_EQ(counts, (std::map<std::string, int64_t>{{"messages", 1}}));
}

TEST_F(ChangedBits, OfAPendingWriteAreDetected) {
  Make(false);
  for (const char* text : {"capture 143.", "key143"}) {
    SCOPED_TRACE(text);
    Reset();
    TurnABit(File(), text);
    auto state = Open();
    ASSERT_TRUE(state) << state.error().message;
    const auto row = *(*state)->Read([](sqlite::Database& db) { return LoadRow(db, 144); });
    ASSERT_TRUE(row);
    EXPECT_FALSE(row->checksum_ok);
    const auto next = *(*state)->Read([](sqlite::Database& db) { return LoadRow(db, 145); });
    EXPECT_TRUE(next && next->checksum_ok);
    ExpectUsable(**state);
  }
}

TEST_F(ChangedBits, OfFieldsEmptyThem) {
  {
    auto state = Open();
    ASSERT_TRUE(state);
    ASSERT_TRUE((*state)->Change([](sqlite::Database& db) -> base::Status {
      conversation::SqliteRows rows(db);
      RETURN_IF_ERROR(conversation::GetOrCreate(rows, "c", 1));
      return conversation::SqliteRows(db).UpdateConversation(
          "c", {.fields = base::Json{{"delegation", "sub-agent seven"}}});
    }));
  }
  TurnABit(File(), "sub-agent seven");
  auto state = Open();
  ASSERT_TRUE(state);
  const auto fields = [&] {
    return (*(*state)->Read([](sqlite::Database& db) {
             return conversation::SqliteRows(db).FindConversation("c");
           }))
        ->fields;
  };
  EXPECT_EQ(fields(), Json::object());
  ASSERT_TRUE((*state)->Change([](sqlite::Database& db) {
    return conversation::SqliteRows(db).UpdateConversation(
        "c", {.fields = base::Json{{"delegation", "new"}}});
  }));
  EXPECT_EQ(fields()["delegation"], "new");
}

// Rows of older programs have no checksums: they are served, and get checksums that detect later
// changes.
TEST_F(ChangedBits, AreDetectedInOldRowsWithChecksums) {
  constexpr size_t kWithout = 9;  // the last schema version without checksums
  fs::create_directories(Path());
  {
    auto db = sqlite::Database::Open(File(), {});
    ASSERT_TRUE(db);
    ASSERT_TRUE(sqlite::Migrate(*db, {StateSteps().begin(), StateSteps().begin() + kWithout}));
    ASSERT_TRUE(db->Execute(R"sql(
INSERT INTO conversations(id, created_ms, updated_ms, message_count) VALUES('c', 1, 1, 2);
INSERT INTO messages(conversation, sequence, role, content, created_ms) VALUES
  ('c', 1, 'user', 'said before there were sums', 1), ('c', 2, 'assistant', 'answered before', 1);
INSERT INTO outbox(lane, kind, method, path, body, project, origin, destination, idempotency_key,
  bytes, created_ms) VALUES('s', 'observation', 'POST', '/observations', '{"old": "kept before"}',
  'p', 'agent', '', 'k', 200, 5);
UPDATE outbox_totals SET value = 1 WHERE name IN ('accepted', 'pending'))sql"));
  }
  const auto messages = [](State& state) {
    return state
        .Read([](sqlite::Database& db) {
          conversation::SqliteRows rows(db);
          return conversation::MessagesBetween(rows, "c", 1, kRows);
        })
        ->messages;
  };
  {
    auto state = Open();
    ASSERT_TRUE(state) << state.error().message;
    EXPECT_EQ(messages(**state).size(), 2u);
    EXPECT_TRUE(
        (*(*state)->Read([](sqlite::Database& db) { return LoadRow(db, 1); }))->checksum_ok);
    const auto add = [&](int64_t limit) {
      return *(*state)->Write<int64_t>(
          [limit](sqlite::Database& db) { return conversation::AddChecksums(db, limit); });
    };
    EXPECT_EQ(add(1), 1);
    EXPECT_EQ(add(100), 1);
    EXPECT_EQ(add(100), 0);
    EXPECT_EQ(messages(**state).size(), 2u);
  }
  TurnABit(File(), "before there were sums");
  TurnABit(File(), "kept before");
  auto state = Open();
  ASSERT_TRUE(state);
  EXPECT_EQ(messages(**state).size(), 1u);
  EXPECT_FALSE((*(*state)->Read([](sqlite::Database& db) { return LoadRow(db, 1); }))->checksum_ok);
}

TEST_F(ChangedBits, AreDetectedAfterASalvage) {
  Make(false);
  Reset();
  TurnABit(File(), "message 143.");
  TurnABit(File(), "capture 143.");
  DamageTable("handled_events");  // SQLite detects this damage
  auto state = Open();
  ASSERT_TRUE(state) << state.error().message;
  ASSERT_EQ(Said(**state).size(), 1u);
  EXPECT_FALSE(
      (*(*state)->Read([](sqlite::Database& db) { return LoadRow(db, 144); }))->checksum_ok);
  const auto messages = *(*state)->Read([](sqlite::Database& db) {
    conversation::SqliteRows rows(db);
    return conversation::MessagesBetween(rows, "c3", 1, kRows);
  });
  EXPECT_EQ(messages.messages.size(), kRows / 5u - 1);
  ExpectUsable(**state);
}

class ChangedBitsSidecar : public SidecarTest {
 protected:
  std::string File() const { return directory_.path() + "/state/state.db"; }
  std::string Scrape() {
    http::ClientRequest scrape;
    scrape.target = "/metrics";
    return admin_->Send(scrape)->body;
  }
};

TEST_F(ChangedBitsSidecar, AreNotServedNotSentAndReported) {
  memory_.Down();
  Prompt("remember me");
  for (int i = 0; i < 20; ++i) {
    Bash("error number " + std::to_string(i) + " ends here", "t" + std::to_string(i));
  }
  running_.reset();
  {
    // Damages one capture in the outbox, and the tool result of another one in the messages.
    auto db = sqlite::Database::Open(File(), {});
    ASSERT_TRUE(db);
    ASSERT_TRUE(
        db->Execute("UPDATE outbox SET body = replace(body, 'number 7 ends', 'number 7 eNds');"
                    "UPDATE messages SET content = replace(content, 'number 9 ends',"
                    " 'number 9 eNds') WHERE role = 'tool'"));
  }
  memory_.Up();
  Start();
  EXPECT_TRUE(memory_.WaitForObservations(19));
  ASSERT_TRUE(Drained());
  for (const Json& observation : memory_.observations) {
    EXPECT_EQ(observation.dump().find("eNds"), std::string::npos);
  }
  EXPECT_EQ(Messages().size(), 41u - 2);                 // the result and its call
  const Json counts = {{"messages", 1}, {"outbox", 1}};  // recorded after the answer
  EXPECT_TRUE(Until([&] { return Ask("GET", "/v1/status").body["damaged_rows"] == counts; }));
  const Json status = Ask("GET", "/v1/status").body;
  EXPECT_TRUE(status["damages"].empty());
  EXPECT_EQ(status["dead_by_cause"], (Json{{"damaged", 1}}));
  EXPECT_EQ(status["accepted"].get<int64_t>(),
            status["delivered"].get<int64_t>() + status["dead"].get<int64_t>());
  const std::string metrics = Scrape();
  for (const char* table : {"messages", "outbox"}) {
    EXPECT_NE(
        metrics.find(std::string("agent_memory_sidecar_damaged_rows{table=\"") + table + "\"} 1"),
        std::string::npos);
  }
  // A replay does not send the row: it still fails its checksum.
  const auto letter = status["dead_letters"][0]["sequence"].get<int64_t>();
  EXPECT_EQ(Ask("POST", "/v1/dead-letters/replay", Json{{"sequences", {letter}}}).status, 200);
  ASSERT_TRUE(Drained());
  EXPECT_EQ(Ask("GET", "/v1/status").body["dead_by_cause"], (Json{{"damaged", 1}}));
  const Json shown = Ask("GET", "/v1/dead-letters/" + std::to_string(letter)).body;
  EXPECT_EQ(shown["sound"], false);
  EXPECT_TRUE(shown["body"].is_null());
}

}  // namespace
}  // namespace sidecar
