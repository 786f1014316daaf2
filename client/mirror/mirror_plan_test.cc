// Every state of a memory and its file, and the step that loses neither text.
#include "client/mirror/mirror_plan.h"

#include <gtest/gtest.h>

namespace client {
namespace {

TEST(MirrorPlan, HasAStepForEveryStateOfAPair) {
  using Step = MirrorStep;
  struct Case {
    MirrorPair pair;
    Step step;
  };
  for (const Case& one :
       {Case{{.file = true, .row = true}, Step::kNothing},
        {{.file = true, .row = true, .changed = true}, Step::kWriteFile},
        {{.file = true, .row = true, .changed = true, .same = true}, Step::kWriteFile},
        {{.file = true, .edited = true, .row = true}, Step::kChangeRow},
        {{.file = true, .edited = true, .row = true, .same = true}, Step::kNote},
        {{.file = true, .edited = true, .row = true, .changed = true}, Step::kConflict},
        {{.file = true, .edited = true, .row = true, .changed = true, .same = true}, Step::kNote},
        {{.file = true}, Step::kRemoveFile},
        {{.file = true, .edited = true}, Step::kCreateRow},
        {{.row = true}, Step::kHideRow},
        {{.row = true, .changed = true}, Step::kWriteBack},
        {{}, Step::kForget}}) {
    EXPECT_EQ(StepFor(one.pair), one.step)
        << one.pair.file << one.pair.edited << one.pair.row << one.pair.changed << one.pair.same;
  }
}

}  // namespace
}  // namespace client
