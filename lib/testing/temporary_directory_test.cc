// The place of a test's directory, and its removal.
#include "lib/testing/temporary_directory.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <optional>

namespace testing {
namespace {

// Sets an environment variable; the destructor restores it. For a process without other threads.
class Named {
 public:
  Named(const char* variable, const std::string& value) : variable_(variable) {
    if (const char* before = std::getenv(variable)) before_ = before;
    setenv(variable, value.c_str(), 1);
  }
  ~Named() {
    if (before_) setenv(variable_, before_->c_str(), 1);
    if (!before_) unsetenv(variable_);
  }

 private:
  const char* variable_;
  std::optional<std::string> before_;
};

TEST(TemporaryDirectory, IsPrivateAndGoesWithAllThatIsInIt) {
  std::string path;
  {
    const TemporaryDirectory directory;
    path = directory.path();
    struct stat facts {};
    ASSERT_EQ(stat(path.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777, 0700u);
    EXPECT_EQ(directory.Write("x", "one"), path + "/x");
    directory.Write("x", std::string("t\0o", 3));
    EXPECT_EQ(std::filesystem::file_size(directory.File("x")), 3u);
    std::filesystem::create_directories(directory.File("a/b"));
    directory.Remove("a");
    directory.Remove("a");  // removed already
    EXPECT_FALSE(std::filesystem::exists(directory.File("a")));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(TemporaryDirectory, IsWhereTheTestersVariableSaysBeforeTheSystemsOwn) {
  const TemporaryDirectory one, other;
  const Named usual("TMPDIR", one.path());
  const Named none("TEST_TMPDIR", "");
  EXPECT_TRUE(TemporaryDirectory().path().starts_with(one.path() + "/"));
  const Named testers("TEST_TMPDIR", other.path());
  EXPECT_TRUE(TemporaryDirectory().path().starts_with(other.path() + "/"));
}

TEST(TemporaryDirectory, ThatCannotBeMadeNamesItsPathAndTheVariable) {
  const TemporaryDirectory one;
  const Named missing("TEST_TMPDIR", one.File("none"));
  TestPartResultArray failures;
  {
    const ScopedFakeTestPartResultReporter watched(&failures);
    const TemporaryDirectory directory;
  }
  ASSERT_EQ(failures.size(), 1);
  const std::string message = failures.GetTestPartResult(0).message();
  EXPECT_NE(message.find(one.File("none")), std::string::npos) << message;
  EXPECT_NE(message.find("TEST_TMPDIR"), std::string::npos) << message;
}

}  // namespace
}  // namespace testing
