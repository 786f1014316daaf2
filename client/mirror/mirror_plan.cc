// One line per case.
#include "client/mirror/mirror_plan.h"

namespace client {

MirrorStep StepFor(const MirrorPair& pair) {
  if (pair.file && pair.row) {
    if (!pair.edited && !pair.changed) return MirrorStep::kNothing;
    if (!pair.edited) return MirrorStep::kWriteFile;
    if (pair.same) return MirrorStep::kNote;
    return pair.changed ? MirrorStep::kConflict : MirrorStep::kChangeRow;
  }
  if (pair.file) return pair.edited ? MirrorStep::kCreateRow : MirrorStep::kRemoveFile;
  if (!pair.row) return MirrorStep::kForget;
  return pair.changed ? MirrorStep::kWriteBack : MirrorStep::kHideRow;
}

}  // namespace client
