// Tenants that move between files and a server: the same answers and rows on both sides, whatever
// step fails.
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "lib/base/process/file.h"
#include "memory/engines/postgres/calls_fixture.h"
#include "memory/sqlite/moving/moved_tables.h"
#include "memory/sqlite/moving/moves.h"
#include "memory/sqlite/moving/tenant_files.h"

namespace memory {
namespace {

using base::Code;
using base::Error;
using base::Result;
using base::Status;

class MovingTest : public CallsTest {
 protected:
  static constexpr const char* kTenant = "a";
  void SetUp() override {
    CallsTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    Seed();
    from_ = scratch_.File("from");
    back_ = scratch_.File("back");
    ASSERT_TRUE(base::MakeDirectories(from_));
    ASSERT_TRUE(base::MakeDirectories(back_));
    auto opened = OpenSharedDatabase(DsnFile());
    ASSERT_TRUE(opened) << opened.error().message;
    database_ = std::move(*opened);
  }
  MoveOptions In(const std::string& directory) const {
    MoveOptions options;
    options.directory = directory;
    options.clock = &clock_;
    return options;
  }
  std::unique_ptr<SqliteStore> OpenFile(const std::string& directory) {
    auto store = SqliteStore::Open(FileOfTenant(directory, kTenant), Files());
    EXPECT_TRUE(store) << store.error().message;
    return store ? std::move(*store) : nullptr;
  }
  // A file of random rows, closed.
  void MakeFile(int calls) {
    ASSERT_TRUE(NameTenant(from_, kTenant));
    const auto file = OpenFile(from_);
    ASSERT_TRUE(file);
    for (int i = 0; i < calls; ++i) (void)AnyCall()(*file);
    file->Close();
  }
  static TableSums SumsOf(const std::string& directory) {
    auto file = OpenFinished(FileOfTenant(directory, kTenant));
    EXPECT_TRUE(file) << file.error().message;
    const auto tables = MovedTables(*file);
    const auto sums = SumRows(*file, Side::kFile, *tables, {});
    EXPECT_TRUE(sums) << sums.error().message;
    return *sums;
  }
  int64_t RowsThere() {
    postgres::Database admin = Connect();
    return Number(admin,
                  "SELECT (SELECT count(*) FROM agent_memory_rows.observations) + (SELECT "
                  "count(*) FROM agent_memory_rows.sessions) + (SELECT count(*) FROM "
                  "agent_memory_rows.projects)");
  }
  void MustMove(const std::string& directory, bool back, bool already = false) {
    const auto moved = back ? MoveToFile(*database_, kTenant, In(directory))
                            : MoveToDatabase(*database_, kTenant, In(directory));
    ASSERT_TRUE(moved) << moved.error().message;
    EXPECT_EQ(moved->already, already);
  }

  std::string from_, back_;
  std::unique_ptr<SharedDatabase> database_;
};

TEST_F(MovingTest, TenantAnswersAlikeAfterTheMoveAndHasTheSameRowsAfterTheWayBack) {
  MakeFile(300);
  MustMove(from_, false);
  EXPECT_FALSE(HasFatalFailure());
  EXPECT_FALSE(AnyUnmoved(from_));
  MustMove(back_, true);
  EXPECT_EQ(SumsOf(back_), SumsOf(from_));
  {
    const auto engine = StartReplica();
    const auto server = OpenIn(*engine, kTenant);
    const auto file = OpenFile(from_), again = OpenFile(back_);
    ASSERT_TRUE(server && file && again);
    EXPECT_TRUE(again->CheckIntegrity());
    for (int i = 0; i < 200; ++i) {
      const Call call = AnyCall();
      const std::string here = call(*file);
      ASSERT_EQ(here, call(*server)) << "call " << i << ", seed " << seed_;
      ASSERT_EQ(here, call(*again)) << "call " << i << ", seed " << seed_;
    }
  }
  postgres::Database own = Own();
  EXPECT_EQ(Number(own, "SELECT count(*) FROM agent_memory_rows.tenants WHERE moving"), 0);
}

TEST_F(MovingTest, ReplicaThatHasTheTenantOpenAnswersWithTheMovedRows) {
  MakeFile(60);
  const auto engine = StartReplica();
  const auto server = OpenIn(*engine, kTenant);
  Filter all;
  all.limit = 100;
  ASSERT_EQ(server->Search(all, "redis", false)->rows.size(), 0u);
  MustMove(from_, false);
  // Indexes of the version before are older than what is cleared: they are made anew.
  postgres::Database own = Own();
  EXPECT_EQ(Number(own,
                   "SELECT count(*) FROM agent_memory_rows.tenants WHERE version > 0 AND "
                   "cleared = version"),
            1);
  const auto file = OpenFile(from_);
  for (int i = 0; i < 40; ++i) {
    const Call call = AnyCall();
    ASSERT_EQ(call(*file), call(*server)) << "call " << i << ", seed " << seed_;
  }
}

TEST_F(MovingTest, MoveThatEndsAtAnyStepLeavesNothingAndTheNextOneGoesOn) {
  MakeFile(40);
  const int64_t before = RowsThere();
  for (const bool back : {false, true}) {
    std::set<std::string> met;
    for (int fails_at = 0;; ++fails_at) {
      int step = 0;
      bool noted = false;
      MoveOptions options = In(back ? back_ : from_);
      options.at = [&](const char* name) -> Status {
        if (step++ != fails_at) return {};
        met.insert(name);
        noted = std::string(name) == "note" || std::string(name) == "release";
        return Error{Code::kInternal, std::string("broken at ") + name};
      };
      const auto moved = back ? MoveToFile(*database_, kTenant, options)
                              : MoveToDatabase(*database_, kTenant, options);
      if (moved) break;
      ASSERT_NE(moved.error().message.find("broken at"), std::string::npos)
          << moved.error().message;
      if (back)
        EXPECT_EQ(std::filesystem::exists(FileOfTenant(back_, kTenant)), noted);
      else
        EXPECT_EQ(RowsThere() > before, noted) << moved.error().message;
    }
    EXPECT_GE(met.size(), 5u);
    MustMove(back ? back_ : from_, back, true);
  }
  EXPECT_EQ(SumsOf(back_), SumsOf(from_));
}

TEST_F(MovingTest, RowThatDiffersEndsTheMoveAndNamesTheTable) {
  MakeFile(60);
  Run(*std::make_unique<postgres::Database>(Own()),
      "CREATE FUNCTION agent_memory_rows.spoil() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN "
      "new.title := new.title || '.'; RETURN new; END $f$; CREATE TRIGGER spoiled BEFORE INSERT ON "
      "agent_memory_rows.observations FOR EACH ROW EXECUTE FUNCTION agent_memory_rows.spoil()");
  const int64_t before = RowsThere();
  const auto moved = MoveToDatabase(*database_, kTenant, In(from_));
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().code, Code::kConflict);
  EXPECT_NE(moved.error().message.find("table observations"), std::string::npos)
      << moved.error().message;
  EXPECT_EQ(RowsThere(), before);
  EXPECT_TRUE(AnyUnmoved(from_));
}

TEST_F(MovingTest, TargetWithOtherMemoriesIsRefused) {
  MakeFile(60);
  {
    const auto engine = StartReplica();
    ASSERT_TRUE(OpenIn(*engine, kTenant)->Save(Note("own"), "", clock_.NowMs()));
  }
  const auto refused = MoveToDatabase(*database_, kTenant, In(from_));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kConflict);
  EXPECT_NE(refused.error().message.find("did not come from its file"), std::string::npos);
  const auto back = MoveToFile(*database_, kTenant, In(from_));
  ASSERT_FALSE(back);
  EXPECT_NE(back.error().message.find("has other memories"), std::string::npos);
  const auto none = MoveToDatabase(*database_, "nobody", In(from_));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::kNotFound);
  EXPECT_EQ(MoveToFile(*database_, "nobody", In(from_)).error().code, Code::kNotFound);
}

TEST_F(MovingTest, FileThatChangedAfterItsMoveIsRefused) {
  MakeFile(60);
  MustMove(from_, false);
  ASSERT_TRUE(OpenFile(from_)->Save(Note("later"), "", clock_.NowMs()));
  const auto moved = MoveToDatabase(*database_, kTenant, In(from_));
  ASSERT_FALSE(moved);
  EXPECT_NE(moved.error().message.find("changed since"), std::string::npos);
}

TEST_F(MovingTest, WritersAreRefusedWhileAMoveHoldsTheTenantAndNoLonger) {
  const auto engine = StartReplica();
  const auto server = OpenIn(*engine, kTenant);
  ASSERT_TRUE(server->Save(Note("before"), "", clock_.NowMs()));
  {
    auto held = database_->Hold(kTenant);
    ASSERT_TRUE(held) << held.error().message;
    const auto saved = server->Save(Note("meanwhile"), "", clock_.NowMs());
    ASSERT_FALSE(saved);
    EXPECT_EQ(saved.error().code, Code::kUnavailable);
    EXPECT_NE(saved.error().message.find("being moved"), std::string::npos)
        << saved.error().message;
    EXPECT_EQ(server->Recent(Filter())->size(), 1u);
    EXPECT_TRUE((*held)->StillHeld());
  }
  EXPECT_TRUE(server->Save(Note("after"), "", clock_.NowMs()));
  // A killed mover leaves its note, but no lock.
  postgres::Database own = Own();
  Run(own, "UPDATE agent_memory_rows.tenants SET moving = true");
  EXPECT_TRUE(server->Save(Note("after a killed move"), "", clock_.NowMs()));
  EXPECT_EQ(Number(own, "SELECT count(*) FROM agent_memory_rows.tenants WHERE moving"), 0);
}

// The program itself, killed at times of chance.
TEST_F(MovingTest, KilledProgramGoesOnWhereverItWas) {
  const char* bin = std::getenv("AGENT_MEMORY_BIN");
  if (!bin) GTEST_SKIP() << "AGENT_MEMORY_BIN names no folder";
  MakeFile(150);
  const std::string program = std::string(bin) + "/agent-memory-server";
  const auto start = [&](bool back) {
    std::vector<std::string> words = {
        program,      "migrate", "--to",       back ? "sqlite" : "postgres",
        "--dsn-file", DsnFile(), "--data-dir", back ? back_ : from_};
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_t child = -1;
    EXPECT_EQ(posix_spawn(&child, program.c_str(), nullptr, nullptr, argv.data(), environ), 0);
    return child;
  };
  for (const bool back : {false, true}) {
    int killed = 0;
    for (int round = 0; round < 20; ++round) {
      const pid_t child = start(back);
      // Until the child ends, at most for a time of chance.
      pollfd end = {static_cast<int>(syscall(SYS_pidfd_open, child, 0)), POLLIN, 0};
      ASSERT_GE(end.fd, 0);
      poll(&end, 1, std::uniform_int_distribution<int>(0, 400)(random_));
      close(end.fd);
      ASSERT_EQ(kill(child, SIGKILL), 0);
      int status = 0;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      if (WIFSIGNALED(status)) ++killed;
    }
    EXPECT_GT(killed, 0);
    int status = 0;
    const pid_t last = start(back);
    ASSERT_EQ(waitpid(last, &status, 0), last);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  EXPECT_EQ(SumsOf(back_), SumsOf(from_));
}

}  // namespace
}  // namespace memory
