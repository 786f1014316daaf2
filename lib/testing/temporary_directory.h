// A directory of one test's own. Not for programs: theirs are named by their settings.
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

// Made empty, for its user alone, under the first of $TEST_TMPDIR, $TMPDIR and /tmp that is named;
// removed at the guard's end with all that is in it. So whoever runs the tests says what kind of
// volume they are on. A test for which none can be made fails.
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
    std::error_code ignored;  // a test may have taken it away
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }
  // The path of `name` in it, which need not exist.
  std::string File(const std::string& name) const { return path_ + "/" + name; }
  // Makes the file `name` with this content or gives it the content. → its path
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
