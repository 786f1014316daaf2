// Export and import, through the port.
#include "memory/api/api_fixture.h"

namespace memory {
namespace {

TEST_F(ApiTest, ExportIsImportedUnchangedAndOnce) {
  Post("/sessions", {{"id", "s-p"}, {"project", "p"}});
  Json topic = NoteBody("kept");
  topic["topic_key"] = "k";
  MustPost(topic);
  MustPost(topic);
  MustPost(NoteBody("other", "q"));
  Send(*client_, "DELETE", "/observations/2", "");
  MustPost(NoteBody("third", "q"));
  Post("/sessions/s-p/end", {{"messages", {{{"role", "user"}, {"content", "hi"}}}}});
  Json exported = Get("/export").body;
  EXPECT_EQ(exported["format"], "agent-memory/1");
  ASSERT_EQ(exported["observations"].size(), 2u);
  EXPECT_EQ(Get("/export?project=Q").body["observations"].size(), 1u);
  EXPECT_EQ(Get("/export?project=unknown").body["observations"], Json::array());

  StartEmpty();
  Answered answer = Post("/import", exported);
  EXPECT_EQ(answer.body, (Json{{"imported", 2},
                               {"imported_sessions", 2},
                               {"imported_observations", 2},
                               {"skipped", 0},
                               {"errors", Json::array()}}));
  Json again = Get("/export").body;
  EXPECT_EQ(again["sessions"], exported["sessions"]);
  EXPECT_EQ(again["observations"], exported["observations"]);
  EXPECT_EQ(Post("/import", exported).body["skipped"], 4);
  EXPECT_EQ(MustPost(NoteBody("next", "q")), 4);
}

TEST_F(ApiTest, ImportListsRefusedRowsAndOverwritesNothing) {
  MustPost(NoteBody("mine"));
  Json row = Get("/observations/1").body;
  Json other = row;
  other["content"] = "theirs";
  other["created_at"] = "2020-01-01T00:00:00Z";
  Json bad = row;
  bad["title"] = "";
  Answered answer =
      Post("/import", {{"observations", {other, bad, row}}, {"sessions", {{{"id", "x"}}}}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body["imported_observations"], 1);
  EXPECT_EQ(answer.body["skipped"], 1);
  ASSERT_EQ(answer.body["errors"].size(), 2u);
  EXPECT_EQ(answer.body["errors"][0]["index"], 1);
  EXPECT_EQ(Get("/observations/1").body["content"], "mine");
  EXPECT_EQ(Get("/observations/2").body["content"], "theirs");
  EXPECT_EQ(Get("/observations/2").body["duplicate_count"], 0);
  EXPECT_EQ(PostText("/import", "{\"observations\": [").status, 400);
  EXPECT_EQ(Post("/import", {{"format", "other/9"}}).status, 400);
}

TEST_F(ApiTest, ReferenceExportCountsDuplicatesFromOne) {
  Json row = {{"id", 7},
              {"session_id", "s"},
              {"type", "lesson"},
              {"title", "t"},
              {"content", "c"},
              {"project", "p"},
              {"duplicate_count", 3},
              {"revision_count", 2},
              {"created_at", "2026-01-01T00:00:00Z"}};
  EXPECT_EQ(Post("/import", {{"exported_at", "2026-01-02T00:00:00Z"}, {"observations", {row}}})
                .body["imported_observations"],
            1);
  Json stored = Get("/observations/7").body;
  EXPECT_EQ(stored["duplicate_count"], 2);
  EXPECT_EQ(stored["revision_count"], 2);
  EXPECT_EQ(stored["source"]["origin"], "agent");
}

TEST_F(ApiTest, ExportAndImportKeepRevisions) {
  Json note = NoteBody("first");
  note["topic_key"] = "k";
  MustPost(note);
  note["content"] = "second";
  note["tags"] = {"new"};
  clock_.Advance(1500);
  MustPost(note);
  Json revisions = Get("/observations/1/revisions").body;
  ASSERT_EQ(revisions.size(), 2u);
  for (const char* format : {"json", "jsonl"}) {
    Json exported = Get(std::string("/export?format=") + format).body;
    StartEmpty();
    std::string body =
        exported.is_string() ? exported.get<std::string>() : base::DumpJson(exported);
    EXPECT_EQ(PostText("/import", body).body["imported_observations"], 1) << format;
    EXPECT_EQ(Get("/observations/1/revisions").body, revisions) << format;
  }
}

TEST_F(ApiTest, RowsDifferingOnlyInTopicOrSessionAreImported) {
  Json note = NoteBody("equal");
  note["topic_key"] = "a";
  MustPost(note);
  note["topic_key"] = "b";
  MustPost(note);
  note["topic_key"] = "";
  clock_.Advance(kDay);
  MustPost(note);
  clock_.Advance(kDay);
  note["session_id"] = "other";
  MustPost(note);
  Json exported = Get("/export").body;
  ASSERT_EQ(exported["observations"].size(), 4u);
  StartEmpty();
  EXPECT_EQ(Post("/import", exported).body["imported_observations"], 4);
  EXPECT_EQ(Post("/import", exported).body["imported_observations"], 0);
}

TEST_F(ApiTest, RowWithAUsedIdGetsANewIdOnce) {
  Json exported = {{"format", "agent-memory/1"}, {"observations", Json::array()}};
  Json row = NoteBody("theirs");
  row["id"] = 1;
  row["created_at"] = "2026-01-01T00:00:00Z";
  exported["observations"].push_back(row);
  MustPost(NoteBody("mine"));
  EXPECT_EQ(Post("/import", exported).body["imported_observations"], 1);
  EXPECT_EQ(Get("/observations/2").body["content"], "theirs");
  EXPECT_EQ(Post("/import", exported).body["skipped"], 1);
  EXPECT_EQ(Post("/import?dedup=false", exported).body["imported_observations"], 1);
  EXPECT_EQ(Post("/import?dedup=maybe", exported).status, 400);
}

TEST_F(ApiTest, ConflictingTopicIsRefusedAndListed) {
  Json note = NoteBody("mine");
  note["topic_key"] = "k";
  MustPost(note);
  note["content"] = "theirs";
  note["id"] = 9;
  Answered answer = Post("/import", {{"format", "agent-memory/1"}, {"observations", {note}}});
  ASSERT_EQ(answer.body["errors"].size(), 1u);
  EXPECT_NE(answer.body["errors"][0]["error"].get<std::string>().find("observation 1"),
            std::string::npos);
  EXPECT_EQ(Get("/observations/1").body["content"], "mine");
}

TEST_F(ApiTest, JsonLinesAreDetectedAndTruncationRefused) {
  for (int i = 0; i < 3; ++i) MustPost(NoteBody("note " + std::to_string(i)));
  Answered exported = Get("/export?format=jsonl");
  EXPECT_EQ(exported.headers.Get("Content-Type"), "application/x-ndjson");
  std::string lines = exported.body.get<std::string>();
  EXPECT_TRUE(lines.starts_with("{\"exported_at\":\"2026-04-12T00:00:00Z\",\"format\":"));
  size_t last = lines.rfind("{\"kind\":\"end\"");
  ASSERT_NE(last, std::string::npos);
  EXPECT_EQ(lines.substr(last), "{\"kind\":\"end\",\"observations\":3,\"sessions\":1}\n");

  StartEmpty();
  Answered cut = PostText("/import", lines.substr(0, last));
  EXPECT_EQ(cut.status, 400);
  EXPECT_NE(cut.body["error"].get<std::string>().find("cut off"), std::string::npos);
  std::string missing = lines;
  missing.erase(missing.find("{\"content\":\"note 1\""));
  missing += lines.substr(last);
  EXPECT_EQ(PostText("/import", missing).status, 400);
  Answered whole = PostText("/import", lines);
  EXPECT_EQ(whole.status, 200);
  EXPECT_EQ(whole.body["imported_observations"].get<int>() + whole.body["skipped"].get<int>(), 4);
  EXPECT_EQ(Get("/export?format=jsonl").body, lines);
  EXPECT_EQ(PostText("/import", lines + "{}").status, 400);
  EXPECT_EQ(PostText("/import?format=json", lines).status, 400);
  EXPECT_EQ(PostText("/import?format=csv", lines).status, 400);
  EXPECT_EQ(Get("/export?format=csv").status, 400);
}

TEST_F(ApiTest, RefusedRowsAboveTheListLimitAreCounted) {
  std::string body = "{\"format\":\"agent-memory/1\",\"observations\":[";
  for (int i = 0; i < 10'003; ++i) body += i ? ",{}" : "{}";
  Answered answer = PostText("/import", body + "]}");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body["errors"].size(), 10'000u);
  EXPECT_EQ(answer.body["errors_left_out"], 3);
}

// A tenth of the size that scripts/bench/transfer.py has.
// In parts, so that a slow machine answers each in time.
TEST_F(ApiTest, TenThousandRowsSurviveARoundTripOnce) {
  constexpr int kParts = 20, kRows = 500;
  std::vector<Json> parts;
  for (int part = 0; part < kParts; ++part) {
    Json rows = Json::array();
    for (int i = part * kRows; i < (part + 1) * kRows; ++i) {
      Json row = NoteBody("row " + std::to_string(i), "p" + std::to_string(i % 7));
      row["id"] = i + 1;
      row["created_at"] = base::FormatTime(kMidnight + i);
      if (i % 3 == 0) row["topic_key"] = "k" + std::to_string(i);
      rows.push_back(std::move(row));
    }
    parts.push_back(Json{{"format", "agent-memory/1"}, {"observations", std::move(rows)}});
  }
  for (const Json& part : parts)
    EXPECT_EQ(Post("/import", part).body["imported_observations"], kRows);
  Json first = Get("/export").body;
  EXPECT_EQ(first["observations"].size(), size_t{kParts * kRows});
  for (const Json& part : parts) {
    EXPECT_EQ(Post("/import", part).body, (Json{{"imported", 0},
                                                {"imported_sessions", 0},
                                                {"imported_observations", 0},
                                                {"skipped", kRows},
                                                {"errors", Json::array()}}));
  }
  EXPECT_EQ(Get("/export").body["observations"], first["observations"]);
}

}  // namespace
}  // namespace memory
