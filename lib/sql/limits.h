// The time limits of the calls on a connection.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "lib/base/process/clock.h"
#include "lib/base/result.h"

namespace sql {

// Outermost first. The thread of the connection, but for Over, which an engine may call from
// inside of a call.
class Limits {
 public:
  struct Limit {
    int64_t deadline_ms = 0;  // monotonic; 0: none
    std::stop_token stop;
    base::Error error = {base::Code::kTimeout, ""};  // of the call that it ends; "": the engine's
    bool met = false;
  };
  // `clock` outlives it.
  explicit Limits(const base::Clock& clock) : clock_(&clock) {}

  // The outermost one, which is always there: `milliseconds` from now, 0: none.
  void SetDeadline(int64_t milliseconds, std::stop_token stop);
  size_t Push(int64_t milliseconds, std::stop_token stop, base::Error error);  // → its place
  void Pop(size_t place);                                                      // the last one
  bool Met(size_t place) const { return limits_[place].met; }
  Limit* Over();  // the outermost limit that has passed; null: none
  // Milliseconds until the first deadline; INT64_MAX: there is none.
  int64_t Left() const;

 private:
  const base::Clock* clock_;
  std::vector<Limit> limits_ = std::vector<Limit>(1);
};

}  // namespace sql
