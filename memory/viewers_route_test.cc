// No answer to a user depends on the private traces of another: every route of the server is asked
// as Bob before and after Ann wrote hers. Reads are asked by the table of routes; a new write
// without a case here fails.
#include <map>
#include <set>

#include "lib/api/operations/example_request_fixture.h"
#include "memory/api/traces/traces_fixture.h"
#include "memory/made_formats_fixture.h"

namespace memory {
namespace {

constexpr const char* kSecret = "quagga";

std::string NameOf(const api::Operation& row) {
  return std::string(row.method) + " " + std::string(row.path);
}

std::set<std::string> AllRoutes() {
  std::set<std::string> names;
  for (const api::Operation& row : api::Operations()) names.insert(NameOf(row));
  return names;
}

struct Asked {
  std::string target;
  std::string body = {};
};
using Cases = std::map<std::string, std::vector<Asked>>;

// What a search may show of the size of the store, or changes by itself when a trace is found.
void LeaveOutRanks(Json& json) {
  if (json.is_object()) {
    for (const char* name : {"rank", "score", "scores", "similarity", "strength", "lastAccessed",
                             "retrievalCount", "storedStrength", "partial"})
      json.erase(name);
  }
  if (!json.is_structured()) return;
  for (auto& inner : json) LeaveOutRanks(inner);
}

class ViewersTest : public TracesRouteTest {
 protected:
  http::Response Ask(const std::string& method, const Asked& asked, const std::string& user,
                     const std::string& agent) {
    http::ClientRequest request;
    request.method = method;
    request.target = asked.target;
    request.body = asked.body;
    request.timeout_ms = 60'000;
    request.headers.Set("X-Memory-User", user);
    request.headers.Set("X-Memory-Agent", agent);
    auto answer = client_->Send(request);
    EXPECT_TRUE(answer) << answer.error().message;
    return answer ? std::move(*answer) : http::Response();
  }

  // Of a user: each kind of private trace, with edges and a merged one, beside what all see.
  struct Rows {
    std::vector<std::string> ids;  // of traces
    std::vector<int64_t> numbers;  // of their observations
  };
  Rows Write(const std::string& user, const std::string& agent, const std::string& word) {
    Rows rows;
    const auto add = [&](Json more) {
      Json body = {{"content", word + " number " + std::to_string(rows.ids.size())},
                   {"conversation", "shared"}};
      body.update(more);
      const Answered added = Call("POST", "/traces", body, user, agent);
      EXPECT_EQ(added.status, 201) << added.body;
      rows.ids.push_back(added.body.value("traceId", ""));
      const std::string in = body["conversation"];
      const Json trace =
          Call("GET", "/traces/" + rows.ids.back() + "?conversation=" + in, nullptr, user, agent)
              .body;
      rows.numbers.push_back(trace.value("observationId", int64_t{0}));
      EXPECT_GT(rows.numbers.back(), 0) << trace;
    };
    add({{"type", "semantic"}});
    add({{"scope", "persona"}});
    add({{"scope", "thread"}, {"conversation", "of-" + user}});
    add({{"type", "prospective"}, {"remindAt", clock_.NowMs() - 1000}});
    add({{"tags", {word}}});
    add({{"metadata", {{"importance", 1}}}});
    Call("PUT", "/traces/" + rows.ids[0] + "/edges/" + rows.ids[4], nullptr, user, agent);
    Call("POST", "/traces/merge", {{"traceIds", {rows.ids[4], rows.ids[5]}}}, user, agent);
    Call("PATCH", "/traces/" + rows.ids[0], {{"content", word + " changed"}}, user, agent);
    Call("POST", "/traces/reflect", {{"dryRun", false}}, user, agent);
    return rows;
  }

  // Each GET of the table, about each of the rows; by its examples alone, and with all that narrows
  // or widens its answer.
  static void AddReadsOfTheTable(const Rows& asked, Cases& cases) {
    for (const api::Operation& row : api::Operations()) {
      if (row.method != "GET" || row.Has(api::kHosted) || row.answers.front().shape == "file")
        continue;
      std::map<std::string, std::string> wide = {{"project", "default"}, {"conversation", "shared"},
                                                 {"q", kSecret},         {"query", kSecret},
                                                 {"deleted", "true"},    {"backfill", "true"}};
      for (const api::Field& field : row.parameters)
        if (field.type == api::FieldType::kWhole && field.example.empty() &&
            field.name != "revision" && field.name != "cursor")
          wide[std::string(field.name)] = "50";
      std::map<std::string, std::string> narrow = {{"limit", "1"}, {"revision", "1"}};
      narrow["type"] = "semantic";
      std::vector<Asked>& list = cases[NameOf(row)];
      std::set<std::string> targets;
      for (size_t i = 0; i < asked.ids.size(); ++i) {
        api::ExampleRows rows = {{"$observation", std::to_string(asked.numbers[i])},
                                 {"$trace", asked.ids[i]},
                                 {"$session", "shared"},
                                 {"$conversation", "shared"},
                                 {"$project", "default"},
                                 {"$word", "hm"}};
        rows.merge(api::UsualRows());
        for (const auto& more : {std::map<std::string, std::string>(), wide, narrow}) {
          Asked one{api::ExampleRequestOf(row, rows, more).target};
          if (targets.insert(one.target).second) list.push_back(std::move(one));
        }
      }
    }
  }

  // Reads as Bob. `ids`, `numbers`: of traces and observations that he asks for.
  static Cases Reads(const Rows& rows) {
    Cases cases;
    const std::string word = "q=" + std::string(kSecret), at = "&conversation=shared";
    const Json question = {{"query", kSecret}, {"conversation", "shared"}};
    const std::string asked = base::DumpJson(question);
    cases["GET /health"] = {{"/health"}};
    cases["GET /observations/recent"] = {{"/observations/recent?cursor=9999999999999.99"}};
    cases["GET /search"] = {{"/search?" + word},
                            {"/search?" + word + "&project=default" + at},
                            {"/search?syntax=fts5&" + word},
                            {"/search?as_of=2100-01-01T00:00:00Z&" + word}};
    cases["GET /context"] = {{"/context?query=" + std::string(kSecret) + "&due=9"},
                             {"/context?due=9&sessions=9&limit=30" + at},
                             {"/context?as_of=2100-01-01T00:00:00Z"}};
    for (const std::string& format :
         Made({"json", "jsonl", "markdown", "obsidian", "agentos-json", "sqlite"})) {
      cases["GET /export"].push_back({"/export?format=" + format});
      cases["GET /export"].push_back({"/export?project=default&format=" + format});
    }
    cases["POST /items/consider"] = {
        {"/items/consider", base::DumpJson({{"user_input", "hm"}, {"answer", "hm"}})}};
    cases["POST /episodic/search"] = {
        {"/episodic/search", base::DumpJson({{"query", kSecret}, {"agent_id", "coder"}})}};
    cases["POST /traces/search"] = {{"/traces/search", asked},
                                    {"/traces/search", R"({"query": "quagga NOT other"})"}};
    AddReadsOfTheTable(rows, cases);
    return cases;
  }

  static Cases Writes(const Rows& rows) {
    Cases cases;
    const std::string nothing = "{}";
    for (size_t i = 0; i < rows.ids.size(); ++i) {
      const std::string& id = rows.ids[i];
      const std::string path = "/observations/" + std::to_string(rows.numbers[i]);
      cases["PATCH /observations/{id}"].push_back({path, R"({"tags": ["x"]})"});
      cases["DELETE /observations/{id}"].push_back({path});
      cases["POST /observations/{id}/restore"].push_back({path + "/restore", nothing});
      cases["DELETE /observations/{id}"].push_back({path + "?hard=true"});
      cases["PATCH /traces/{id}"].push_back({"/traces/" + id, R"({"tags": ["x"]})"});
      cases["DELETE /traces/{id}"].push_back({"/traces/" + id, nothing});
      cases["POST /traces/{id}/unmerge"].push_back({"/traces/" + id + "/unmerge", nothing});
      const std::string edge = "/traces/" + id + "/edges/" + rows.ids[(i + 1) % rows.ids.size()];
      cases["PUT /traces/{id}/edges/{to}"].push_back({edge, nothing});
      cases["DELETE /traces/{id}/edges/{to}"].push_back({edge, nothing});
      cases["POST /traces/merge"].push_back(
          {"/traces/merge", base::DumpJson({{"traceIds", {id, rows.ids[0]}}})});
    }
    cases["POST /traces/reflect"] = {{"/traces/reflect", nothing}};
    cases["POST /traces/reflect/runs/{run}/undo"] = {{"/traces/reflect/runs/run_1/undo", nothing}};
    cases["POST /ingest/turns/{turn}/retry"] = {{"/ingest/turns/turn_1/retry", nothing}};
    cases["POST /forget"] = {{"/forget", nothing}};
    return cases;
  }

  // Each writes something of Bob's: DuplicatesTest has what becomes of it beside Ann's rows.
  static std::set<std::string> OwnWrites() {
    return {"POST /sessions",
            "POST /sessions/{id}/end",
            "POST /observations",
            "POST /import",
            "PUT /retention",
            "PUT /items/{key}",
            "PATCH /items/{key}",
            "DELETE /items/{key}",
            "POST /episodic/store",
            "POST /traces",
            "PUT /shared/{agent}/{key}",
            "DELETE /shared/{agent}/{key}",
            "POST /ingest/turns",
            "DELETE /conversations/{id}"};
  }

  // Conversations are their callers': the routes are asked with a name that Ann's traces have.
  static Cases Hosted(const std::set<std::string>& routes) {
    Cases cases;
    for (const std::string& name : routes) {
      const std::string pattern = name.substr(name.find(' ') + 1);
      bool hosted = false;
      for (const char* head : {"/conversations", "/working-memory/", "/ledger/"})
        hosted = hosted || pattern.starts_with(head);
      if (!hosted || OwnWrites().contains(name)) continue;
      std::string target = pattern;
      for (size_t open; (open = target.find('{')) != std::string::npos;)
        target.replace(open, target.find('}') - open + 1, "of-ann");
      cases[name] = {{target, name.starts_with("GET") ? "" : "{}"}};
    }
    return cases;
  }

  // An answer to Bob, without what a search may vary by.
  std::string Shown(const std::string& route, const Asked& asked) {
    const http::Response answer = Ask(route.substr(0, route.find(' ')), asked, "bob", "other");
    EXPECT_LT(answer.status, 500 + (route == "POST /forget") * 2) << route << " " << answer.body;
    std::string shown = std::to_string(answer.status) + " ";
    for (const char* header : {"X-Next-Cursor", "X-Previous-Cursor", "X-Partial"})
      shown += answer.headers.Get(header).value_or("") + " ";
    auto json = base::ParseJson(answer.body);
    if (!json) return shown + answer.body;
    LeaveOutRanks(*json);
    return shown + base::DumpJson(*json);
  }
};

TEST_F(ViewersTest, EveryRouteHasACase) {
  const std::set<std::string> routes = AllRoutes();
  ASSERT_GT(routes.size(), 60u);
  std::set<std::string> covered = OwnWrites();
  for (const Cases& cases : {Reads({{"x"}, {1}}), Writes({{"x"}, {1}}), Hosted(routes)})
    for (const auto& [name, asked] : cases) covered.insert(name);
  for (const std::string& name : routes)
    EXPECT_TRUE(covered.contains(name)) << name << " has no case: what does it answer to Bob?";
  for (const std::string& name : covered)
    EXPECT_TRUE(routes.contains(name)) << name << " is no route any more";
}

TEST_F(ViewersTest, NoAnswerDependsOnThePrivateRowsOfAnother) {
  MustPost(NoteBody("a note about zebras", "default"));
  const Rows own = Write("bob", "other", "zebra");
  const Cases hosted = Hosted(AllRoutes()), reads = Reads(own);
  std::map<std::string, std::string> before;
  for (int round = 0; round < 2; ++round) {  // the first one makes what a read makes
    for (const Cases& cases : {reads, hosted})
      for (const auto& [route, asked] : cases)
        for (const Asked& one : asked)
          before[route + " " + one.target + one.body] = Shown(route, one);
  }
  const Rows anns = Write("ann", "coder", kSecret);
  const auto of_ann = [&] {
    std::vector<std::string> texts;
    for (const std::string& id : anns.ids) {
      Json trace = Call("GET", "/traces/" + id + "?deleted=true&conversation=of-ann", nullptr,
                        "ann", "coder")
                       .body;
      LeaveOutRanks(trace);
      texts.push_back(trace.dump());
    }
    return texts;
  };
  const std::vector<std::string> kept = of_ann();
  for (const Cases& cases : {reads, hosted}) {
    for (const auto& [route, asked] : cases) {
      for (const Asked& one : asked) {
        const std::string shown = Shown(route, one);
        if ((one.target + one.body).find(kSecret) == std::string::npos) {
          EXPECT_EQ(shown.find(kSecret), std::string::npos) << route << " " << one.target;
        }
        // Asked again, conversations answer what was asked before.
        if (one.target.find("format=sqlite") != std::string::npos || hosted.contains(route))
          continue;
        EXPECT_EQ(shown, before[route + " " + one.target + one.body])
            << route << " " << one.target << " " << one.body;
      }
    }
  }
  // Her rows answer as if they did not exist.
  const Rows nobodys{
      {"mt_00000000-0000-4000-8000-000000000001", "mt_00000000-0000-4000-8000-000000000002"},
      {999'999, 999'998}};
  const auto nameless = [&](std::string text) {
    std::vector<std::string> ids = anns.ids;
    ids.insert(ids.end(), nobodys.ids.begin(), nobodys.ids.end());
    for (const std::string& id : ids)
      for (size_t at; (at = text.find(id)) != std::string::npos;) text.erase(at, id.size());
    std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
    return text;
  };
  for (const auto& [hers, none] :
       {std::pair{Reads(anns), Reads(nobodys)}, std::pair{Writes(anns), Writes(nobodys)}}) {
    for (const auto& [route, asked] : hers) {
      if (route.find("{id}") == std::string::npos && route != "GET /timeline") continue;
      const std::vector<Asked>& unknown = none.at(route);
      for (size_t i = 0; i < asked.size(); ++i) {
        const std::string shown = Shown(route, asked[i]);
        EXPECT_EQ(shown.find(kSecret), std::string::npos) << route << shown;
        const std::string expected = Shown(route, unknown[i % unknown.size()]);
        EXPECT_EQ(shown.substr(0, 3), expected.substr(0, 3)) << route << " " << asked[i].target;
        EXPECT_EQ(nameless(shown), nameless(expected)) << route << " " << asked[i].target;
      }
    }
  }
  EXPECT_EQ(of_ann(), kept) << "nothing of hers was changed";
  for (const std::string& format : Made({"json", "sqlite", "obsidian"})) {
    const std::string target = "/export?conversation=of-ann&format=" + format;
    EXPECT_NE(Ask("GET", {target}, "ann", "coder").body.find(kSecret), std::string::npos)
        << "she sees her own";
  }
}

TEST_F(ViewersTest, ACursorOfAnothersRowIsNone) {
  const Rows own = Write("bob", "other", "zebra"), anns = Write("ann", "coder", kSecret);
  for (const char* side : {"after.", "before."}) {
    const auto asked = [&](int64_t number) {
      return Shown("GET /timeline",
                   {"/timeline?limit=1&observation_id=" + std::to_string(own.numbers[0]) +
                    "&cursor=" + side + std::to_string(number)});
    };
    EXPECT_EQ(asked(anns.numbers[0]), asked(999'999));
  }
  const auto sessions = [&](const std::string& id) {
    return Shown("GET /sessions/recent", {"/sessions/recent?cursor=9999999999999." + id});
  };
  EXPECT_EQ(sessions("of-ann"), sessions("of-nobody"));
}

}  // namespace
}  // namespace memory
