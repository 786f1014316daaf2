// No answer to a user depends on the private traces of another: every route of the server is asked
// as Bob before and after Ann wrote hers. A new route without a case here fails.
#include <map>
#include <set>

#include "memory/api/traces/traces_fixture.h"
#include "memory/routes.h"

namespace memory {
namespace {

constexpr const char* kSecret = "quagga";

// Behind a gate whose routes are only listed.
class NoEngine : public Engine {
 public:
  base::Result<std::shared_ptr<Store>> Open(const std::string&) override { return No(); }
  base::Status ProbeWrite() override { return No(); }
  bool Failed() const override { return false; }
  base::Status Soundness() const override { return No(); }
  EngineFigures Figures() const override { return {}; }
  bool Sweep(const std::stop_token&,
             const std::function<void(const base::Result<Swept>&)>&) override {
    return false;
  }
  void Tidy() override {}
  bool FillRemoteVectors(const std::stop_token&) override { return false; }
  std::shared_ptr<Store> NextOpen(std::string&) override { return nullptr; }
  void Recover(const std::stop_token&) override {}
  void Close() override {}

 private:
  static base::Error No() { return {base::Code::kUnavailable, "listed only"}; }
};

std::set<std::string> AllRoutes() {
  NoEngine engine;
  ::testing::FakeClock clock(kMidnight);
  telemetry::Metrics metrics;
  const Gate gate(nullptr, engine, clock, metrics);
  std::set<std::string> names;
  for (const http::Route& route : Routes(gate, 0)) names.insert(route.method + " " + route.pattern);
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

  // Reads as Bob. `ids`, `numbers`: of traces and observations that he asks for.
  static Cases Reads(const Rows& rows) {
    Cases cases;
    const std::string word = "q=" + std::string(kSecret), at = "&conversation=shared";
    const Json question = {{"query", kSecret}, {"conversation", "shared"}};
    const std::string asked = base::DumpJson(question);
    cases["GET /health"] = {{"/health"}};
    cases["GET /openapi.json"] = {{"/openapi.json"}};
    cases["GET /sessions/recent"] = {{"/sessions/recent?limit=50"},
                                     {"/sessions/recent?project=default&limit=1"}};
    cases["GET /observations/recent"] = {{"/observations/recent?limit=3"},
                                         {"/observations/recent?type=semantic" + at},
                                         {"/observations/recent?cursor=9999999999999.99"}};
    cases["GET /observations/hidden"] = {{"/observations/hidden?limit=50" + at}};
    cases["GET /search"] = {{"/search?" + word},
                            {"/search?" + word + "&project=default" + at},
                            {"/search?syntax=fts5&" + word},
                            {"/search?as_of=2100-01-01T00:00:00Z&" + word}};
    cases["GET /context"] = {{"/context?query=" + std::string(kSecret) + "&due=9"},
                             {"/context?due=9&sessions=9&limit=30" + at},
                             {"/context?as_of=2100-01-01T00:00:00Z"}};
    cases["GET /stats"] = {{"/stats"}, {"/stats?project=default"}};
    for (const char* format : {"json", "jsonl", "markdown", "obsidian", "agentos-json", "sqlite"}) {
      cases["GET /export"].push_back({"/export?format=" + std::string(format)});
      cases["GET /export"].push_back({"/export?project=default&format=" + std::string(format)});
    }
    cases["GET /retention"] = {{"/retention?project=default"}};
    cases["GET /items"] = {{"/items?query=" + std::string(kSecret)}};
    cases["GET /items/render"] = {{"/items/render?query=" + std::string(kSecret)}};
    cases["GET /items/{key}"] = {{"/items/" + std::string(kSecret)}};
    cases["POST /items/consider"] = {
        {"/items/consider", base::DumpJson({{"user_input", "hm"}, {"answer", "hm"}})}};
    cases["GET /episodic/{conversation}"] = {{"/episodic/shared"}};
    cases["POST /episodic/search"] = {
        {"/episodic/search", base::DumpJson({{"query", kSecret}, {"agent_id", "coder"}})}};
    cases["GET /shared"] = {{"/shared"}};
    cases["GET /shared/{agent}/{key}"] = {{"/shared/coder/" + std::string(kSecret)}};
    cases["POST /traces/search"] = {{"/traces/search", asked},
                                    {"/traces/search", R"({"query": "quagga NOT other"})"}};
    cases["GET /traces/due"] = {{"/traces/due?limit=50"}};
    cases["GET /traces/reflect/runs"] = {{"/traces/reflect/runs?limit=50"}};
    cases["GET /ingest/turns/{turn}"] = {{"/ingest/turns/turn_1"}};
    for (const std::string& id : rows.ids) {
      cases["GET /traces/{id}"].push_back({"/traces/" + id + "?deleted=true"});
      cases["GET /traces/{id}/original"].push_back({"/traces/" + id + "/original"});
    }
    for (const int64_t number : rows.numbers) {
      const std::string path = "/observations/" + std::to_string(number);
      cases["GET /observations/{id}"].push_back({path});
      cases["GET /observations/{id}"].push_back({path + "?revision=1"});
      cases["GET /observations/{id}/revisions"].push_back({path + "/revisions"});
      cases["GET /timeline"].push_back(
          {"/timeline?before=9&after=9&observation_id=" + std::to_string(number)});
    }
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
  for (const char* format : {"json", "sqlite", "obsidian"}) {
    const std::string target = "/export?conversation=of-ann&format=" + std::string(format);
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
