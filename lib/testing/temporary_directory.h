// A temporary directory for one test. Not for programs, whose settings name their directories.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace testing {

// Creates an empty directory with mode 0700 under $TEST_TMPDIR, else $TMPDIR, else /tmp, so that
// the environment selects the kind of volume; the destructor removes it with its content. The test
// fails if the directory cannot be created.
class TemporaryDirectory {
 public:
  TemporaryDirectory() : path_(Parent() + "/test-XXXXXX") {
    EXPECT_TRUE(mkdtemp(path_.data()))
        << "no directory can be made like " << path_ << ": " << std::strerror(errno)
        << "; name its parent by TEST_TMPDIR";
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;  // the test may have removed it
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }
  // The path of `name` in the directory, which need not exist.
  std::string File(const std::string& name) const { return path_ + "/" + name; }
  // Creates or overwrites the file `name`; returns its path.
  std::string Write(const std::string& name, const std::string& content) const {
    std::ofstream(File(name), std::ios::binary | std::ios::trunc) << content;
    return File(name);
  }
  void Remove(const std::string& name) const { std::filesystem::remove_all(File(name)); }

 private:
  static std::string Parent() {
    for (const char* variable : {"TEST_TMPDIR", "TMPDIR"}) {
      const char* named = std::getenv(variable);
      if (named && *named) return named;
    }
    return "/tmp";
  }

  std::string path_;
};

}  // namespace testing
