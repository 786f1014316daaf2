// Idempotency-Keys through the port: whose they are, and what they stand for.
#include "memory/api/identity_routes_fixture.h"

namespace memory {
namespace {

TEST_F(ApiTest, ReusedKeyWithAnotherBodyIs422AndStoresNothing) {
  const int64_t id = Post("/observations", NoteBody("the first"), "1").body.at("id");
  Answered other = Post("/observations", NoteBody("the second"), "1");
  EXPECT_EQ(other.status, 422) << other.body;
  EXPECT_EQ(other.body["code"], "idempotency_key_reused");
  const std::string error = other.body.value("error", "");
  for (const char* said : {"Idempotency-Key", "another body", "a new key"})
    EXPECT_NE(error.find(said), std::string::npos) << error;
  EXPECT_NE(error.find("observation " + std::to_string(id)), std::string::npos) << error;
  EXPECT_EQ(Get("/stats").body["total_observations"], 1);
  // The key stays the first body's, and the second one has its own.
  EXPECT_EQ(Post("/observations", NoteBody("the first"), "1").body["id"], id);
  EXPECT_EQ(Post("/observations", NoteBody("the second"), "2").body["action"], "created");
}

TEST_F(ApiTest, KeyCoversEachFieldOfTheBody) {
  Json body = NoteBody("text");
  body["tags"] = {"a"};
  body["source"] = {{"tool", "bash"}};
  ASSERT_EQ(Post("/observations", body, "k").status, 201);
  const std::vector<std::pair<const char*, Json>> others = {
      {"session_id", "other"}, {"type", "lesson"},   {"title", "other"},
      {"content", "Text"},     {"project", "other"}, {"tags", {"b"}},
      {"scope", "global"},     {"topic_key", "t"},   {"source", Json{{"tool", "sh"}}}};
  for (const auto& [field, value] : others) {
    Json other = body;
    other[field] = value;
    if (field == std::string("project")) other["session_id"] = "of-other";
    EXPECT_EQ(Post("/observations", other, "k").status, 422) << field;
  }
}

// A client that reads its body from a file again may write it down in another order.
TEST_F(ApiTest, ReformattedBodyIsAReplay) {
  const Answered first = Post("/observations", NoteBody("text"), "k");
  const std::string reworded =
      R"({ "title": "note", "content": "te\u0078t", "project": "p", "scope": "project", "tags": [],)"
      R"("type": "discovery", "session_id": "s-p", "source": {"origin": "user"}, "unknown": 1})";
  const Answered again = Send(*client_, "POST", "/observations", reworded, "k");
  EXPECT_EQ(again.status, 201) << again.body;
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(again.headers.Get("Idempotency-Replayed"), "true");
}

TEST_F(ApiTest, ReplayReturnsTheFirstAnswerAfterChanges) {
  Json topic = NoteBody("text");
  topic["topic_key"] = "t";
  const Answered first = Post("/observations", topic, "k");
  Json later = topic;
  later["content"] = "later";
  EXPECT_EQ(Post("/observations", later, "k2").body["action"], "updated");
  for (const char* change : {"", "/observations/1", "/observations/1?hard=true"}) {
    if (*change) Delete(change);
    const Answered again = Post("/observations", topic, "k");
    EXPECT_EQ(again.status, 201);
    EXPECT_EQ(again.body, first.body);
    EXPECT_EQ(again.headers.Get("Idempotency-Replayed"), "true");
  }
}

TEST_F(ApiTest, AKeyHasAtMost200Characters) {
  std::string key;
  for (int i = 0; i < 200; ++i) key += "é";
  EXPECT_EQ(Post("/observations", NoteBody("text"), key).status, 201);
  const Answered refused = Post("/observations", NoteBody("other"), key + "é");
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.body["error"], "Idempotency-Key has 201 characters, the limit is 200");
}

class KeyOfCallerTest : public EveryRouteTest {
 protected:
  KeyOfCallerTest() : EveryRouteTest(kMidnight), issuer_(clock_) { Start(&issuer_); }
  Answered PostAs(const std::string& account, const std::string& content, const char* key) {
    http::ClientRequest request;
    request.method = "POST";
    request.target = "/observations";
    request.body = base::DumpJson(api::EncodeNewObservation(Note(content)));
    request.headers.Set("Authorization", "Bearer " + issuer_.IssueTo("team-a", account));
    request.headers.Set("Idempotency-Key", key);
    auto response = client_->Send(request);
    EXPECT_TRUE(response) << response.error().message;
    if (!response) return {};
    return {response->status, base::ParseJson(response->body).value_or(Json()), response->headers};
  }
  FakeIssuer issuer_;
};

TEST_F(KeyOfCallerTest, KeysArePerAccount) {
  const Answered one = PostAs("coder", "what the coder says", "1");
  const Answered two = PostAs("writer", "what the writer says", "1");
  EXPECT_EQ(one.status, 201);
  EXPECT_EQ(two.status, 201) << two.body;
  EXPECT_FALSE(two.headers.Get("Idempotency-Replayed"));
  EXPECT_NE(two.body["id"], one.body["id"]);
  EXPECT_EQ(PostAs("coder", "what the coder says", "1").body, one.body);
  EXPECT_EQ(PostAs("writer", "what the writer says", "1").body, two.body);
  EXPECT_EQ(PostAs("writer", "what the coder says", "1").status, 422);
}

}  // namespace
}  // namespace memory
