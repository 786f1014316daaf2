// Traces go out and come in.
#include "lib/base/text/digest.h"
#include "memory/api/traces/traces_fixture.h"
#include "memory/made_formats_fixture.h"

namespace memory {
namespace {

class ExportedTracesTest : public TracesRouteTest {};

TEST_F(ExportedTracesTest, ExportAndImportKeepTracesAndEdges) {
  const Json note = NoteBody("an observation", "default");
  MustPost(note);
  const std::string numbered = Found({{"query", "observation"}}).at(0);
  const std::string a = Add("tea", {{"type", "semantic"},
                                    {"tags", {"drink"}},
                                    {"metadata", {{"importance", 1}}},
                                    {"emotions", {{"valence", 0.5}}}});
  const std::string anns = Add("tea", {{"type", "semantic"}}, "ann");
  const std::string later =
      Add("call Ann", {{"type", "prospective"}, {"remindAt", 1'900'000'000'000}});
  const std::string all = Add("for all", {{"scope", "organization"}});
  const std::string gone = Add("deleted");
  Call("PUT", "/traces/" + a + "/edges/" + later, {{"kind", "about"}, {"weight", 0.25}});
  Call("PUT", "/traces/" + later + "/edges/" + a);
  Call("PUT", "/traces/" + numbered + "/edges/" + a);
  Call("PUT", "/traces/" + a + "/edges/" + gone);
  Call("DELETE", "/traces/" + gone);
  clock_.Advance(kDayMs);
  Found({{"query", "tea"}});
  Start();  // what was retrieved is in the file; of what is no trace nothing is kept
  const std::vector<Json> before = {Trace(a), Trace(later), Trace(all), Trace(numbered)};
  for (const std::string& format : Made({"json", "jsonl", "sqlite"})) {
    http::ClientRequest raw;
    raw.target = "/export?format=" + format;
    const auto exported = client_->Send(raw);
    ASSERT_TRUE(exported);
    StartEmpty();
    const Answered imported = PostText("/import", exported->body);
    ASSERT_EQ(imported.status, 200) << format << " " << imported.body;
    EXPECT_EQ(imported.body["imported_traces"], 4) << imported.body;
    EXPECT_EQ(imported.body["imported_edges"], 3) << imported.body;
    EXPECT_EQ(imported.body["errors"], Json::array());
    EXPECT_EQ(Trace(a), before[0]) << format;
    EXPECT_EQ(Trace(later), before[1]) << format;
    EXPECT_EQ(Trace(all), before[2]) << format;
    EXPECT_EQ(Trace(numbered), before[3]) << format;
    EXPECT_EQ(Call("GET", "/traces/" + anns, nullptr, "ann").body["content"], "tea");
    const Json again = PostText("/import", exported->body).body;
    EXPECT_EQ(again["imported_traces"], 0);
    EXPECT_EQ(again["imported_edges"], 0);
    EXPECT_EQ(again["imported_observations"], 0);
  }
}

TEST_F(ExportedTracesTest, EdgesAboveTheLimitOfATraceAreErrors) {
  const size_t most = kMaxTraceEdges;
  std::vector<std::string> ids;
  for (size_t i = 0; i <= most + 2; ++i) ids.push_back(Add("trace " + std::to_string(i)));
  Json edges = Json::array();
  for (size_t i = 1; i < ids.size(); ++i)
    edges.push_back({{"from", ids[0]},
                     {"to", ids[i]},
                     {"edge", "e"},
                     {"weight", 1},
                     {"from_digest", base::Sha256Hex("trace 0")},
                     {"to_digest", base::Sha256Hex("trace " + std::to_string(i))}});
  const Json rows = {
      {"format", "agent-memory/1"}, {"observations", Json::array()}, {"traces_edges", edges}};
  const Json report = PostText("/import", rows.dump()).body;
  EXPECT_EQ(report["imported_edges"], most) << report;
  ASSERT_EQ(report["errors"].size(), 2u) << report;
  EXPECT_EQ(report["errors"][0]["kind"], "edge");
  EXPECT_EQ(report["errors"][0]["index"], most);
}

TEST_F(ExportedTracesTest, InvalidTracesAreListedAndTheImportContinues) {
  const std::string digest(64, 'a');
  const Json good = {{"id", "mt_x"},       {"project", "p"},   {"scope", "user"},
                     {"scopeId", "u"},     {"observation", 1}, {"hash", digest},
                     {"digest", digest},   {"strength", 0.5},  {"lastAccessed", 1},
                     {"retrievalCount", 0}};
  Json traces = {good}, wrong = good;
  for (const auto& [field, value] :
       std::vector<std::pair<std::string, Json>>{{"id", "x"},
                                                 {"scope", "galaxy"},
                                                 {"digest", "short"},
                                                 {"strength", 2},
                                                 {"lastAccessed", -1},
                                                 {"metadata", 7},
                                                 {"observation", "one"}}) {
    wrong = good;
    wrong[field] = value;
    traces.push_back(wrong);
  }
  traces.push_back("text");
  const Json edges = {{{"from", "mt_x"},
                       {"to", "mt_y"},
                       {"edge", "e"},
                       {"weight", 1},
                       {"from_digest", digest},
                       {"to_digest", digest}},
                      {{"from", "mt_x"},
                       {"to", "mt_y"},
                       {"edge", "e"},
                       {"weight", 9},
                       {"from_digest", digest},
                       {"to_digest", digest}}};
  const Json body = {{"format", "agent-memory/1"},
                     {"sessions", Json::array()},
                     {"observations", Json::array()},
                     {"traces", traces},
                     {"traces_edges", edges}};
  const Answered answer = Post("/import", body);
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.body["imported_traces"], 0) << "its observation is not there";
  EXPECT_EQ(answer.body["imported_edges"], 0);
  ASSERT_EQ(answer.body["errors"].size(), 9u) << answer.body;
  EXPECT_EQ(answer.body["errors"][0]["kind"], "trace");
  EXPECT_EQ(answer.body["errors"][8]["kind"], "edge");
}

}  // namespace
}  // namespace memory
