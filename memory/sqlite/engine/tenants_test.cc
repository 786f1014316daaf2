// Many namespaces, few open files: which stores are closed, which are not, and the cost.
#include "memory/sqlite/engine/tenants.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <future>

#include "lib/base/json/json.h"
#include "lib/base/process/file.h"
#include "lib/testing/temporary_directory.h"
#include "memory/store/memory_fixture.h"

namespace memory {
namespace {

class TenantsTest : public ::testing::Test {
 protected:
  std::unique_ptr<Tenants> Make(size_t most_open) {
    return std::make_unique<Tenants>(scratch_.path(), StoreOptions(), most_open);
  }
  static std::string NameOf(int i) { return "team-" + std::to_string(i); }
  testing::TemporaryDirectory scratch_;
};

int64_t Rows(SqliteStore& store) {
  auto totals = store.Count(std::nullopt);
  return totals ? totals->observations : -1;
}

TEST_F(TenantsTest, EachTenantHasItsOwnFileAcrossRestarts) {
  auto tenants = Make(256);
  for (int i = 0; i < 3; ++i) {
    auto store = tenants->Acquire(NameOf(i));
    ASSERT_TRUE(store) << store.error().message;
    for (int row = 0; row <= i; ++row)
      ASSERT_TRUE((*store)->Save(Note("row " + std::to_string(row)), "", kMidnight));
  }
  tenants = Make(256);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Rows(**tenants->Acquire(NameOf(i))), i + 1);
  auto names = base::ParseJson(*base::ReadFile(scratch_.File("names.json")));
  ASSERT_TRUE(names);
  EXPECT_EQ(names->size(), 3u);
}

TEST_F(TenantsTest, LeastRecentlyUsedIsClosedAndReopensWithItsRows) {
  auto tenants = Make(2);
  for (int i = 0; i < 5; ++i) {
    auto store = tenants->Acquire(NameOf(i));
    ASSERT_TRUE(store) << store.error().message;
    ASSERT_TRUE((*store)->Save(Note("kept"), "", kMidnight));
    EXPECT_LE(tenants->stores().Open(), 2u);
  }
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Rows(**tenants->Acquire(NameOf(i))), 1);
}

TEST_F(TenantsTest, TenantWithDueErasureIsClosedLastAndErased) {
  auto holds = [this](const std::string& word) {
    for (const auto& entry : std::filesystem::directory_iterator(scratch_.path()))
      if (auto bytes = base::ReadFile(entry.path());
          bytes && bytes->find(word) != std::string::npos)
        return true;
    return false;
  };
  StoreOptions options;
  options.erase_after = std::chrono::hours(1);
  Tenants tenants(scratch_.path(), options, 2);
  for (const char* name : {"a", "b"}) {
    auto store = tenants.Acquire(name);
    ASSERT_TRUE(store && (*store)->Save(Note("zyxwvsecret"), "", kMidnight));
    EXPECT_FALSE((*store)->Search({}, "zyxwvsecret", false)->rows.empty());
  }
  ASSERT_TRUE((*tenants.Acquire("a"))->Delete(1, true, kMidnight));
  ASSERT_TRUE(tenants.Acquire("b"));
  ASSERT_TRUE(tenants.Acquire("a"));
  ASSERT_TRUE(tenants.Acquire("b"));
  EXPECT_EQ(tenants.stores().Used().due_erasures, 1);
  EXPECT_EQ(tenants.Unclosed(), (std::vector<std::string>{"b", "a"}));
  ASSERT_TRUE(tenants.Acquire("c"));
  EXPECT_EQ(tenants.stores().Used().due_erasures, 1) << "b was closed, though a was used before it";
  {
    auto c = tenants.Acquire("c");
    ASSERT_TRUE(tenants.Acquire("d")) << "now a has to go";
  }
  EXPECT_EQ(tenants.stores().Used().due_erasures, 0);
  ASSERT_TRUE((*tenants.Acquire("b"))->Delete(1, true, kMidnight));
  tenants.Close();
  EXPECT_FALSE(holds("zyxwvsecret"));
  EXPECT_TRUE(tenants.Unclosed().empty());
}

TEST_F(TenantsTest, TenantInUseIsNeverClosed) {
  auto tenants = Make(2);
  auto first = tenants->Acquire("a"), second = tenants->Acquire("b");
  ASSERT_TRUE(first && second);
  auto third = tenants->Acquire("c");
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, base::Code::kUnavailable);
  EXPECT_EQ(Rows(**first), 0);
  second->reset();
  EXPECT_TRUE(tenants->Acquire("c"));  // in place of b
  EXPECT_TRUE((*first)->Save(Note("still open"), "", kMidnight));
  EXPECT_EQ(tenants->Acquire("a")->get(), first->get());
}

TEST_F(TenantsTest, ConcurrentEvictionsLoseNoRow) {
  constexpr int kThreads = 8, kRounds = 25, kNames = 6;
  auto tenants = Make(3);
  std::atomic<int> saved[kNames] = {};
  std::vector<std::future<void>> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.push_back(std::async(std::launch::async, [&, thread] {
      for (int round = 0; round < kRounds; ++round) {
        const int name = (thread + round) % kNames;
        auto store = tenants->Acquire(NameOf(name));
        if (!store) continue;  // all places in use: said, not waited for
        auto note = Note(std::to_string(thread) + "." + std::to_string(round));
        if ((*store)->Save(note, "", kMidnight)) ++saved[name];
      }
    }));
  }
  for (auto& thread : threads) thread.get();
  for (int name = 0; name < kNames; ++name)
    EXPECT_EQ(Rows(**tenants->Acquire(NameOf(name))), saved[name]) << NameOf(name);
}

TEST_F(TenantsTest, ClosedPoolOpensNoTenant) {
  auto tenants = Make(2);
  ASSERT_TRUE(tenants->Acquire("a"));
  tenants->Close();
  EXPECT_FALSE(tenants->Acquire("a"));
  EXPECT_EQ(tenants->stores().Open(), 0u);
}

TEST_F(TenantsTest, WriteProbeNeedsNoTenant) {
  auto tenants = Make(2);
  EXPECT_TRUE(tenants->ProbeWrite());
  EXPECT_EQ(tenants->stores().Open(), 0u);
  ASSERT_TRUE(tenants->Acquire("a"));
  EXPECT_TRUE(tenants->ProbeWrite());
  std::filesystem::remove_all(scratch_.path());
  tenants->Close();
  EXPECT_FALSE(tenants->ProbeWrite());
}

// What each open tenant costs in memory is its connections; scripts/bench/tenants.py weighs them.
int OpenFiles() {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    files += entry.is_symlink() ? 1 : 0;
  return files;
}

TEST_F(TenantsTest, ConnectionsAreOpenedOnDemand) {
  constexpr int kMany = 16, kFilesOfAConnection = 3;  // the database, its log, their shared memory
  auto tenants = Make(kMany);
  const int before = OpenFiles();
  auto each = [&] { return (OpenFiles() - before) / kMany; };
  for (int i = 0; i < kMany; ++i)
    ASSERT_TRUE((*tenants->Acquire(NameOf(i)))->Save(Note("one row"), "", kMidnight));
  // SQLite closes the file of a reader that was only tried with the last connection.
  EXPECT_LE(each(), kFilesOfAConnection + 1) << "the writer alone";
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < kMany; ++i) ASSERT_TRUE((*tenants->Acquire(NameOf(i)))->Recall({}, "row"));
  EXPECT_LE(each(), 2 * kFilesOfAConnection) << "one reader for questions one after the other";
}

TEST_F(TenantsTest, FailedSyncOfTenantNamesIsFinal) {
  StoreOptions options;
  int told = 0;
  options.on_sync_failure = [&](const base::Error&) { ++told; };
  Tenants tenants(scratch_.path(), options, 4);
  ASSERT_TRUE(tenants.Acquire("a"));
  // No file of the process may grow: an error that is not about space. How a failed fsync looks is
  // e2e/crash/sync_errors.py.
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit nothing{1, before.rlim_max};
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &nothing), 0);
  EXPECT_FALSE(tenants.Acquire("b"));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(told, 1);
  EXPECT_TRUE(tenants.Failed());
  EXPECT_FALSE(tenants.Acquire("a")) << "nothing is acknowledged any more";
  EXPECT_FALSE(tenants.Acquire("b"));
  EXPECT_EQ(told, 1);
}

}  // namespace
}  // namespace memory
