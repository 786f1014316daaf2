// The contract's three tiers of a write, and keys of repeated calls, through the port.
#include <atomic>
#include <thread>

#include "memory/api/api_fixture.h"

namespace memory {
namespace {

class ContractDedup : public ApiTest {
 protected:
  static Json Topic(const std::string& content, const std::string& key = "k") {
    Json body = NoteBody(content);
    body["topic_key"] = key;
    return body;
  }
  std::string ActionOf(const Json& body) {
    return Post("/observations", body).body["action"].get<std::string>();
  }
};

TEST_F(ContractDedup, ATopicKeyUpdatesTitleContentAndTimeInPlace) {
  Json body = Topic("the port is 7437");
  body["tags"] = {"network"};
  MustPost(body);
  clock_.Advance(30 * kDay);
  body["content"] = "the port is 8080";
  body["title"] = "moved";
  body["type"] = "decision";
  Answered answer = Post("/observations", body);
  EXPECT_EQ(answer.status, 201);
  EXPECT_EQ(
      answer.body,
      (Json{{"id", 1}, {"action", "updated"}, {"revision_count", 2}, {"duplicate_count", 0}}));
  Json row = Get("/observations/1").body;
  EXPECT_EQ(row["content"], "the port is 8080");
  EXPECT_EQ(row["title"], "moved");
  EXPECT_EQ(row["type"], "decision");
  EXPECT_EQ(row["created_at"], "2026-04-12T00:00:00Z");
  EXPECT_EQ(row["updated_at"], "2026-05-12T00:00:00Z");
  EXPECT_EQ(Get("/search?q=7437").body, Json::array());
  EXPECT_EQ(Get("/observations/1/revisions").body.at(0)["content"], "the port is 7437");
}

TEST_F(ContractDedup, ATopicKeyIsOfItsProjectAndScope) {
  MustPost(Topic("a"));
  Json other = Topic("a");
  other["project"] = "q";
  other["session_id"] = "s-q";
  EXPECT_EQ(ActionOf(other), "created");
  other["scope"] = "global";
  EXPECT_EQ(ActionOf(other), "created");
  other["project"] = "Q";
  EXPECT_EQ(ActionOf(other), "updated");
}

TEST_F(ContractDedup, EqualContentWithinFifteenMinutesIsCountedExactlyAcrossMidnight) {
  clock_.Advance(24 * 60 * kMinute - 5 * kMinute);  // 23:55
  MustPost(NoteBody("Disk  is\nFULL"));
  clock_.Advance(15 * kMinute);  // 00:10 of the next day, to the millisecond
  Answered duplicate = Post("/observations", NoteBody("disk is full"));
  EXPECT_EQ(duplicate.status, 201);
  EXPECT_EQ(
      duplicate.body,
      (Json{{"id", 1}, {"action", "deduplicated"}, {"revision_count", 1}, {"duplicate_count", 1}}));
  Json row = Get("/observations/1").body;
  EXPECT_EQ(row["content"], "Disk  is\nFULL");
  EXPECT_EQ(row["last_seen_at"], "2026-04-13T00:10:00Z");
  EXPECT_EQ(row["updated_at"], "2026-04-12T23:55:00Z");
  clock_.Advance(1);
  EXPECT_EQ(ActionOf(NoteBody("disk is full")), "created");
}

TEST_F(ContractDedup, EqualContentHoursOlderIsNoDuplicate) {
  MustPost(NoteBody("text"));
  clock_.Advance(14 * 60 * kMinute);
  EXPECT_EQ(ActionOf(NoteBody("text")), "created");
}

TEST_F(ContractDedup, TheTitleIsNotPartOfTheHashKeyButTypeScopeAndProjectAre) {
  MustPost(NoteBody("text"));
  Json body = NoteBody("text");
  body["title"] = "worded differently";
  EXPECT_EQ(ActionOf(body), "deduplicated");
  body["type"] = "decision";
  EXPECT_EQ(ActionOf(body), "created");
  body["scope"] = "global";
  EXPECT_EQ(ActionOf(body), "created");
  EXPECT_EQ(ActionOf(NoteBody("text", "q")), "created");
}

TEST_F(ContractDedup, ANewTopicKeyIsNeverSwallowedByTheHashTier) {
  MustPost(NoteBody("same text"));
  Answered answer = Post("/observations", Topic("same text", "new"));
  EXPECT_EQ(answer.body["action"], "created");
  EXPECT_EQ(Get("/observations/2").body["topic_key"], "new");
  EXPECT_EQ(ActionOf(Topic("same text", "newer")), "created");
}

TEST_F(ContractDedup, TheAnswerOfATierHasTheRowsOwnCounts) {
  MustPost(Topic("text"));
  Post("/observations", Topic("changed"));
  Answered duplicate = Post("/observations", NoteBody("changed"));
  EXPECT_EQ(duplicate.body["action"], "deduplicated");
  EXPECT_EQ(duplicate.body["revision_count"], 2);
  Answered update = Post("/observations", Topic("changed again"));
  EXPECT_EQ(update.body["revision_count"], 3);
  EXPECT_EQ(update.body["duplicate_count"], 1);
}

TEST_F(ContractDedup, SixtyFourWritersOfOneTopicMakeOneRowAndNoServerError) {
  constexpr int kWriters = 64, kEach = 4;
  std::atomic<int> created{0}, other{0};
  {
    std::vector<std::jthread> writers;
    for (int i = 0; i < kWriters; ++i) {
      writers.emplace_back([&, i] {
        auto client = Connect(server_->api_address());
        for (int n = 0; n < kEach; ++n) {
          std::string text = "writer " + std::to_string(i) + " text " + std::to_string(n);
          Answered answer = Send(*client, "POST", "/observations", base::DumpJson(Topic(text)));
          if (answer.status != 201)
            ++other;
          else if (answer.body["action"] == "created")
            ++created;
        }
      });
    }
  }
  EXPECT_EQ(other, 0);
  EXPECT_EQ(created, 1);
  EXPECT_EQ(Get("/stats").body["total_observations"], 1);
  EXPECT_EQ(Get("/observations/1").body["revision_count"], kWriters * kEach);
  EXPECT_EQ(Get("/observations/1/revisions").body.size(), size_t{kWriters * kEach});
}

TEST_F(ContractDedup, AnIdempotencyKeyIsKeptSevenDaysAndNotAMillisecondLonger) {
  MustPost(NoteBody("zero"));
  Answered first = Post("/observations", NoteBody("text"), "key");
  clock_.Advance(7 * kDay);
  Start();  // kept over a restart
  Answered again = Post("/observations", NoteBody("text"), "key");
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(again.headers.Get("Idempotency-Replayed"), "true");
  clock_.Advance(1);
  Answered later = Post("/observations", NoteBody("whatever"), "key");
  EXPECT_EQ(later.body["action"], "created");
  EXPECT_FALSE(later.headers.Get("Idempotency-Replayed"));
  EXPECT_EQ(Post("/observations", NoteBody("whatever"), "key").body, later.body);
  EXPECT_EQ(Post("/observations", NoteBody("text"), "key").status, 422);
}

}  // namespace
}  // namespace memory
