// Writes to a terminal at most five times a second, to a file every five seconds.
#include "memory/commands/progress_report.h"

#include <ostream>

namespace memory {

namespace {

constexpr int64_t kTerminalMs = 200, kLineMs = 5000;

}  // namespace

void ProgressReport::Moved() {
  const int64_t now_ms = now_ms_();
  if (now_ms - shown_ms_ < (terminal_ ? kTerminalMs : kLineMs)) return;
  shown_ms_ = now_ms;
  figures.elapsed_ms = now_ms - start_ms_;
  const std::string line = ProgressLine(figures, terminal_);
  if (terminal_)
    out_ << "\r\x1b[K" << line << std::flush;
  else
    out_ << line << std::endl;
  on_screen_ = terminal_;
}

void ProgressReport::Clear() {
  if (on_screen_) out_ << "\r\x1b[K" << std::flush;
  on_screen_ = false;
}

}  // namespace memory
