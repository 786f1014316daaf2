// Shows progress on stderr: one changing line on a terminal, else a line every few seconds.
#pragma once

#include <functional>
#include <iosfwd>

#include "memory/commands/progress.h"

namespace memory {

class ProgressReport {
 public:
  // `now_ms`: a monotonic clock.
  ProgressReport(std::ostream& out, bool terminal, std::function<int64_t()> now_ms)
      : out_(out), terminal_(terminal), now_ms_(std::move(now_ms)), start_ms_(now_ms_()) {
    shown_ms_ = start_ms_;
  }
  ~ProgressReport() { Clear(); }

  ProgressFigures figures;  // the caller's to change; then:
  void Moved();
  void Clear();  // removes the line from the terminal, before other output
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
