// Progress of an import on stderr: one line that changes on a terminal, else a line now and then.
#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string>

namespace client {

class ImportProgress {
 public:
  // `whole`: bytes.
  ImportProgress(std::ostream& out, bool terminal, int64_t whole)
      : out_(out), terminal_(terminal), whole_(whole) {}
  ~ImportProgress();  // removes the line from the terminal
  void At(int64_t bytes, size_t sessions, size_t of_sessions);

 private:
  using Clock = std::chrono::steady_clock;
  std::ostream& out_;
  const bool terminal_;
  const int64_t whole_;
  const Clock::time_point begun_ = Clock::now();
  Clock::time_point said_ = begun_;
  bool line_ = false;
};

}  // namespace client
