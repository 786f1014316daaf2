// Shows that the termination message, if there is one, counts undelivered writes.
#include "sidecar/session/stop_report.h"

#include <gtest/gtest.h>

#include "lib/base/json/json.h"
#include "lib/base/process/file.h"
#include "lib/base/process/log.h"
#include "lib/testing/temporary_directory.h"

namespace sidecar {
namespace {

using base::Json;

TEST(StopReport, CountsWhatIsUndeliveredInTheTerminationMessage) {
  const testing::TemporaryDirectory directory;
  const std::string file = directory.Write("termination-log", "");
  const uint64_t errors = base::CountedLogLines().errors;
  WriteTerminationMessage({}, file);
  EXPECT_EQ(*base::ReadFile(file), "");
  EXPECT_EQ(base::CountedLogLines().errors, errors);
  WriteTerminationMessage({.undelivered = 12}, file);
  const auto said = base::ParseJson(*base::ReadFile(file));
  ASSERT_TRUE(said);
  EXPECT_EQ((*said)["undelivered"], 12);
  EXPECT_NE((*said)["note"].get<std::string>().find("state.db"), std::string::npos);
  EXPECT_EQ(base::CountedLogLines().errors, errors + 1);
}

TEST(StopReport, OfATaskHasItsSessionAlways) {
  const testing::TemporaryDirectory directory;
  const std::string file = directory.Write("termination-log", "");
  WriteTerminationMessage({.task = true, .session = "s"}, file);
  EXPECT_EQ(base::ParseJson(*base::ReadFile(file)).value_or(Json()),
            Json({{"session", "s"}, {"undelivered", 0}}));
}

TEST(StopReport, WhatIsNotKnownIsNotSaid) {
  const testing::TemporaryDirectory directory;
  const std::string file = directory.Write("termination-log", "");
  WriteTerminationMessage({.task = true, .undelivered = -1, .session = std::string(5'000, 's')},
                          file);
  EXPECT_EQ(*base::ReadFile(file), "") << "nor is more than the kubelet keeps";
  WriteTerminationMessage({.task = true, .undelivered = -1, .session = "s"}, file);
  EXPECT_EQ(base::ParseJson(*base::ReadFile(file)).value_or(Json()), Json({{"session", "s"}}));
}

TEST(StopReport, OutsideOfAPodItMakesNoFile) {
  const testing::TemporaryDirectory directory;
  WriteTerminationMessage({.undelivered = 12}, directory.path() + "/none");
  EXPECT_FALSE(base::ReadFile(directory.path() + "/none"));
}

}  // namespace
}  // namespace sidecar
