// The real program: export and import of files and folders, on a data directory of its own.
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <climits>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "lib/base/process/file.h"
#include "memory/api/traces/traces_fixture.h"
#include "memory/transfer/notes/notes.h"

namespace memory {
namespace {

namespace fs = std::filesystem;

struct Ended {
  int code = -1;
  std::string out, err;
};

class MoveProgramTest : public TracesRouteTest {
 protected:
  void SetUp() override {
    if (ChosenStore::OnPostgres()) GTEST_SKIP() << "about a directory of files";
  }
  // What the child says goes into files; `in`: its standard input.
  Ended Run(
      const std::vector<std::string>& arguments, const std::string& in = "/dev/null",
      const std::function<void(pid_t)>& meanwhile = [](pid_t) {}) {
    const char* folder = getenv("AGENT_MEMORY_BIN");
    const std::string program = std::string(folder ? folder : "") + "/agent-memory-server";
    if (access(program.c_str(), X_OK) != 0) {
      ADD_FAILURE() << "AGENT_MEMORY_BIN has no agent-memory-server";
      return {};
    }
    std::vector<char*> argv = {const_cast<char*>(program.c_str())};
    for (const std::string& word : arguments) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    const std::string out = scratch_.File("out"), err = scratch_.File("err");
    const pid_t child = fork();
    if (child == 0) {
      dup2(open(in.c_str(), O_RDONLY), 0);
      dup2(open(out.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600), 1);
      dup2(open(err.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600), 2);
      execv(program.c_str(), argv.data());
      _exit(127);
    }
    meanwhile(child);
    int status = 0;
    waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -2, Text(out), Text(err)};
  }
  static std::string Text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  void Write(const std::string& name, const std::string& text) {
    fs::create_directories(fs::path(scratch_.File(name)).parent_path());
    std::ofstream(scratch_.File(name), std::ios::binary) << text;
  }
  void StopServer() {
    client_.reset();
    admin_.reset();
    server_.reset();
  }
  // What a server on the directory has.
  Json RowsIn(const std::string& directory) {
    ServerSettings settings;
    settings.data_dir = directory;
    settings.lock_wait_ms = 0;
    auto server = RunningServer::Start(settings, clock_);
    EXPECT_TRUE(server);
    if (!server) return {};
    const auto client = Connect((*server)->api_address());
    Json rows = Send(*client, "GET", "/export", "").body;
    rows.erase("exported_at");
    // Files of a folder come in the order of their names.
    for (auto& [name, list] : rows.items()) {
      if (list.is_array()) std::sort(list.begin(), list.end());
    }
    return rows;
  }
};

TEST_F(MoveProgramTest, OwnerOfTheFilesMovesWhatEveryAgentShares) {
  for (const char* target : {"/shared/a/plan?as=a", "/shared/b/plan?as=b"})
    ASSERT_EQ(Send(*client_, "PUT", target, "[1]").status, 201);
  StopServer();
  const std::string data = scratch_.File("data"), other = scratch_.File("other");
  const Json wanted = RowsIn(data);
  ASSERT_EQ(wanted["shared"].size(), 2u) << wanted;
  const std::string file = scratch_.File("m.jsonl");
  ASSERT_EQ(Run({"export", "--data-dir", data, file}).code, 0);
  const Ended ended = Run({"import", "--data-dir", other, file});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_NE(ended.err.find("2 shared values"), std::string::npos) << ended.err;
  const Json rows = RowsIn(other);
  ASSERT_EQ(rows["shared"].size(), 2u) << rows;
  for (size_t i = 0; i < 2; ++i) {
    for (const char* field : {"agent", "key", "value", "version"})
      EXPECT_EQ(rows["shared"][i][field], wanted["shared"][i][field]);
  }
}

TEST_F(MoveProgramTest, EachFormatGoesToAFileOrAFolderAndComesBack) {
  const std::string tea = Add("User drinks tea.", {{"type", "semantic"}, {"tags", {"drink"}}});
  const std::string call = Add("Call Ann", {{"metadata", {{"a", {1, "b"}}}}});
  Call("PUT", "/traces/" + tea + "/edges/" + call, {{"kind", "about"}, {"weight", 0.25}});
  MustPost(NoteBody("ünïcode [[x]]"));
  StopServer();
  const std::string data = scratch_.File("data");
  const Json wanted = RowsIn(data);
  for (const std::string name :
       {"m.json", "m.jsonl", "m.sqlite", "m.md", "m.tar", "vault/", "flat"}) {
    SCOPED_TRACE(name);
    const std::string target = scratch_.File("to/" + name), other = scratch_.File("from-" + name);
    fs::create_directories(scratch_.File("to"));
    std::vector<std::string> words = {"export", "--data-dir", data, target};
    if (name == "flat") {
      fs::create_directories(target);  // an empty folder may be there
      words.insert(words.end(), {"--format", "markdown"});
    }
    Ended ended = Run(words);
    ASSERT_EQ(ended.code, 0) << ended.err;
    EXPECT_NE(ended.err.find("exported"), std::string::npos) << ended.err;
    for (const auto& entry : fs::directory_iterator(scratch_.File("to")))
      EXPECT_EQ(entry.path().string().find(".part"), std::string::npos) << entry.path();
    ended = Run({"import", "--data-dir", other, target, "--output", "json"});
    ASSERT_EQ(ended.code, 0) << ended.err;
    const auto report = base::ParseJson(ended.out);
    ASSERT_TRUE(report) << ended.out;
    EXPECT_EQ((*report)["imported_observations"], 3);
    EXPECT_EQ((*report)["imported_traces"], 2);
    EXPECT_EQ((*report)["imported_edges"], 1);
    Json got = RowsIn(other);
    EXPECT_EQ(got, wanted);
    ended = Run({"import", "--data-dir", other, target});
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_NE(ended.err.find("imported 0 memories"), std::string::npos) << ended.err;
    EXPECT_EQ(ended.out, "");
    EXPECT_EQ(Run({"export", "--data-dir", data, target}).code, 73) << "it is there already";
  }
  EXPECT_TRUE(fs::exists(scratch_.File("to/vault/semantic/" + tea + ".md")));
  EXPECT_TRUE(fs::exists(scratch_.File("to/flat/semantic/" + tea + ".md")));
  const Ended piped = Run({"export", "--data-dir", data, "-"});
  EXPECT_EQ(piped.code, 0) << piped.err;
  Write("piped.json", piped.out);
  EXPECT_EQ(
      Run({"import", "--data-dir", scratch_.File("piped"), "-"}, scratch_.File("piped.json")).code,
      0);
  EXPECT_EQ(RowsIn(scratch_.File("piped")), wanted);
}

TEST_F(MoveProgramTest, ADirectoryThatAServerHasIsLeftAlone) {
  MustPost(NoteBody("text"));
  Write("more.md", "# More\n\ntext");
  for (const char* word : {"export", "import"}) {
    const Ended ended = Run({word, "--data-dir", scratch_.File("data"), scratch_.File("more.md")});
    EXPECT_EQ(ended.code, 75) << ended.err;
    EXPECT_NE(ended.err.find("--url"), std::string::npos) << ended.err;
  }
  EXPECT_EQ(Text(scratch_.File("more.md")), "# More\n\ntext");
  EXPECT_EQ(Get("/export").body["observations"].size(), 1u);
}

TEST_F(MoveProgramTest, AFolderOfAnybodysNotesIsTakenAndErrorsNameTheFile) {
  StopServer();
  Write("v/Start.md", "To [[Plan]]");
  Write("v/procedural/Plan.md", "The plan");
  Write("v/.obsidian/hidden.md", "hidden");
  Write("v/picture.png", "no note");
  Write("v/large.md", std::string((8 << 20) + 5, 'x'));
  Write("v/bad.md", "\xFF");
  Write("v/" + std::string(60, 'f') + "/" + std::string(60, 'n') + ".md", "a long name");
  fs::create_symlink("/etc/hostname", scratch_.File("v/link.md"));
  const std::string data = scratch_.File("taken");
  const Ended ended = Run({"import", "--data-dir", data, "--project", "v", scratch_.File("v")});
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_NE(ended.err.find("imported 4 memories, 1 edges"), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("\"file\":\"large.md"), std::string::npos) << ended.err;
  EXPECT_EQ(ended.err.find("link.md"), std::string::npos);
  const Json rows = RowsIn(data)["observations"];
  ASSERT_EQ(rows.size(), 4u) << "bad.md has its byte as U+FFFD";
  EXPECT_EQ(rows[0]["type"], "procedural");
  EXPECT_EQ(rows[1]["title"], "Start");
  EXPECT_EQ(rows[2]["title"], std::string(60, 'n'));
}

TEST_F(MoveProgramTest, ASignalEndsAnImportThatCanBeRepeated) {
  StopServer();
  const std::string data = scratch_.File("taken"), pipe = scratch_.File("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int held = open(pipe.c_str(), O_RDWR);  // neither side waits for the other
  std::string rows = "content,tags\n";
  while (rows.size() < 300'000)
    rows += "row " + std::to_string(rows.size()) + std::string(300, 'x') + ",a\n";
  const Ended ended = Run({"import", "--data-dir", data, "-"}, pipe, [&](pid_t child) {
    // More than the pipe holds: when it is written, the child reads.
    for (std::string_view rest = rows; !rest.empty();) {
      pollfd room{held, POLLOUT, 0};
      ASSERT_EQ(poll(&room, 1, 60'000), 1) << "nobody reads";
      const ssize_t wrote = write(held, rest.data(), std::min<size_t>(rest.size(), PIPE_BUF));
      ASSERT_GT(wrote, 0);
      rest.remove_prefix(static_cast<size_t>(wrote));
    }
    kill(child, SIGINT);
  });
  close(held);
  EXPECT_EQ(ended.code, 130) << ended.err;
  Write("rows.csv", rows);
  EXPECT_EQ(Run({"import", "--data-dir", data, scratch_.File("rows.csv")}).code, 0);
  EXPECT_EQ(static_cast<long>(RowsIn(data)["observations"].size()),
            std::count(rows.begin(), rows.end(), '\n') - 1);
}

TEST_F(MoveProgramTest, WhatIsWrongIsSaidWithItsExitCode) {
  StopServer();
  const std::string data = scratch_.File("data"), none = scratch_.File("none");
  fs::create_directories(scratch_.File("empty"));
  Write("zip", "PK\x03\x04 and so on");
  Write("there.json", "{}");
  const struct {
    std::vector<std::string> words;
    int code;
    const char* said;
  } kCases[] = {
      {{"export"}, 64, "name one target"},
      {{"import", "a", "b"}, 64, "there are 2"},
      {{"export", "--formt", "json", "x"}, 64, "formt"},
      {{"export", "--data-dir", data, "--format", "json", none + "/"}, 64, "a folder has notes"},
      {{"export", "--data-dir", data, "--format", "csv", none}, 64, "csv"},
      {{"export", "--output", "xml", none}, 64, "output"},
      {{"export", "--data-dir", none, none + ".json"}, 66, "no memory"},
      {{"export", "--data-dir", data, "--tenant", "no such", none}, 66, "no such"},
      {{"import", "--data-dir", data, none}, 66, "none"},
      {{"import", "--data-dir", data, "--format", "csv", scratch_.File("empty")}, 64, "csv"},
      {{"import", "--data-dir", data, scratch_.File("empty")}, 66, "no Markdown notes"},
      {{"import", "--data-dir", data, scratch_.File("zip")}, 1, "ZIP"},
      {{"import", "--data-dir", data, "--trust", "all", scratch_.File("there.json")}, 1, "trust"},
      {{"export", "--data-dir", data, scratch_.File("there.json")}, 73, "there.json"},
      {{"export", "--data-dir", data, none + "/no/x.json"}, 1, "x.json"},
      {{"exprt"}, 64, "export"},
  };
  for (const auto& one : kCases) {
    const Ended ended = Run(one.words);
    EXPECT_EQ(ended.code, one.code) << one.words[0] << " " << ended.err;
    EXPECT_NE(ended.err.find(one.said), std::string::npos) << one.said << " " << ended.err;
  }
  EXPECT_FALSE(fs::exists(none)) << "a wrong name makes no memory";
  for (const std::string word : {"export", "import"}) {
    const Ended help = Run({word, "--help"});
    EXPECT_EQ(help.code, 0);
    for (const char* said : {"--format", "--data-dir", "Exit codes", "Examples"})
      EXPECT_NE(help.out.find(said), std::string::npos) << help.out;
  }
}

}  // namespace
}  // namespace memory
