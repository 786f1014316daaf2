// Writes of a WAL that wait for its sync: how many calls a commit takes, and what is read and kept.
#include "lib/sqlite/joined_log.h"

#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include "lib/sqlite/database.h"
#include "lib/testing/temporary_directory.h"

namespace sqlite {
namespace {

// The calls of this process that wrote, of which a sanitizer makes some of its own.
int64_t Writes() {
  std::ifstream counts("/proc/self/io");
  for (std::string name; counts >> name;) {
    int64_t value = 0;
    counts >> value;
    if (name == "syscw:") return value;
  }
  return -1;
}

class JoinedLog : public ::testing::Test {
 protected:
  JoinedLog() {
    database_.emplace(std::move(Database::Open(path_, {})).value());
    EXPECT_TRUE(database_->Execute("CREATE TABLE t(n INTEGER PRIMARY KEY, text)"));
  }
  // Rows of about a page each.
  static base::Status Insert(Database& database, int first, int last, char letter) {
    for (int n = first; n <= last; ++n) {
      ASSIGN_OR_RETURN(Statement put, database.Prepare("REPLACE INTO t VALUES(?1, ?2)"));
      RETURN_IF_ERROR(put.Bind(int64_t{n}).Bind(std::string(3000, letter)).Run());
    }
    return {};
  }
  static int64_t Count(Database& database, char letter) {
    auto count = database.Prepare("SELECT count(*) FROM t WHERE text = ?1");
    EXPECT_TRUE(count && *count->Bind(std::string(3000, letter)).Step());
    return count->Int(0);
  }
  // What another connection reads, which shares no memory but the index of the WAL.
  int64_t CountElsewhere(char letter) {
    auto reader = Database::Open(path_, {Access::kReader});
    EXPECT_TRUE(reader) << reader.error().message;
    EXPECT_TRUE(reader->CheckIntegrity({}));
    return Count(*reader, letter);
  }
  const testing::TemporaryDirectory directory_;
  const std::string path_ = directory_.File("x.db");
  std::optional<Database> database_;
};

TEST_F(JoinedLog, CommitOfManyPagesIsOneWrite) {
  ASSERT_TRUE(database_->Execute("BEGIN IMMEDIATE"));
  ASSERT_TRUE(Insert(*database_, 1, 10, 'a'));
  const int64_t before = Writes();
  ASSERT_TRUE(database_->Execute("COMMIT"));
  EXPECT_LT(Writes() - before, 10) << "each page has two without joining";
  EXPECT_EQ(CountElsewhere('a'), 10);
}

TEST_F(JoinedLog, LargeCommitIsWholeForOtherConnections) {
  ASSERT_TRUE(database_->Execute("BEGIN IMMEDIATE"));
  ASSERT_TRUE(Insert(*database_, 1, 400, 'a'));
  ASSERT_TRUE(database_->Execute("COMMIT"));
  EXPECT_EQ(CountElsewhere('a'), 400);
}

// With a small cache SQLite writes changed pages before the commit, reads them again, and writes
// them to the same place of the WAL: 12 rows wait for the sync, of 60 most do not.
TEST_F(JoinedLog, PagesSpilledBeforeTheCommitAreReadAgain) {
  for (int rows : {12, 60}) {
    ASSERT_TRUE(database_->Execute("DELETE FROM t; PRAGMA cache_size=3; BEGIN IMMEDIATE"));
    for (char letter = 'a'; letter <= 'd'; ++letter) {
      ASSERT_TRUE(Insert(*database_, 1, rows, letter));
      EXPECT_EQ(Count(*database_, letter), rows);
    }
    EXPECT_EQ(CountElsewhere('d'), 0);
    ASSERT_TRUE(database_->Execute("COMMIT"));
    EXPECT_EQ(CountElsewhere('d'), rows);
  }
}

TEST_F(JoinedLog, RolledBackPagesAreOverwritten) {
  ASSERT_TRUE(Insert(*database_, 1, 60, 'a'));
  ASSERT_TRUE(database_->Execute("PRAGMA cache_size=10"));
  for (const char* undo : {"ROLLBACK", "ROLLBACK TO s; COMMIT"}) {
    ASSERT_TRUE(database_->Execute("BEGIN IMMEDIATE; SAVEPOINT s"));
    ASSERT_TRUE(Insert(*database_, 1, 63, 'b'));
    ASSERT_TRUE(database_->Execute(undo));
    EXPECT_EQ(CountElsewhere('a'), 60);
    ASSERT_TRUE(Insert(*database_, 7, 7, 'c'));
    EXPECT_EQ(CountElsewhere('a'), 59);
    EXPECT_EQ(CountElsewhere('c'), 1);
    ASSERT_TRUE(Insert(*database_, 7, 7, 'a'));
  }
}

TEST_F(JoinedLog, CheckpointCopiesWhatWasJoined) {
  ASSERT_TRUE(Insert(*database_, 1, 50, 'a'));
  ASSERT_TRUE(database_->Checkpoint(Database::Log::kEmpty));
  ASSERT_TRUE(Insert(*database_, 51, 60, 'a'));
  EXPECT_EQ(CountElsewhere('a'), 60);
}

}  // namespace
}  // namespace sqlite
