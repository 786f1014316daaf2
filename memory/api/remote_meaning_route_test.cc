// A server with an embeddings endpoint that is there, away, and back: what is found, and that
// nobody waits for it.
#include "lib/testing/eventually.h"
#include "memory/api/api_fixture.h"
#include "memory/endpoint/fake_endpoint_fixture.h"

namespace memory {
namespace {

class RemoteMeaning : public ApiTest {
 protected:
  RemoteMeaning() { StartWith("small"); }
  void StartWith(const std::string& model, bool table = false, int64_t deadline_ms = 30'000) {
    server_.reset();
    ServerSettings settings;
    settings.data_dir = scratch_.File("remote");
    settings.lock_wait_ms = 0;
    settings.store.query_deadline_ms = 60'000;
    settings.store.read_timeout_ms = 90'000;
    settings.embeddings.on = true;
    settings.embeddings.table = scratch_.File("no table");
    settings.embeddings.endpoint.url = endpoint_.url();
    settings.embeddings.endpoint.model = model;
    settings.embeddings.endpoint.key = "sk-secret";
    settings.embeddings.endpoint.deadline_ms = deadline_ms;
    settings.embeddings.endpoint.floor = 0.5F;
    if (table) settings.embeddings.table = table_;
    auto server = StartServer(settings);
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
    client_ = Connect(server_->api_address());
    admin_ = Connect(server_->admin_address());
  }
  // In a session each, so that no row lends to another.
  void Keep(const std::string& content) {
    Json body = NoteBody(content);
    body["session_id"] = "of " + content;
    MustPost(body);
  }
  Json Ask(const std::string& words) {
    const Answered found = Get("/search?q=" + http::PercentEncode(words) + "&project=p");
    EXPECT_EQ(found.status, 200);
    return found.body;
  }
  bool Finds(const std::string& words, const std::string& content) {
    const Json rows = Ask(words);
    return std::any_of(rows.begin(), rows.end(),
                       [&](const Json& row) { return row["content"] == content; });
  }
  bool Embedded() {
    return testing::Eventually([this] { return server_->engine().Figures().remote_gaps == 0; });
  }
  FakeEndpoint endpoint_;
  const std::string table_ = "share/agent-memory-server/embedding.table";
};

TEST_F(RemoteMeaning, SynonymsAreFound) {
  Keep("my car is red");
  Keep("a loaf of rye");
  ASSERT_TRUE(testing::Eventually([&] { return Finds("which vehicle", "my car is red"); }));
  const Json row = Ask("which vehicle")[0];
  EXPECT_EQ(row["method"], "embedding");
  EXPECT_GT(row["scores"]["similarity"].get<double>(), 0.9);
  EXPECT_FALSE(Finds("which vehicle", "a loaf of rye"));
  EXPECT_EQ(endpoint_.authorization(), "Bearer sk-secret");
}

TEST_F(RemoteMeaning, HangingEndpointDelaysNoWriteOrSearch) {
  Keep("my car is red");
  ASSERT_TRUE(testing::Eventually([&] { return Finds("which vehicle", "my car is red"); }));
  endpoint_.Set(Misbehave::kHang);
  for (int i = 0; i < 20; ++i) Keep("bread " + std::to_string(i));  // 60 s each would be too long
  ASSERT_TRUE(testing::Eventually([&] { return endpoint_.hanging() > 0; }));
  Keep("my garden");
  EXPECT_TRUE(Finds("garden", "my garden"));
  EXPECT_FALSE(Finds("lawn", "my garden"));
  server_.reset();  // ends what hangs
  endpoint_.Set(Misbehave::kNot);
}

TEST_F(RemoteMeaning, QueryFallsBackToWordsAtItsDeadline) {
  StartWith("small", false, 30);
  Keep("my car is red");
  ASSERT_TRUE(testing::Eventually([&] {
    clock_.Advance(60'000);
    return Finds("which vehicle", "my car is red");
  }));
  endpoint_.Set(Misbehave::kHang);
  EXPECT_FALSE(Finds("what vehicle", "my car is red"));
  EXPECT_TRUE(Finds("what car", "my car is red"));
  EXPECT_TRUE(Finds("which vehicle", "my car is red")) << "it was asked before";
}

TEST_F(RemoteMeaning, EndpointOutageCausesNoError) {
  Keep("my car is red");
  ASSERT_TRUE(testing::Eventually([&] { return Finds("which vehicle", "my car is red"); }));
  for (int status : {500, 429, 401}) {
    endpoint_.Set(Misbehave::kStatus, status);
    EXPECT_FALSE(Finds("vehicle " + std::to_string(status), "my car is red"));
    EXPECT_TRUE(Finds("car", "my car is red"));
    Keep("a loaf of rye " + std::to_string(status));
    endpoint_.Set(Misbehave::kNot);
    EXPECT_TRUE(testing::Eventually([&] {
      clock_.Advance(60'000);
      return Finds("some bread " + std::to_string(status),
                   "a loaf of rye " + std::to_string(status)) &&
             Finds("one vehicle " + std::to_string(status), "my car is red");
    }));
  }
}

TEST_F(RemoteMeaning, ChangedTextIsEmbeddedAgainAndDeletedForgotten) {
  Keep("my car is red");
  ASSERT_TRUE(testing::Eventually([&] { return Finds("which vehicle", "my car is red"); }));
  EXPECT_EQ(Send(*client_, "PATCH", "/observations/1", R"({"content": "my loaf is red"})").status,
            200);
  ASSERT_TRUE(testing::Eventually([&] { return Finds("bread", "my loaf is red"); }));
  EXPECT_TRUE(Ask("which vehicle").empty());
  EXPECT_EQ(Send(*client_, "DELETE", "/observations/1?hard=true", "").status, 204);
  EXPECT_TRUE(Ask("bread").empty());
}

TEST_F(RemoteMeaning, OldModelServesUntilTheNewIsComplete) {
  StartWith("small", true);
  Keep("lawn");
  Keep("loaf");
  ASSERT_TRUE(testing::Eventually([&] { return Embedded() && Finds("garden", "lawn"); }));
  endpoint_.Set(Misbehave::kHang);
  StartWith("large", true);
  // Until its vectors are all there the table finds.
  EXPECT_TRUE(Finds("garden", "lawn"));
  EXPECT_TRUE(Finds("bread", "loaf"));
  endpoint_.Set(Misbehave::kNot);
  ASSERT_TRUE(testing::Eventually([&] {
    const Json rows = Ask("garden or bread");
    return rows.size() == 2 && rows[0]["scores"]["similarity"].get<double>() > 0.7;
  }));
}

TEST_F(RemoteMeaning, ExistingRowsAreEmbeddedInBatches) {
  endpoint_.Set(Misbehave::kStatus, 503);
  for (int i = 0; i < 200; ++i)
    Keep("car " + std::string(static_cast<size_t>(i % 20) + 1, 'a') + " " +
         std::string(static_cast<size_t>(i / 20) + 1, 'b'));
  StartWith("small");
  endpoint_.Set(Misbehave::kNot);
  const int asked = endpoint_.requests();
  ASSERT_TRUE(testing::Eventually([&] {
    clock_.Advance(60'000);
    return !Ask("some vehicle").empty();
  }));
  EXPECT_TRUE(Embedded());
  EXPECT_LE(endpoint_.requests() - asked, 30);
  EXPECT_EQ(endpoint_.texts().count("note: car aaa bb"), 1U);
}

TEST_F(RemoteMeaning, StatusReportsWhetherTheEndpointIsUp) {
  if (ChosenStore::OnPostgres())
    GTEST_SKIP() << "a row whose vector is new counts as due until the next round";
  const auto report = [this] {
    http::ClientRequest request;
    request.target = "/v1/status";
    auto answer = admin_->Send(request);
    return answer ? base::ParseJson(answer->body).value_or(Json()) : Json();
  };
  Keep("my car is red");
  ASSERT_TRUE(Embedded());
  EXPECT_EQ(report()["embedding_endpoint"], "up");
  endpoint_.Set(Misbehave::kStatus, 500);
  Keep("my garden");
  ASSERT_TRUE(testing::Eventually([&] { return report()["embedding_endpoint"] == "away"; }));
  EXPECT_EQ(report()["embedding_rows_due"], 1);
  ApiTest::Start();
  EXPECT_EQ(report()["embedding_endpoint"], "none");
}

TEST_F(RemoteMeaning, ApiKeyIsInNoAnswer) {
  Keep("my car is red");
  endpoint_.Set(Misbehave::kStatus, 401);
  Ask("which vehicle");
  for (const char* target : {"/metrics", "/v1/status", "/readyz"}) {
    http::ClientRequest request;
    request.target = target;
    auto answer = admin_->Send(request);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body.find("sk-secret"), std::string::npos) << target;
  }
}

}  // namespace
}  // namespace memory
