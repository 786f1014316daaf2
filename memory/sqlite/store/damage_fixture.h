// Corrupts files of stores, for the tests of soundness. Test code.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "lib/sqlite/database.h"
#include "memory/store/memory_fixture.h"

namespace memory {

// Overwrites the first page of a table or an index. The file is closed.
inline void OverwriteRoot(const std::string& path, const std::string& name) {
  int64_t page = 0;
  {
    sqlite::Database::Options foreign;
    foreign.access = sqlite::Access::kForeign;
    auto database = sqlite::Database::Open(path, foreign);
    ASSERT_TRUE(database) << database.error().message;
    auto read = database->Prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?1");
    ASSERT_TRUE(read);
    read->Bind(name);
    auto row = read->Step();
    ASSERT_TRUE(row && *row) << name;
    page = read->Int(0);
  }
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  const std::string noise(4096, '\xA5');
  EXPECT_EQ(pwrite(file, noise.data(), noise.size(), (page - 1) * 4096), 4096);
  close(file);
}

// Changes the closed file with SQL that no store runs.
inline void Tamper(const std::string& path, const char* sql) {
  sqlite::Database::Options scratch;
  scratch.access = sqlite::Access::kScratch;  // the only access that may write to FTS5's own tables
  auto database = sqlite::Database::Open(path, scratch);
  ASSERT_TRUE(database) << database.error().message;
  auto done = database->Execute(sql);
  ASSERT_TRUE(done) << done.error().message;
}

// An index that FTS5 cannot read, in tables that SQLite finds sound.
inline constexpr const char* kWordsAreNoise =
    "UPDATE words_data SET block = zeroblob(length(block)) WHERE id > 10";
inline constexpr const char* kWordsAreGone = "DELETE FROM words_data WHERE id > 10";
// A well-formed index of another text.
inline constexpr const char* kWordsAreStale =
    "UPDATE observations SET title = 'zebra' WHERE id = 1";

inline std::string TheFileIn(const std::string& directory) {
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    if (entry.path().filename().string().size() == 64) return entry.path().string();
  return "";
}

template <class Condition>
bool Eventually(const Condition& holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace memory
