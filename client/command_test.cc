// Commands against a scripted memory server, and their output as tables and as JSON.
#include "client/command.h"

#include <gtest/gtest.h>

#include <sstream>

#include "client/commands/erase.h"
#include "lib/base/text/nearest.h"
#include "lib/testing/http_server.h"
#include "lib/testing/temporary_directory.h"

namespace client {
namespace {

struct Ran {
  int code = 0;
  std::string out, err;
};

Ran RunOn(const std::vector<std::string>& words, Screen screen = {}, const std::string& in = "") {
  std::istringstream input(in);
  std::ostringstream out, err;
  const int code = RunClient(words, screen, input, out, err);
  return {code, out.str(), err.str()};
}

struct MemoryTest : testing::Test {
  std::vector<std::string> asked;
  std::vector<std::string> bodies;
  int status = 200;
  base::Json answer = base::Json::array();
  std::unique_ptr<http::Server> server;

  void SetUp() override {
    const auto handler = [this](const http::Request& request) {
      std::string line = request.method + " " + request.path;
      for (const auto& [name, value] : request.query) line += " " + name + "=" + value;
      asked.push_back(line);
      bodies.push_back(request.body);
      if (request.path.ends_with("/revisions"))
        return http::JsonResponse(200, {{{"revision", 1}, {"title", "old"}, {"content", "was"}}});
      return http::JsonResponse(status, answer);
    };
    std::vector<http::Route> routes;
    for (const char* method : {"GET", "POST", "PATCH", "DELETE"}) {
      for (const char* pattern : {"/{a}", "/{a}/{b}", "/{a}/{b}/{c}"})
        routes.push_back({method, pattern, handler});
    }
    server = ::testing::StartServer(std::move(routes));
  }
  Ran On(std::vector<std::string> words, Screen screen = {}, const std::string& in = "") {
    words.insert(words.end(), {"--url", server->address()});
    return RunOn(words, screen, in);
  }
};

const base::Json kRow = {{"id", 7},
                         {"type", "preference"},
                         {"title", "tabs\x1b[31m\u202e"},
                         {"content", "I prefer\ntabs"},
                         {"project", "billing"},
                         {"scope", "project"},
                         {"updated_at", "2026-04-12T10:00:00Z"},
                         {"source", {{"origin", "user"}}},
                         {"tags", {"style"}}};

TEST_F(MemoryTest, ListsAsATableOnATerminalAndAsJsonElsewhere) {
  answer = {kRow};
  const Ran table = On({"ls", "--project", "billing"}, {true, false, 80});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_EQ(asked.back(), "GET /observations/recent project=billing limit=20");
  EXPECT_NE(table.out.find("ID  TYPE        PROJECT  BY    UPDATED           TITLE"),
            std::string::npos)
      << table.out;
  const Ran json = On({"ls"});
  EXPECT_EQ(base::ParseJson(json.out)->at(0)["id"], 7);
}

TEST_F(MemoryTest, AnImportSaysWhatPromptsDoNotGet) {
  answer = {{"imported_observations", 2},
            {"skipped", 0},
            {"errors", base::Json::array()},
            {"not_injected", 2},
            {"hint", "import them again with trust=user"}};
  Ran taken =
      On({"import", "-", "--project", "billing"}, {true, false, 80}, "# Tabs\n\nUse tabs.\n");
  EXPECT_EQ(taken.code, 0) << taken.err;
  EXPECT_EQ(asked.back(), "POST /import project=billing");
  EXPECT_EQ(taken.err,
            "2 of them are found by searches and not added to prompts, since imported text is not "
            "trusted by itself; if you trust it, import it again with --trust user\n");
  EXPECT_NE(taken.out.find("imported 2 memories"), std::string::npos) << taken.out;
  answer["imported"] = 5;  // `imported` includes traces of AgentOS' JSON
  answer.erase("not_injected");
  taken = On({"import", "-", "--trust", "user"}, {true, false, 80}, "# Tabs\n\nUse tabs.\n");
  EXPECT_EQ(asked.back(), "POST /import trust=user");
  EXPECT_NE(taken.out.find("imported 5 memories"), std::string::npos) << taken.out;
  EXPECT_EQ(taken.err, "");
}

TEST_F(MemoryTest, AFolderOfNotesIsImportedAsAnArchive) {
  answer = {{"imported_observations", 1}, {"skipped", 0}, {"errors", base::Json::array()}};
  const testing::TemporaryDirectory scratch;
  EXPECT_EQ(On({"import", scratch.path()}).code, 66) << "no notes";
  scratch.Write("Note.md", "text [[Other]]");
  scratch.Write(".hidden.md", "hidden");
  scratch.Write("picture.png", "no note");
  const Ran taken = On({"import", scratch.path(), "--project", "v"});
  EXPECT_EQ(taken.code, 0) << taken.err;
  EXPECT_EQ(asked, std::vector<std::string>{"POST /import project=v"});
  EXPECT_EQ(bodies.back().substr(257, 5), "ustar");
  EXPECT_TRUE(bodies.back().starts_with("Note.md"));
  EXPECT_NE(bodies.back().find("text [[Other]]"), std::string::npos);
  for (const char* left : {"hidden", "no note"})
    EXPECT_EQ(bodies.back().find(left), std::string::npos);
}

TEST_F(MemoryTest, StoredTextIsInertOnATerminal) {
  answer = {kRow};
  const Ran table = On({"ls"}, {true, false, 200});
  EXPECT_EQ(table.out.find('\x1b'), std::string::npos);
  EXPECT_NE(table.out.find("tabs\\u{1b}[31m\\u{202e}"), std::string::npos) << table.out;
}

TEST_F(MemoryTest, ShowsAMemoryWithItsRevisions) {
  answer = kRow;
  const Ran shown = On({"show", "7"}, {true, false, 80});
  EXPECT_NE(shown.out.find("I prefer\ntabs"), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("revision 1: old"), std::string::npos) << shown.out;
}

TEST_F(MemoryTest, AddsWordsAndStdin) {
  answer = {{"id", 1}, {"action", "created"}};
  EXPECT_EQ(On({"add", "Deploy", "on", "Tuesdays"}, {true, false, 80}).out, "created memory 1\n");
  EXPECT_EQ(base::ParseJson(bodies.back())->at("content"), "Deploy on Tuesdays");
  EXPECT_EQ(base::ParseJson(bodies.back())->at("source")["origin"], "user");
  On({"add", "-"}, {}, "First line\nsecond\n");
  EXPECT_EQ(base::ParseJson(bodies.back())->at("title"), "First line");
}

TEST_F(MemoryTest, AValueMayBeginWithADash) {
  answer = kRow;
  EXPECT_EQ(On({"edit", "7", "--title", "-x is a flag"}).code, 0);
  EXPECT_EQ(bodies.back(), R"({"title":"-x is a flag"})");
}

TEST_F(MemoryTest, EditsByFlagsAndRemovesSeveral) {
  answer = kRow;
  EXPECT_EQ(On({"edit", "7", "--title", "spaces"}).code, 0);
  EXPECT_EQ(bodies.back(), R"({"title":"spaces"})");
  EXPECT_EQ(On({"rm", "7", "8", "--hard"}).code, 0);
  EXPECT_EQ(asked.back(), "DELETE /observations/8 hard=true report=true");
}

TEST_F(MemoryTest, ListsWhatIsHiddenAndBringsItBack) {
  base::Json row = kRow;
  row["hidden_at"] = "2026-04-13T11:12:13Z";
  answer = {row};
  const Ran listed = On({"ls", "--hidden", "--project", "billing"}, {true, false, 120});
  EXPECT_EQ(asked.back(), "GET /observations/hidden project=billing limit=20");
  EXPECT_NE(listed.out.find("2026-04-13T11:12"), std::string::npos) << listed.out;
  EXPECT_NE(listed.out.find("HIDDEN"), std::string::npos) << listed.out;
  answer = kRow;
  asked.clear();
  const Ran named = On({"rm", "--undo", "7", "8"}, {true, false, 120});
  EXPECT_EQ(named.code, 0) << named.err;
  EXPECT_EQ(asked, (std::vector<std::string>{"POST /observations/7/restore",
                                             "POST /observations/8/restore"}));
  EXPECT_NE(named.out.find("memory 8 is back: tabs"), std::string::npos) << named.out;
}

TEST_F(MemoryTest, AnUndoWithoutIdTakesTheLastOfTheProjectOrSaysThatThereIsNone) {
  answer = {kRow};
  On({"rm", "--undo", "--project", "billing"});
  EXPECT_EQ(asked, (std::vector<std::string>{"GET /observations/hidden project=billing limit=1",
                                             "POST /observations/7/restore"}));
  answer = base::Json::array();
  const Ran none = On({"rm", "--undo", "--project", "billing"});
  EXPECT_EQ(none.code, 1);
  EXPECT_NE(none.err.find("no memory of project billing is hidden"), std::string::npos) << none.err;
  asked.clear();
  const Ran unknown = On({"rm", "--undo"});
  EXPECT_EQ(unknown.code, 64) << "another memory than this machine's has no project here";
  EXPECT_NE(unknown.err.find("--project NAME"), std::string::npos) << unknown.err;
  EXPECT_EQ(On({"rm", "7", "--project", "billing"}).code, 64);
  EXPECT_EQ(On({"rm", "--undo", "7", "--project", "billing"}).code, 64);
  EXPECT_EQ(On({"rm"}).code, 64);
  EXPECT_EQ(On({"rm", "--undo", "--hard", "7"}).code, 64);
  EXPECT_TRUE(asked.empty());
}

TEST_F(MemoryTest, PinsAndBuriesSeveral) {
  answer = kRow;
  const Ran ran = On({"pin", "7", "8"}, {true, false, 120});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(asked, (std::vector<std::string>{"PATCH /observations/7", "PATCH /observations/8"}));
  EXPECT_EQ(base::ParseJson(bodies[0])->at("pinned"), true);
  EXPECT_NE(ran.out.find("memory 7 is pinned: tabs"), std::string::npos) << ran.out;
  for (const auto& [command, field, set] : {std::tuple("unpin", "pinned", false),
                                            {"bury", "buried", true},
                                            {"unbury", "buried", false}}) {
    EXPECT_EQ(On({command, "7"}).code, 0) << command;
    EXPECT_EQ(base::ParseJson(bodies.back())->at(field), set) << command;
  }
  EXPECT_EQ(On({"pin"}).code, 64);
}

TEST_F(MemoryTest, MergesIntoOneAndSaysHowToUndoIt) {
  answer = kRow;
  const Ran ran = On({"merge", "8", "9", "8"}, {true, false, 120});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(asked, (std::vector<std::string>{"GET /observations/8", "GET /observations/9",
                                             "POST /observations", "DELETE /observations/8",
                                             "DELETE /observations/9"}));
  const base::Json made = *base::ParseJson(bodies[2]);
  EXPECT_EQ(made["content"], "I prefer\ntabs") << "once";
  EXPECT_EQ(made["tags"], base::Json({"style"}));
  EXPECT_NE(ran.out.find("'agent-memory rm 7 && agent-memory rm --undo 8 9' undoes it"),
            std::string::npos)
      << ran.out;
  EXPECT_EQ(On({"merge", "7", "7"}).code, 64);
}

TEST_F(MemoryTest, AMergedMemoryHasTheMarksOfAllAndIsMarkedBeforeTheyAreHidden) {
  answer = kRow;
  answer["tags"] = {"style", "@pinned", "@buried"};
  EXPECT_EQ(On({"merge", "8", "9"}, {true, false, 120}).code, 0);
  EXPECT_EQ(asked[3], "PATCH /observations/7");
  EXPECT_EQ(*base::ParseJson(bodies[3]),
            base::Json({{"pinned", true}, {"buried", true}, {"source", {{"origin", "user"}}}}));
  EXPECT_EQ(asked[4], "DELETE /observations/8");
}

TEST_F(MemoryTest, UndoOfAMergeIntoOneOfThemKeepsThatOne) {
  answer = kRow;
  const Ran ran = On({"merge", "7", "8"}, {true, false, 120});
  EXPECT_EQ(asked.back(), "DELETE /observations/8");
  EXPECT_NE(ran.out.find("'agent-memory rm --undo 8' undoes it"), std::string::npos) << ran.out;
}

TEST_F(MemoryTest, RecallShowsWhatAPromptGetsAndWhy) {
  answer = {{"recent_observations", {kRow}}};
  EXPECT_NE(On({"recall", "tabs"}, {true, false, 120}).out.find("7   preference"),
            std::string::npos);
  EXPECT_EQ(asked.back(), "GET /context query=tabs backfill=false sessions=0 limit=5");
  base::Json other = kRow;
  other["id"] = 8;
  other["tags"] = {"@buried"};
  const auto handler = [&](const http::Request& request) {
    if (request.path == "/search") return http::JsonResponse(200, {kRow, other});
    return http::JsonResponse(200, answer);
  };
  server = ::testing::StartServer({{"GET", "/{a}", handler}});
  const Ran ran = On({"recall", "tabs", "--explain"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const base::Json said = *base::ParseJson(ran.out);
  EXPECT_EQ(said["given"][0]["id"], 7);
  ASSERT_EQ(said["not_given"].size(), 1u) << said;
  EXPECT_EQ(said["not_given"][0]["id"], 8);
  EXPECT_EQ(said["not_given"][0]["reason"], "buried");
}

TEST_F(MemoryTest, AnEditedContentRenewsTheTitleThatWasMadeFromIt) {
  answer = {
      {"id", 7}, {"title", "Deploy on Tuesdays"}, {"content", "Deploy on Tuesdays\nat ten\n"}};
  EXPECT_EQ(On({"edit", "7", "--content", "Deploy on Mondays\nat ten"}).code, 0);
  EXPECT_EQ(base::ParseJson(bodies.back())->at("title"), "Deploy on Mondays");
  answer["title"] = "When we deploy";
  On({"edit", "7", "--content", "Deploy on Fridays"});
  EXPECT_FALSE(base::ParseJson(bodies.back())->contains("title")) << bodies.back();
  answer["title"] = "Deploy on Tuesdays";
  On({"edit", "7", "--content", "Deploy on Fridays", "--title", "mine"});
  EXPECT_EQ(base::ParseJson(bodies.back())->at("title"), "mine");
}

TEST_F(MemoryTest, SaysWhatIsLeftOfAnErasedMemory) {
  answer = {{"texts", {"Deploy on Tuesdays"}},
            {"left",
             {{{"place", "observation"}, {"name", "9"}, {"how", "x"}},
              {{"place", "item"}, {"name", "plan"}, {"how", "PUT or DELETE it"}}}}};
  const Ran ran = On({"rm", "--hard", "7"}, {true, false, 80});
  EXPECT_EQ(ran.code, 0);
  EXPECT_NE(ran.out.find("erased memory 7"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("left: memory 9: it says the same; 'agent-memory rm --hard 9'"),
            std::string::npos)
      << ran.out;
  EXPECT_NE(ran.out.find("left: item plan: PUT or DELETE it"), std::string::npos) << ran.out;
}

TEST(EraseHere, NeedlesStandInAFileAsTheyAre) {
  using Needles = std::vector<std::string>;
  EXPECT_EQ(NeedlesOf("short"), Needles());
  EXPECT_EQ(NeedlesOf("say \"the vault opens\" and\nthe key is in the drawer"),
            (Needles{"the key is in the drawer", "the vault opens"}));
  EXPECT_EQ(NeedlesOf(std::string(200, 'a')), Needles{std::string(60, 'a')});
}

TEST_F(MemoryTest, AnErrorSaysWhatTheServerSays) {
  status = 404;
  answer = {{"error", "there is no observation 9"}, {"code", "not_found"}};
  const Ran ran = On({"show", "9"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.err, "agent-memory: HTTP 404: there is no observation 9\n");
}

TEST(ClientWords, UnknownOnesAreUsageWithTheNearestKnown) {
  const Ran command = RunOn({"serach", "x"});
  EXPECT_EQ(command.code, 64);
  EXPECT_NE(command.err.find("did you mean 'search'?"), std::string::npos) << command.err;
  const Ran flag = RunOn({"ls", "--porject", "x"});
  EXPECT_EQ(flag.code, 64);
  EXPECT_NE(flag.err.find("did you mean '--project'?"), std::string::npos) << flag.err;
  EXPECT_EQ(RunOn({"show"}).code, 64);
  EXPECT_EQ(RunOn({}).code, 64);
  EXPECT_EQ(base::NearestWord("x", {"ls"}), "");
}

TEST(ClientWords, HelpListsEveryCommand) {
  const Ran ran = RunOn({"help"});
  for (const Command& command : Commands()) {
    EXPECT_NE(ran.out.find("\n  " + command.name + " "), std::string::npos) << command.name;
    EXPECT_EQ(RunOn({"help", command.name}).out, RunOn({command.name, "--help"}).out);
  }
}

TEST(ClientWords, CompletionKnowsCommandsAndFlags) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Ran ran = RunOn({"completion", shell});
    EXPECT_EQ(ran.code, 0);
    EXPECT_NE(ran.out.find("search"), std::string::npos) << shell;
    EXPECT_NE(ran.out.find("project"), std::string::npos) << shell;
  }
  EXPECT_EQ(RunOn({"completion", "tcsh"}).code, 64);
}

TEST_F(MemoryTest, PrintsTheAddressOfTheConsoleAndHowToSignIn) {
  answer = {{"auth", "none"}, {"everybody", false}};
  Ran ran = On({"ui"});
  EXPECT_EQ(ran.code, kOk) << ran.err;
  EXPECT_EQ(ran.out, "http://" + server->address() + "/ui/\n");
  EXPECT_EQ(ran.err, "");
  answer = {{"auth", "kubernetes"}, {"audience", "agent-memory.a.b\u202e"}};
  ran = On({"ui", "-n", "team-a"});
  EXPECT_NE(ran.err.find("kubectl create token NAME --namespace team-a"), std::string::npos);
  EXPECT_NE(ran.err.find("agent-memory.a.b\\u{202e}"), std::string::npos) << ran.err;
}

TEST_F(MemoryTest, SaysThatAServerHasNoConsole) {
  status = 404;
  answer = {{"error", "there is no /ui/facts"}, {"code", "not_found"}};
  const Ran ran = On({"ui"});
  EXPECT_EQ(ran.code, kFailed);
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.err.find("--ui true"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace client
