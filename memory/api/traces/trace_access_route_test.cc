// Whose traces a request sees, and who may change or hide them.
#include "memory/api/traces/traces_fixture.h"

namespace memory {
namespace {

TEST_F(TracesRouteTest, TimelineContainsNoTraceOfOthers) {
  const Json shared = {{"conversation", "c1"}};
  std::vector<int64_t> rows;
  for (const char* user : {"ann", "bob", "ann", "bob"}) {
    Json body = {{"content", std::string("xylophone of ") + user + std::to_string(rows.size())}};
    body.update(shared);
    rows.push_back(
        Call("POST", "/traces", body, user).body["observationId"].is_null()
            ? Call("GET",
                   "/traces/" +
                       Found({{"query", body["content"]}, {"conversation", "c1"}}, user).at(0) +
                       "?conversation=c1",
                   nullptr, user)
                  .body["observationId"]
                  .get<int64_t>()
            : 0);
  }
  const std::string path =
      "/timeline?conversation=c1&before=5&after=5&observation_id=" + std::to_string(rows[1]);
  const Json seen = Call("GET", path, nullptr, "bob").body;
  for (const Json& row : seen)
    EXPECT_EQ(row["content"].get<std::string>().find("of ann"), std::string::npos) << seen;
  EXPECT_GE(seen.size(), 2u) << seen;
}

TEST_F(TracesRouteTest, ObservationIsNoDuplicateOfAnotherUsersTrace) {
  Add("the well is deep", {{"type", "semantic"}}, "ann");
  Json body = NoteBody("the well is deep", "default");
  body["type"] = "semantic";
  const Answered posted = Call("POST", "/observations", body, "bob");
  EXPECT_EQ(posted.status, 201);
  EXPECT_EQ(posted.body["action"], "created") << posted.body;
  EXPECT_EQ(Call("GET", "/observations/" + posted.body["id"].dump(), nullptr, "bob").status, 200);
  EXPECT_EQ(Call("POST", "/observations", body, "ann").body["action"], "deduplicated")
      << "of that observation";
}

TEST_F(TracesRouteTest, NamedCallerSeesNoTraceOfOthersOnAnyPath) {
  const std::string ids[] = {
      Add("xylophone of ann", Json::object(), "ann"),
      Add("xylophone of a thread", {{"scope", "thread"}, {"conversation", "c1"}}),
      Call("POST", "/traces", {{"content", "xylophone of a persona"}, {"scope", "persona"}}, "",
           "coder")
          .body["traceId"]};
  Add("xylophone for all", {{"scope", "organization"}});
  MustPost(NoteBody("xylophone in a note", "default"));
  std::vector<int64_t> rows;
  for (const std::string& id : ids) {
    const std::string user = id == ids[0] ? "ann" : "", agent = id == ids[2] ? "coder" : "";
    rows.push_back(Call("GET", "/traces/" + id + "?conversation=c1", nullptr, user, agent)
                       .body["observationId"]);
  }
  const std::string lists[] = {"/search?q=xylophone&", "/context?query=xylophone&", "/context?",
                               "/observations/recent?"};
  const auto count = [&](const std::string& path, const std::string& user,
                         const std::string& agent) {
    const Json answer =
        Call("GET", path + "project=default&conversation=c1", nullptr, user, agent).body;
    return answer.is_array() ? answer.size() : answer["recent_observations"].size();
  };
  for (const std::string& path : lists) {
    EXPECT_EQ(count(path, "", ""), 5u) << path << ": who asks is not known";
    EXPECT_EQ(count(path, "bob", "other"), 3u) << path;
    EXPECT_EQ(count(path, "ann", "coder"), 5u) << path;
    const std::string elsewhere = path + "project=default&conversation=c2";
    const Json answer = Call("GET", elsewhere, nullptr, "ann", "coder").body;
    EXPECT_EQ(answer.is_array() ? answer.size() : answer["recent_observations"].size(), 4u) << path;
  }
  for (const int64_t row : rows) {
    const std::string path = "/observations/" + std::to_string(row);
    const std::string here = "?conversation=" + std::string(row == rows[1] ? "c2" : "c1");
    EXPECT_EQ(Call("GET", path + here, nullptr, "bob", "other").status, 404);
    EXPECT_EQ(Call("GET", path + "/revisions" + here, nullptr, "bob", "other").status, 404);
    EXPECT_EQ(Call("PATCH", path + here, {{"tags", {"x"}}}, "bob", "other").status, 404);
    EXPECT_EQ(Call("DELETE", path + here, nullptr, "bob", "other").status, 404);
    EXPECT_EQ(Call("GET", "/timeline" + here + "&observation_id=" + std::to_string(row), nullptr,
                   "bob", "other")
                  .status,
              404);
    EXPECT_EQ(Call("GET", path + "?conversation=c1", nullptr, "ann", "coder").status, 200);
  }
  // As it was before a change, too.
  clock_.Advance(1000);
  const int64_t before_ms = clock_.NowMs();
  clock_.Advance(1000);
  Call("PATCH", "/traces/" + ids[0], {{"content", "marimba of ann"}}, "ann");
  const std::string then = "/search?project=default&q=xylophone&as_of=" + std::to_string(before_ms);
  EXPECT_EQ(Call("GET", then + "&conversation=c1", nullptr, "ann", "coder").body.size(), 5u);
  EXPECT_EQ(Call("GET", then + "&conversation=c1", nullptr, "bob", "other").body.size(), 3u);
}

TEST_F(TracesRouteTest, AgentCannotHideAUsersTrace) {
  const std::string ours = Add("ours"),
                    theirs = Add("an agent's", {{"source", {{"origin", "agent"}}}});
  const std::string merged =
      Call("POST", "/traces/merge", {{"traceIds", {Add("one"), Add("two")}}}).body["mergedTraceId"];
  const std::pair<const char*, std::string> hiding[] = {{"DELETE", "/traces/" + ours},
                                                        {"POST", "/traces/merge"},
                                                        {"POST", "/traces/" + merged + "/unmerge"}};
  for (const auto& [method, path] : hiding) {
    Json body = {{"source", {{"origin", "agent"}}}, {"traceIds", {theirs, ours}}};
    const Answered refused = Call(method, path, body);
    EXPECT_EQ(refused.status, 403) << path << refused.body;
    EXPECT_NE(refused.body.dump().find("a user wrote trace "), std::string::npos) << refused.body;
    EXPECT_EQ(Call("GET", "/traces/" + theirs).status, 200) << "nothing changes";
  }
  Json allowed = {{"source", {{"origin", "agent"}}}, {"replace_user", true}};
  EXPECT_EQ(Call("POST", "/traces/" + merged + "/unmerge", allowed).status, 200);
  EXPECT_EQ(Call("DELETE", "/traces/" + ours, allowed).body["deleted"], true);
  EXPECT_EQ(
      Call("DELETE", "/traces/" + theirs, {{"source", {{"origin", "agent"}}}}).body["deleted"],
      true);
}

TEST_F(TracesRouteTest, TracesAreScopedToUserAgentThreadAndProject) {
  const std::string user = Add("the word is xylophone", Json::object(), "ann");
  const std::string thread =
      Add("xylophone in a thread", {{"scope", "thread"}, {"conversation", "c1"}});
  const std::string persona =
      Call("POST", "/traces", {{"content", "xylophone of a persona"}, {"scope", "persona"}}, "",
           "coder")
          .body["traceId"];
  const std::string all = Add("xylophone for all", {{"scope", "organization"}});
  EXPECT_EQ(Found({{"query", "xylophone"}}), Ids{all});
  EXPECT_EQ(Found({{"query", "xylophone"}}, "bob"), Ids{all});
  EXPECT_EQ(Found({{"query", "xylophone"}, {"scope", "user"}}, "ann"), Ids{user});
  EXPECT_EQ(Found({{"query", "xylophone"}, {"scope", "thread"}, {"conversation", "c1"}}),
            Ids{thread});
  EXPECT_EQ(Found({{"query", "xylophone"}, {"project", "q"}}), Ids{all});
  for (const std::string& id : {user, thread, persona}) {
    EXPECT_EQ(Call("GET", "/traces/" + id).status, 404);
    EXPECT_EQ(Call("PATCH", "/traces/" + id, {{"tags", {"x"}}}).body["updated"], false);
    EXPECT_EQ(Call("DELETE", "/traces/" + id).body["deleted"], false);
    EXPECT_EQ(Call("PUT", "/traces/" + all + "/edges/" + id).status, 404);
    EXPECT_EQ(Call("POST", "/traces/merge", {{"traceIds", {all, id}}}).status, 400);
  }
  EXPECT_EQ(Call("GET", "/traces/" + persona, nullptr, "", "coder").status, 200);
  // A model's arguments say no scope id.
  EXPECT_EQ(Found({{"query", "xylophone"}, {"scope", "user"}, {"scopeId", "ann"}}), Ids());
}

}  // namespace
}  // namespace memory
