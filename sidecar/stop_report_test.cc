// Shows that what a stop leaves behind is counted in the termination message, where there is one.
#include "sidecar/stop_report.h"

#include <gtest/gtest.h>

#include "lib/base/file.h"
#include "lib/base/log.h"
#include "sidecar/sidecar_fixture.h"

namespace sidecar {
namespace {

TEST(StopReport, CountsWhatIsUndeliveredInTheTerminationMessage) {
  const TestDirectory directory;
  const std::string file = directory.Write("termination-log", "");
  const uint64_t errors = base::CountedLogLines().errors;
  ReportUndelivered(0, file);
  EXPECT_EQ(*base::ReadFile(file), "");
  EXPECT_EQ(base::CountedLogLines().errors, errors);
  ReportUndelivered(12, file);
  EXPECT_TRUE(base::ReadFile(file)->starts_with("12 writes were not delivered"));
  EXPECT_EQ(base::CountedLogLines().errors, errors + 1);
}

TEST(StopReport, OutsideOfAPodItMakesNoFile) {
  const TestDirectory directory;
  ReportUndelivered(12, directory.path() + "/none");
  EXPECT_FALSE(base::ReadFile(directory.path() + "/none"));
}

}  // namespace
}  // namespace sidecar
