// Assertions for programmer errors: a false CHECK prints where and why, and ends the process. Not
// for input, files or the network: those are Results.
#pragma once

namespace base {

[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);

}  // namespace base

#define CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::base::CheckFailed(__FILE__, __LINE__, #condition))
