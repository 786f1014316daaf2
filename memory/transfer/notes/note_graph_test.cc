// What is kept until the last note has limits, which are said.
#include "memory/transfer/notes/note_graph.h"

#include "memory/sqlite/store/store_fixture.h"

namespace memory {
namespace {

using base::Json;

class NoteGraphTest : public StoreTest {
 protected:
  void Begin(const GraphLimits& limits) {
    importer_ = std::make_unique<Importer>(RowTarget{*store_, {}}, ImportOptions(), true,
                                           store_->Conversations(""), TraceContext());
    graph_ = std::make_unique<NoteGraph>(*importer_, limits);
    notes_ = 0;
  }
  void AddNote(const std::string& path, const std::string& text) {
    graph_->Begin();
    graph_->AddPath(path);
    graph_->AddLinks(LinksIn(text), false, {{"file", path}});
    api::Observation row;
    row.project = "p";
    row.session_id = "s";
    row.type = "t";
    row.title = path;
    row.content = text + " " + std::to_string(notes_++);
    ASSERT_TRUE(importer_->Take(RowKind::kObservation, api::EncodeObservation(row)));
  }
  Json Finish() {
    EXPECT_TRUE(graph_->Resolve());
    EXPECT_TRUE(importer_->Flush());
    return importer_->Report();
  }
  static std::string ErrorOf(const Json& report) {
    return report["errors"].size() == 1 ? base::StringAt(report["errors"][0], {"error"})
                                        : report["errors"].dump();
  }

  std::unique_ptr<Importer> importer_;
  std::unique_ptr<NoteGraph> graph_;
  int notes_ = 0;
};

TEST_F(NoteGraphTest, LinksNamesAndKindsAreLimited) {
  GraphLimits limits;
  limits.links = 3;
  Begin(limits);
  for (int i = 0; i < 6; ++i) AddNote("n" + std::to_string(i), "[[n0]] [[n5]]");
  Json report = Finish();
  EXPECT_EQ(report["imported_edges"], 2) << "n0 → n5, n1 → n0, and n0 links itself";
  EXPECT_NE(ErrorOf(report).find("3 links"), std::string::npos) << report;
  EXPECT_EQ(report["errors"][0]["file"], "n1");
  EXPECT_EQ(report["imported_observations"], 6);

  limits = {};
  limits.names = 4;
  Begin(limits);
  for (int i = 0; i < 6; ++i) AddNote("m" + std::to_string(i), "[[m3]] [[m5]]");
  report = Finish();
  EXPECT_EQ(report["imported_edges"], 5) << "to m3 alone";
  EXPECT_NE(ErrorOf(report).find("4 names"), std::string::npos) << report;

  limits = {};
  limits.kinds = 2;
  Begin(limits);
  AddNote("k", "");
  for (int i = 0; i < 4; ++i) {
    AddNote("k" + std::to_string(i), "");
    FoundLinks found;
    found.links.push_back({"k", "kind " + std::to_string(i), 1});
    graph_->AddLinks(found, false, Json::object());
  }
  report = Finish();
  EXPECT_EQ(report["imported_edges"], 2);
  EXPECT_NE(ErrorOf(report).find("2 kinds"), std::string::npos) << report;
}

TEST_F(NoteGraphTest, LinkToARefusedNoteIsNoEdge) {
  Begin({});
  AddNote("a", "[[b]] [[c]]");
  graph_->Begin();
  graph_->AddPath("b");
  importer_->RefuseObservation({base::Code::kInvalid, "no"}, Json::object());
  const Json report = Finish();
  EXPECT_EQ(report.value("imported_edges", 0), 0);
  EXPECT_EQ(report["errors"].size(), 1u);
}

}  // namespace
}  // namespace memory
