// Many namespaces, few open files: who is closed, who never is, and what it costs.
#include "memory/tenants.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <future>

#include "lib/base/file.h"
#include "lib/base/json.h"
#include "memory/memory_fixture.h"

namespace memory {
namespace {

class TenantsTest : public ::testing::Test {
 protected:
  std::unique_ptr<Tenants> Make(size_t most_open) {
    return std::make_unique<Tenants>(scratch_.path(), StoreOptions(), most_open);
  }
  static std::string NameOf(int i) { return "team-" + std::to_string(i); }
  ScratchDirectory scratch_;
};

int64_t Rows(Store& store) {
  auto totals = store.Count(std::nullopt);
  return totals ? totals->observations : -1;
}

TEST_F(TenantsTest, EachHasAFileOfItsOwnAndIsFoundAgain) {
  auto tenants = Make(256);
  for (int i = 0; i < 3; ++i) {
    auto store = tenants->Take(NameOf(i));
    ASSERT_TRUE(store) << store.error().message;
    for (int row = 0; row <= i; ++row)
      ASSERT_TRUE((*store)->Save(Note("row " + std::to_string(row)), "", kMidnight));
  }
  tenants = Make(256);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Rows(**tenants->Take(NameOf(i))), i + 1);
  auto names = base::ParseJson(*base::ReadFile(scratch_.File("names.json")));
  ASSERT_TRUE(names);
  EXPECT_EQ(names->size(), 3u);
}

TEST_F(TenantsTest, TheLeastRecentlyUsedIsClosedAndOpensAgainWithItsRows) {
  auto tenants = Make(2);
  for (int i = 0; i < 5; ++i) {
    auto store = tenants->Take(NameOf(i));
    ASSERT_TRUE(store) << store.error().message;
    ASSERT_TRUE((*store)->Save(Note("kept"), "", kMidnight));
    EXPECT_LE(tenants->Open(), 2u);
  }
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Rows(**tenants->Take(NameOf(i))), 1);
}

TEST_F(TenantsTest, WhatIsInUseIsNeverClosed) {
  auto tenants = Make(2);
  auto first = tenants->Take("a"), second = tenants->Take("b");
  ASSERT_TRUE(first && second);
  auto third = tenants->Take("c");
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, base::Code::kUnavailable);
  EXPECT_EQ(Rows(**first), 0);
  second->reset();
  EXPECT_TRUE(tenants->Take("c"));  // in place of b
  EXPECT_TRUE((*first)->Save(Note("still open"), "", kMidnight));
  EXPECT_EQ(tenants->Take("a")->get(), first->get());
}

TEST_F(TenantsTest, ManyThreadsOverFewPlacesLoseNothing) {
  constexpr int kThreads = 8, kRounds = 25, kNames = 6;
  auto tenants = Make(3);
  std::atomic<int> saved[kNames] = {};
  std::vector<std::future<void>> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.push_back(std::async(std::launch::async, [&, thread] {
      for (int round = 0; round < kRounds; ++round) {
        const int name = (thread + round) % kNames;
        auto store = tenants->Take(NameOf(name));
        if (!store) continue;  // all places in use: said, not waited for
        auto note = Note(std::to_string(thread) + "." + std::to_string(round));
        if ((*store)->Save(note, "", kMidnight)) ++saved[name];
      }
    }));
  }
  for (auto& thread : threads) thread.get();
  for (int name = 0; name < kNames; ++name)
    EXPECT_EQ(Rows(**tenants->Take(NameOf(name))), saved[name]) << NameOf(name);
}

TEST_F(TenantsTest, AfterCloseNothingIsOpened) {
  auto tenants = Make(2);
  ASSERT_TRUE(tenants->Take("a"));
  tenants->Close();
  EXPECT_FALSE(tenants->Take("a"));
  EXPECT_EQ(tenants->Open(), 0u);
}

TEST_F(TenantsTest, AProbeWritesWithoutAnyTenant) {
  auto tenants = Make(2);
  EXPECT_TRUE(tenants->ProbeWrite());
  EXPECT_EQ(tenants->Open(), 0u);
  ASSERT_TRUE(tenants->Take("a"));
  EXPECT_TRUE(tenants->ProbeWrite());
  std::filesystem::remove_all(scratch_.path());
  tenants->Close();
  EXPECT_FALSE(tenants->ProbeWrite());
}

double ResidentKib() {
  std::ifstream statm("/proc/self/statm");
  double total = 0, resident = 0;
  statm >> total >> resident;
  return resident * 4;
}

TEST_F(TenantsTest, ManyOpenOnesFitBesideEachOther) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's memory is not ours";
#endif
  constexpr int kMany = 32;
  auto tenants = Make(kMany);
  ASSERT_TRUE(tenants->Take(NameOf(0)));
  const double before = ResidentKib();
  for (int i = 0; i < kMany; ++i) {
    auto store = tenants->Take(NameOf(i));
    ASSERT_TRUE(store) << i << ": " << store.error().message;
    ASSERT_TRUE((*store)->Save(Note("one row"), "", kMidnight));
    ASSERT_TRUE((*store)->Recall({}, "row"));
  }
  const double each = (ResidentKib() - before) / kMany;
  RecordProperty("kib_each", static_cast<int>(each));
  EXPECT_LT(each, 1024) << "KiB for each open tenant";
}

}  // namespace
}  // namespace memory
