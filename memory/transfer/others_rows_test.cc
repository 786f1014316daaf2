// A writer beside a private trace of another user with the same text, topic, number or key: each
// route writes what it is given, and answers as if the other row did not exist.
#include <functional>

#include "memory/api/traces/traces_fixture.h"

namespace memory {
namespace {

constexpr const char* kText = "The well is twelve meters deep.";

// What becomes of Ann's trace before Bob writes.
enum class Anns { kLive, kHidden, kErased };

class OthersRowsTest : public TracesRouteTest {
 protected:
  // A fresh server with Ann's trace, which has the topic `depth`. → its observation, as it is here.
  Json Ann(Anns state) {
    StartEmpty();
    const std::string id = Add(kText, {{"type", "semantic"}, {"conversation", "c1"}}, "ann");
    const Json trace = Call("GET", "/traces/" + id, nullptr, "ann").body;
    const std::string path = "/observations/" + trace["observationId"].dump();
    const Json row = Call("GET", path, nullptr, "ann").body;
    if (state != Anns::kLive) {
      EXPECT_EQ(Call("DELETE", path + (state == Anns::kErased ? "?hard=true" : ""), nullptr, "ann")
                    .status,
                204);
    }
    return row;
  }
  // The same row as a file of another program has it: no time of its own.
  static Json WithoutTime(Json row) {
    for (const char* field : {"created_at", "updated_at", "last_seen_at", "normalized_hash",
                              "revision_count", "duplicate_count"})
      row.erase(field);
    return row;
  }
  Json Import(const std::string& body, const std::string& target = "/import?project=default") {
    http::ClientRequest request;
    request.method = "POST";
    request.target = target;
    request.body = body;
    request.timeout_ms = 60'000;
    request.headers.Set("X-Memory-User", "bob");
    const auto answer = client_->Send(request);
    EXPECT_TRUE(answer && answer->status == 200) << (answer ? answer->body : "");
    return answer ? base::ParseJson(answer->body).value_or(Json()) : Json();
  }
  size_t SeenBy(const std::string& user) {
    size_t rows = 0;
    const Json found = Call("GET", "/observations/recent?project=default", nullptr, user).body;
    for (const Json& row : found)
      rows += row["content"].get<std::string>().find("well") != std::string::npos;
    return rows;
  }
};

TEST_F(OthersRowsTest, EveryRouteIgnoresAnotherUsersEqualRow) {
  const auto imported = [](const Json& report, const char* what = "imported") -> std::string {
    const bool good = report.value(what, 0) == 1 && report.value("skipped", 0) == 0 &&
                      !report.contains("skipped_deleted") && report["errors"].empty();
    return good ? "" : report.dump();
  };
  const std::pair<const char*, std::function<std::string(const Json& row)>> kRoutes[] = {
      {"POST /observations",
       [&](const Json&) -> std::string {
         Json body = NoteBody(kText, "default");
         body["type"] = "semantic";
         const Answered posted = Call("POST", "/observations", body, "bob");
         return posted.body["action"] == "created" ? "" : posted.body.dump();
       }},
      {"POST /traces",
       [&](const Json&) -> std::string {
         const Answered posted =
             Call("POST", "/traces", {{"content", kText}, {"type", "semantic"}}, "bob");
         return posted.status == 201 ? "" : posted.body.dump();
       }},
      {"an import with its number",
       [&](const Json& row) {
         return imported(Import(base::DumpJson({{"observations", {WithoutTime(row)}}})));
       }},
      {"an import without a number",
       [&](const Json& row) {
         Json given = WithoutTime(row);
         given.erase("id");
         return imported(Import(base::DumpJson({{"observations", {given}}})));
       }},
      {"an import of lines",
       [&](const Json& row) {
         Json given = WithoutTime(row);
         given["kind"] = "observation";
         return imported(Import("{\"kind\":\"export\",\"format\":\"agent-memory/1\"}\n" +
                                    base::DumpJson(given) +
                                    "\n{\"kind\":\"end\",\"sessions\":0,\"observations\":1}\n",
                                "/import?format=jsonl"));
       }},
      {"an import of CSV",
       [&](const Json& row) {
         return imported(Import("content,type,title,session_id\n\"" + std::string(kText) +
                                    "\",semantic,\"" + row["title"].get<std::string>() + "\"," +
                                    row["session_id"].get<std::string>() + "\n",
                                "/import?project=default&format=csv"));
       }},
      {"an import of AgentOS' JSON",
       [&](const Json&) {
         return imported(
             Import(base::DumpJson({{"traces", {{{"content", kText}, {"type", "semantic"}}}}})),
             "imported_traces");
       }},
      {"an import that somebody vouches for",
       [&](const Json& row) {
         const Json report = Import(base::DumpJson({{"observations", {WithoutTime(row)}}}),
                                    "/import?project=default&trust=user");
         return report.contains("raised") ? report.dump() : imported(report);
       }},
  };
  for (const Anns state : {Anns::kLive, Anns::kHidden, Anns::kErased}) {
    for (const auto& [name, write] : kRoutes) {
      const Json row = Ann(state);
      EXPECT_EQ(write(row), "") << name << " " << static_cast<int>(state);
      EXPECT_EQ(SeenBy("bob"), 1u) << name << " " << static_cast<int>(state);
      if (state != Anns::kLive) continue;
      const Json after = Call("GET", "/observations/" + row["id"].dump(), nullptr, "ann").body;
      EXPECT_EQ(after, row) << name << ": hers is as it was";
    }
  }
}

TEST_F(OthersRowsTest, DeletionHoldsForItsUser) {
  for (const Anns state : {Anns::kHidden, Anns::kErased}) {
    const Json row = Ann(state);
    Json given = WithoutTime(row);
    given.erase("id");
    Json report = Call("POST", "/import", {{"observations", {given}}}, "ann").body;
    EXPECT_EQ(report["skipped_deleted"], 1) << report;
    report = Call("POST", "/import", {{"observations", {row}}}).body;
    EXPECT_EQ(report["skipped_deleted"], 1) << "whoever brings that very row: " << report;
    Import(base::DumpJson({{"observations", {given}}}));
    report = Call("POST", "/import", {{"observations", {given}}}, "ann").body;
    EXPECT_EQ(report["imported"], 0) << "Bob's is there: " << report;
    Add(kText, {{"type", "semantic"}, {"conversation", "c1"}}, "ann");
    EXPECT_EQ(SeenBy("ann"), 2u) << "she may write it again";
  }
}

TEST_F(OthersRowsTest, TopicOfAnotherUsersRowIsFree) {
  const Json row = Ann(Anns::kLive);
  // An import gives a topic to a trace.
  const Json exported = Call("GET", "/export", nullptr, "ann").body;
  Json file = exported;
  file["observations"][0]["topic_key"] = "depth";
  for (const char* write : {"import", "post"}) {
    StartEmpty();
    EXPECT_EQ(Call("POST", "/import", file).body["imported_traces"], 1);
    Json body = NoteBody("The well is thirteen meters deep.", "default");
    body["topic_key"] = "depth";
    if (write == std::string("post")) {
      const Answered posted = Call("POST", "/observations", body, "bob");
      EXPECT_EQ(posted.status, 201) << posted.body;
      EXPECT_EQ(posted.body["action"], "created") << posted.body;
    } else {
      EXPECT_EQ(Import(base::DumpJson({{"observations", {body}}}))["imported"], 1);
    }
    EXPECT_EQ(SeenBy("bob"), 1u);
    EXPECT_EQ(SeenBy("ann"), 2u) << "hers stays";
  }
}

TEST_F(OthersRowsTest, TurnKeyIsPerUser) {
  const auto post = [&](const std::string& user, const std::string& text) {
    http::ClientRequest request;
    request.method = "POST";
    request.target = "/ingest/turns";
    request.body = base::DumpJson({{"user", text}});
    request.headers.Set("Idempotency-Key", "k1");
    request.headers.Set("X-Memory-User", user);
    const auto answer = client_->Send(request);
    EXPECT_TRUE(answer);
    return answer ? std::pair(answer->status, base::ParseJson(answer->body).value_or(Json()))
                  : std::pair(0, Json());
  };
  const auto [first, anns] = post("ann", "I prefer tea.");
  EXPECT_EQ(first, 202);
  for (const char* text : {"I prefer tea.", "I prefer coffee."}) {
    const auto [status, bobs] = post(text[9] == 't' ? "bob" : "eve", text);
    EXPECT_EQ(status, 202) << bobs;
    EXPECT_NE(bobs["turn"], anns["turn"]);
  }
  EXPECT_EQ(post("ann", "I prefer tea.").second, anns) << "a repetition";
  EXPECT_EQ(post("ann", "I prefer coffee.").first, 422);
}

TEST_F(OthersRowsTest, EpisodeIsNoDuplicateOfAnotherUsers) {
  Json body = {{"conversation_id", "c1"}, {"agent_id", "coder"}, {"summary", kText}};
  body["user_id"] = "ann";
  const Answered anns = Call("POST", "/episodic/store", body);
  body["user_id"] = "bob";
  const Answered bobs = Call("POST", "/episodic/store", body);
  EXPECT_EQ(bobs.status, 201) << bobs.body;
  EXPECT_NE(bobs.body["id"], anns.body["id"]);
  EXPECT_EQ(Call("POST", "/episodic/store", body).status, 200) << "his own";
  const Json found = Call("POST", "/episodic/search",
                          {{"query", "well"}, {"agent_id", "coder"}, {"user_id", "bob"}})
                         .body["results"];
  EXPECT_EQ(found.size(), 1u) << found;
}

// A trace that is only an observation is of its whole project, also after an import restored it.
TEST_F(OthersRowsTest, RestoredObservationStaysVisibleInItsProject) {
  const int64_t id = MustPost(NoteBody("zebras are striped", "default"));
  const Json exported = Call("GET", "/export").body;
  const std::string trace = Found({{"query", "zebras"}}).at(0);
  EXPECT_EQ(Call("DELETE", "/traces/" + trace).body["deleted"], true);
  EXPECT_EQ(Call("POST", "/import?restore=true", exported).body["imported"], 1);
  EXPECT_EQ(Call("GET", "/observations/" + std::to_string(id), nullptr, "bob").status, 200);
}

}  // namespace
}  // namespace memory
