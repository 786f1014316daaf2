// Conversations on the server: messages, lists and states of one caller, which no other caller and
// no copy of the tenant shows.
#include "lib/conversation/sqlite/rows.h"
#include "lib/sql/database.h"
#include "memory/api/gate.h"
#include "memory/api/identity_routes_fixture.h"
#include "memory/made_formats_fixture.h"

namespace memory {
namespace {

Json Said(const std::string& content) {
  return {{"messages", {{{"role", "user"}, {"content", content}}}}};
}

TEST_F(ApiTest, ConversationMessagesAndStatesSurviveARestart) {
  EXPECT_EQ(Get("/conversations/current").status, 404);
  EXPECT_EQ(Get("/conversations/one/messages").status, 404);
  EXPECT_EQ(Send(*client_, "PUT", "/conversations/one/state", R"({"state": "ended"})").status, 404);
  EXPECT_EQ(Post("/conversations/one/messages", Said("first")).body,
            (Json{{"count", 1}, {"last", 1}}));
  Json more = Said("second");
  more["toolMeta"] = {{"call", {{"ms", 7}}}};
  EXPECT_EQ(Post("/conversations/one/messages", more).body["last"], 2);
  Post("/conversations/two%2F3/messages", Said("other"));
  Start();
  const Json one = Get("/conversations/one/messages").body;
  EXPECT_EQ(one["conversation"], "one");
  EXPECT_EQ(one["messages"].size(), 2u);
  EXPECT_EQ(one["messages"][1]["content"], "second");
  EXPECT_EQ(one["fields"]["toolMeta"]["call"]["ms"], 7);
  EXPECT_EQ(Get("/conversations/current").body["id"], "two/3");
  const Json list = Get("/conversations").body["conversations"];
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[1]["id"], "one");
  EXPECT_EQ(
      Send(*client_, "PUT", "/conversations/two%2F3/state", R"({"state": "ended"})").body["state"],
      "ended");
  EXPECT_EQ(Get("/conversations/current").body["id"], "one");
  EXPECT_EQ(Get("/conversations?state=ended").body["conversations"][0]["id"], "two/3");
  Post("/conversations/two%2F3/messages", Said("again"));
  EXPECT_EQ(Get("/conversations/current").body["state"], "open");
}

TEST_F(ApiTest, ConversationBlocksAreClosedOpenedAndServed) {
  Post("/conversations/c/messages", Said("check the disk"));
  EXPECT_EQ(Post("/conversations/c/blocks/close", {{"outcome", "92 %"}}).body["state"], "closed");
  EXPECT_EQ(Post("/conversations/c/blocks/close", Json::object()).status, 409);
  EXPECT_EQ(Post("/conversations/c/blocks", Json::object()).body["block"], 1);
  Start();
  EXPECT_EQ(Get("/conversations/c/blocks").body["blocks"].size(), 2u);
  EXPECT_EQ(Get("/conversations/c/blocks/0").body["messages"][0]["content"], "check the disk");
  EXPECT_EQ(Get("/conversations/c/blocks/2").status, 404);
  EXPECT_EQ(Get("/conversations/c/context?max_tokens=9000").body["blocks"], Json({0}));
}

TEST_F(ApiTest, ConversationTaskIsRenderedAndCopied) {
  const Json told = {{"task", "deploy v2"}, {"files_modified", {"main.go"}}};
  EXPECT_EQ(Send(*client_, "PUT", "/conversations/c/working", told.dump()).status, 200);
  Post("/conversations/c/messages", Said("check the disk"));
  Post("/conversations/c/blocks/close", {{"outcome", "92 %"}});
  Start();
  const std::string text = Get("/conversations/c/render").body["text"];
  EXPECT_TRUE(text.starts_with("[TASK CONTEXT]\nTask: deploy v2\nFiles modified: main.go\n"))
      << text;
  EXPECT_NE(text.find("#0: check the disk → \"92 %\""), std::string::npos) << text;
  const Json snapshot = Get("/conversations/c/snapshot").body;
  EXPECT_EQ(snapshot["files_modified"], (Json{"main.go"}));
  EXPECT_EQ(Send(*client_, "PUT", "/conversations/d/snapshot", snapshot.dump()).body, snapshot);
  EXPECT_EQ(Get("/conversations/d/snapshot").body, snapshot);
  EXPECT_EQ(Get("/conversations/e/snapshot").status, 404);
}

TEST_F(ApiTest, ConversationCheckpointExpiresAfterADay) {
  const std::string path = "/conversations/c/checkpoint";
  Post("/conversations/c/messages", Said("migrate 60 tables"));
  const Json saved = Send(*client_, "PUT", path, R"({"step": 40})").body;
  EXPECT_EQ(saved["generation"], 1);
  EXPECT_EQ(Send(*client_, "PUT", path, R"({"step": 41, "ttl": "1h"})").status, 200);
  clock_.Advance(3'600'000);
  EXPECT_EQ(Get(path).body["step"], 40) << "that of step 41 is over";
  Start();
  const Json read = Get(path).body;
  EXPECT_EQ(read["messages"][0]["content"], "migrate 60 tables");
  EXPECT_EQ(read["expires_at"], saved["expires_at"]);
  clock_.Advance(23 * 3'600'000LL);
  EXPECT_EQ(Get(path).status, 404);
  EXPECT_EQ(Get("/conversations/c/checkpoints").body["checkpoints"], Json::array());
}

TEST_F(ApiTest, ConversationAtItsByteLimitIs507) {
  Post("/conversations/c/messages", Said("first"));
  auto store = server_->engine().Open(kEverybody);
  ASSERT_TRUE(store) << store.error().message;
  ASSERT_TRUE((*store)->Conversations("")->Write([](conversation::Rows& all) -> base::Result<Json> {
    sql::Database& db = static_cast<conversation::SqliteRows&>(all).database();
    RETURN_IF_ERROR(db.Execute("UPDATE conversation_bytes SET bytes = 268435456"));
    return Json();
  }));
  EXPECT_EQ(Post("/conversations/c/messages", Said("more")).status, 507);
  EXPECT_EQ(Get("/conversations/c/messages").body["last"], 1);
  EXPECT_EQ(Post("/conversations/d/messages", Said("other")).status, 200);
}

TEST_F(ApiTest, ConversationRefusesInvalidMessages) {
  EXPECT_EQ(PostText("/conversations/c/messages", "").status, 400);
  EXPECT_EQ(Post("/conversations/c/messages", {{"messages", "x"}}).status, 400);
  EXPECT_EQ(Post("/conversations/" + std::string(201, 'c') + "/messages", Said("x")).status, 400);
  EXPECT_EQ(PostText("/conversations/c/messages", std::string(9 << 20, ' ')).status, 413);
  EXPECT_EQ(Get("/conversations/c/messages").status, 404);
  EXPECT_EQ(Get("/conversations?cursor=x").status, 400);
}

TEST_F(ApiTest, ExportContainsTheCallersAegisHashes) {
  Send(*client_, "PUT", "/working-memory/c%22", R"({"fields": {"scratchpad": "s", "n": [1]}})");
  Post("/ledger/c/mark", {{"item", "skill:x"}, {"value", "v"}});
  Post("/ledger/d/mark", {{"item", "skill:y"}});
  const Json hashes = {{"working_memory:c\"", {{"scratchpad", "\"s\""}, {"n", "[1]"}}},
                       {"skill:ledger:c", {{"skill:x", "v"}}},
                       {"skill:ledger:d", {{"skill:y", "injected"}}}};
  Json aegis = Get("/export").body["aegis"];
  EXPECT_GT(aegis["working_memory_ttl:c\""]["expires_at"], "");
  aegis.erase("working_memory_ttl:c\"");
  EXPECT_EQ(aegis, hashes);
  EXPECT_FALSE(Get("/export?project=p").body.contains("aegis"));
  Post("/episodic/store",
       {{"conversation_id", "c"}, {"agent_id", "a"}, {"summary", "the pump failed"}});
  EXPECT_EQ(Get("/export").body["aegis"]["episodic_memories"][0]["summary"], "the pump failed");
  const std::string lines =
      Send(*client_, "GET", "/export?format=jsonl", "").body.get<std::string>();
  EXPECT_NE(lines.find("skill:ledger:d"), std::string::npos);
  EXPECT_EQ(PostText("/import", base::DumpJson(Get("/export").body)).status, 200);
  EXPECT_EQ(PostText("/import?format=jsonl", lines).body["errors"], Json::array());
}

TEST_F(ApiTest, DeletedConversationLeavesNoRows) {
  EXPECT_EQ(Delete("/conversations/c").status, 404);
  for (const char* id : {"c", "d"}) {
    const std::string at = std::string("/conversations/") + id, c = id;
    for (int i = 0; i < 5; ++i) {  // more than a piece
      Json many = Said("check the disk");
      for (int n = 0; n < 60; ++n)
        many["messages"].push_back({{"role", "assistant"}, {"content", "ok"}});
      Post(at + "/messages", many);
      Post(at + "/blocks/close", Json::object());
    }
    Send(*client_, "PUT", at + "/working", R"({"task": "deploy"})");
    Send(*client_, "PUT", "/working-memory/" + c, R"({"fields": {"a": 1, "b": 2}})");
    Post("/ledger/" + c + "/mark", {{"item", "skill:x"}});
    Send(*client_, "PUT", at + "/checkpoint", R"({"step": 3})");
  }
  EXPECT_EQ(Delete("/conversations/c").status, 204);
  EXPECT_EQ(Delete("/conversations/c").status, 404);
  Start();
  for (const char* part : {"messages", "blocks", "blocks/0", "snapshot"})
    EXPECT_EQ(Get(std::string("/conversations/c/") + part).status, 404) << part;
  EXPECT_EQ(Get("/working-memory/c").body["fields"], Json::object());
  EXPECT_EQ(Get("/ledger/c").body["items"], Json::array());
  EXPECT_EQ(Get("/conversations").body["conversations"].size(), 1u);
  EXPECT_EQ(Get("/conversations/d/messages").body["last"], 305);
  EXPECT_EQ(Get("/working-memory/d").body["bytes"], 4);
  auto store = server_->engine().Open(kEverybody);
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_TRUE((*store)->Conversations("")->Read([](conversation::Rows& all) -> base::Result<Json> {
    sql::Database& db = static_cast<conversation::SqliteRows&>(all).database();
    for (const char* from : {"messages WHERE conversation = char(10) || 'c'",
                             "blocks WHERE conversation = char(10) || 'c'",
                             "block_forms WHERE number NOT IN (SELECT number FROM blocks)",
                             "checkpoints WHERE conversation = char(10) || 'c'",
                             "task_states WHERE conversation = char(10) || 'c'",
                             "ledger WHERE conversation = char(10) || 'c'",
                             "conversation_bytes WHERE conversation = char(10) || 'c'",
                             "conversations WHERE id = char(10) || 'c'"}) {
      auto rows = db.Prepare(std::string("SELECT count(*) FROM ") + from);
      EXPECT_TRUE(rows && rows->Step()) << from;
      EXPECT_EQ(rows ? rows->Int(0) : -1, 0) << from;
    }
    return Json();
  }));
  Post("/conversations/c/messages", Said("again"));
  EXPECT_EQ(Get("/conversations/c/messages").body["last"], 1);
}

// Into an empty server: what is there again, and until when.
TEST_F(ApiTest, ImportRestoresAegisHashesAndKeepsExistingFields) {
  Send(*client_, "PUT", "/working-memory/hold",
       R"({"fields": {"a": {"b": null}}, "ttl_seconds": 700})");
  Send(*client_, "PUT", "/working-memory/plain", R"({"fields": {"scratchpad": "s"}})");
  Post("/ledger/hold/mark", {{"item", "skill:x"}, {"value", "v"}});
  clock_.Advance(100'000);
  const Json whole = Get("/export").body;
  const std::string lines =
      Send(*client_, "GET", "/export?format=jsonl", "").body.get<std::string>();
  for (const std::string& copy : {base::DumpJson(whole), lines}) {
    Delete("/working-memory/hold");
    Post("/ledger/hold/evict", {{"item", "skill:x"}});
    Send(*client_, "PUT", "/working-memory/plain", R"({"fields": {"scratchpad": "mine"}})");
    clock_.Advance(100'000);
    const Json said = PostText("/import", copy).body;
    EXPECT_EQ(said["imported_aegis"], 3) << said;
    EXPECT_EQ(said["skipped"], 2) << "the fields that are there, and their life";
    const char* kLife = "working_memory_ttl:hold";
    EXPECT_EQ(Get("/export").body["aegis"][kLife], whole["aegis"][kLife]);
    const Json hold = Get("/working-memory/hold").body;
    EXPECT_EQ(hold["fields"], (Json{{"a", {{"b", nullptr}}}}));
    EXPECT_EQ(hold["ttl_seconds"], 700);
    EXPECT_EQ(Get("/working-memory/plain").body["fields"]["scratchpad"], "mine");
    EXPECT_EQ(Get("/ledger/hold").body["items"][0]["value"], "v");
    EXPECT_EQ(PostText("/import", copy).body["imported_aegis"], 0) << "all is there";
  }
}

TEST_F(ApiTest, ImportedExpiredFieldsAreNotServed) {
  const Json over = {{"working_memory:c", {{"a", "1"}}},
                     {"working_memory_ttl:c", {{"expires_at", "2001-01-01T00:00:00Z"}}}};
  EXPECT_EQ(Post("/import", {{"aegis", over}}).body["imported_aegis"], 2);
  EXPECT_EQ(Get("/working-memory/c").body["fields"], Json::object());
}

TEST_F(ApiTest, ImportRefusesInvalidAegisHashes) {
  Json ledger = Json::object();
  for (int i = 0; i <= 10'000; ++i) ledger["item" + std::to_string(i)] = "v";
  const Json aegis = {{"working_memory:a", {{"n", "no JSON"}}},
                      {"working_memory:b", {{"big", Json(std::string(70'000, 'b')).dump()}}},
                      {"working_memory:" + std::string(201, 'c'), {{"n", "1"}}},
                      {"working_memory:d", {{"scratchpad", "1"}}},
                      {"working_memory:e", {{"n", 1}}},
                      {"working_memory_ttl:f", {{"expires_at", "soon"}}},
                      {"skill:ledger:g", {{"", "v"}}},
                      {"skill:ledger:h", ledger},
                      {"other:i", Json::object()},
                      {"working_memory:j", 7},
                      {"working_memory:k", {{"n", "1"}}}};
  const Json said = Post("/import", {{"observations", Json::array()}, {"aegis", aegis}}).body;
  EXPECT_EQ(said["imported_aegis"], 1) << said;
  EXPECT_EQ(said["errors"].size(), 10u) << said;
  for (const char* id : {"a", "b", "d", "e"})
    EXPECT_EQ(Get(std::string("/working-memory/") + id).body["version"], 0) << id;
  EXPECT_EQ(Get("/working-memory/k").body["fields"]["n"], 1);
  EXPECT_EQ(
      Post("/import", {{"observations", Json::array()}, {"", {{"working_memory:l", 1}}}}).status,
      200);
  EXPECT_EQ(Post("/import", {{"aegis", {{"working_memory:l", Json::array({1})}}}}).status, 200);
  for (const char* id : {"g", "h"})
    EXPECT_EQ(Get(std::string("/ledger/") + id).body["items"], Json::array()) << id;
}

class ConversationsRoute : public EveryRouteTest {
 protected:
  ConversationsRoute() : EveryRouteTest(kMidnight), issuer_(clock_) { Start(&issuer_); }
  FakeIssuer issuer_;
};

TEST_F(ConversationsRoute, OtherCallersAndExportsSeeNoConversation) {
  const std::string a = issuer_.IssueTo("team", "a"), b = issuer_.IssueTo("team", "b");
  As(a, "POST", {"/conversations/c/messages", base::DumpJson(Said(kCanary))});
  As(a, "PUT", {"/working-memory/c", base::DumpJson({{"fields", {{"scratchpad", kCanary}}}})});
  As(a, "POST", {"/ledger/c/mark", base::DumpJson({{"item", kCanary}})});
  for (const char* target : {"/conversations/c/messages", "/conversations/current"})
    EXPECT_EQ(As(b, "GET", {target, ""}).status, 404) << target;
  EXPECT_EQ(As(b, "DELETE", {"/conversations/c", ""}).status, 404);
  EXPECT_EQ(As(b, "PUT", {"/conversations/c/state", R"({"state": "ended"})"}).status, 404);
  EXPECT_EQ(As(b, "GET", {"/conversations", ""}).body["conversations"], Json::array());
  for (const std::string& format :
       Made({"json", "jsonl", "markdown", "obsidian", "notes", "sqlite"})) {
    const Answered copy = As(b, "GET", {"/export?format=" + format, ""});
    EXPECT_EQ(copy.status, 200) << format;
    EXPECT_EQ(base::DumpJson(copy.body).find(kCanary), std::string::npos) << format;
  }
  EXPECT_NE(Everything(a).find(kCanary), std::string::npos);
  EXPECT_EQ(As(a, "GET", {"/conversations/c/messages", ""}).body["state"], "open");
  EXPECT_EQ(As(b, "POST", {"/conversations/c/messages", base::DumpJson(Said("mine"))}).status, 200);
  EXPECT_EQ(As(b, "GET", {"/conversations/c/messages", ""}).body["last"], 1) << "b's own c";
}

}  // namespace
}  // namespace memory
