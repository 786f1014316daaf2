// Shows progress on stderr while something moves: one line that changes on a terminal, else a line
// now and then.
#pragma once

#include <functional>
#include <iosfwd>

#include "memory/commands/progress.h"

namespace memory {

class ProgressReport {
 public:
  // `now_ms`: a clock that does not go back.
  ProgressReport(std::ostream& out, bool terminal, std::function<int64_t()> now_ms)
      : out_(out), terminal_(terminal), now_ms_(std::move(now_ms)), start_ms_(now_ms_()) {
    shown_ms_ = start_ms_;
  }
  ~ProgressReport() { Clear(); }

  ProgressFigures figures;  // the caller's to change; then:
  void Moved();
  void Clear();  // before other words: takes the line off the terminal
  int64_t elapsed_ms() const { return now_ms_() - start_ms_; }

 private:
  std::ostream& out_;
  const bool terminal_;
  const std::function<int64_t()> now_ms_;
  const int64_t start_ms_;
  int64_t shown_ms_ = 0;
  bool on_screen_ = false;
};

}  // namespace memory
