// Servers for tests: the one of the tier, where each test has a database of its own, and servers
// that a test stops, kills or hangs.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/process/random.h"
#include "lib/postgres/database.h"

namespace postgres {

inline constexpr char kServerVariable[] = "AGENT_MEMORY_TEST_POSTGRES";

inline std::shared_ptr<const Dsn> DsnOf(const std::string& directory, const std::string& database,
                                        const std::string& user = "postgres",
                                        const std::string& more = "") {
  auto dsn = Dsn::Parse("host=" + directory + " user=" + user + " dbname=" + database + " " + more);
  EXPECT_TRUE(dsn) << dsn.error().message;
  return std::make_shared<const Dsn>(std::move(*dsn));
}

inline Database ConnectTo(const std::shared_ptr<const Dsn>& dsn,
                          const DatabaseOptions& options = {.connect_ms = 10'000}) {
  auto database = Database::Connect(dsn, dsn->hosts[0], options);
  EXPECT_TRUE(database) << database.error().message;
  return std::move(*database);
}

// A connection for what a test does beside the one that it tests.
inline base::Result<int64_t> Ask(Database& database, std::string_view sql) {
  ASSIGN_OR_RETURN(Statement ask, database.Prepare(sql));
  ASSIGN_OR_RETURN(const bool row, ask.Step());
  return row ? ask.Int(0) : int64_t{-1};
}

inline base::Status Do(Database& database, std::string_view sql) {
  ASSIGN_OR_RETURN(Statement statement, database.Prepare(sql));
  return statement.Run();
}

// On the server of the tier, else the test is skipped.
class ServerTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* directory = std::getenv(kServerVariable);
    if (!directory || !*directory)
      GTEST_SKIP() << kServerVariable << " names no server: e2e/support/postgres.py run -- COMMAND";
    directory_ = directory;
    name_ = "t" + base::RandomHex(8);
    Database admin = ConnectTo(DsnOf(directory_, "postgres"));
    const base::Status made = admin.Execute(("CREATE DATABASE " + name_).c_str());
    ASSERT_TRUE(made) << made.error().message;
    dsn_ = DsnOf(directory_, name_);
  }
  void TearDown() override {
    if (name_.empty()) return;
    Database admin = ConnectTo(DsnOf(directory_, "postgres"));
    EXPECT_TRUE(admin.Execute(("DROP DATABASE " + name_ + " WITH (FORCE)").c_str()));
  }
  Database Connect(const DatabaseOptions& options = {.connect_ms = 10'000}) const {
    return ConnectTo(dsn_, options);
  }

  std::string directory_, name_;
  std::shared_ptr<const Dsn> dsn_;
};

// A server of the test, by e2e/support/postgres.py.
class OwnServer {
 public:
  explicit OwnServer(const std::vector<std::string>& options = {}) {
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) std::abort();
    std::vector<std::string> words = {"python3", "e2e/support/postgres.py", "run"};
    words.insert(words.end(), options.begin(), options.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, to[0], 0);
    posix_spawn_file_actions_adddup2(&files, from[1], 1);
    EXPECT_EQ(posix_spawnp(&keeper_, "python3", &files, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&files);
    close(to[0]);
    close(from[1]);
    orders_ = fdopen(to[1], "w");
    answers_ = fdopen(from[0], "r");
    ReadAnswer();
  }
  OwnServer(const OwnServer&) = delete;
  OwnServer& operator=(const OwnServer&) = delete;
  ~OwnServer() {
    fclose(orders_);
    int status = 0;
    waitpid(keeper_, &status, 0);
    fclose(answers_);
  }
  bool Runs() const { return !directory_.empty(); }  // false: this machine cannot run one
  // stop, kill, start, pause, resume; returns when it is done.
  void Order(const char* order) {
    fprintf(orders_, "%s\n", order);
    fflush(orders_);
    ReadAnswer();
  }
  const std::string& directory() const { return directory_; }
  std::shared_ptr<const Dsn> At(const std::string& more = "") const {
    return DsnOf(directory_, "postgres", "postgres", more);
  }

 private:
  void ReadAnswer() {
    char line[1000] = "";
    directory_.clear();
    if (!fgets(line, sizeof(line), answers_)) return;
    const base::Json answer = base::Json::parse(line, nullptr, false);
    if (answer.is_object()) directory_ = answer.value("directory", "");
  }
  pid_t keeper_ = -1;
  FILE *orders_ = nullptr, *answers_ = nullptr;
  std::string directory_;
};

// With a server of the test's own, where the tier has one.
class OwnServerTest : public testing::Test {
 protected:
  void Start(const std::vector<std::string>& options = {}) {
    if (!std::getenv(kServerVariable)) GTEST_SKIP() << kServerVariable << " names no server";
    server_ = std::make_unique<OwnServer>(options);
    if (!server_->Runs()) GTEST_SKIP() << "no server can run here";
  }
  std::unique_ptr<OwnServer> server_;
};

}  // namespace postgres
