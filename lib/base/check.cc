// Logs a failed CHECK and aborts the process.
#include "lib/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace base {

void CheckFailed(const char* file, int line, const char* condition) {
  std::fprintf(
      stderr,
      "{\"level\":\"error\",\"msg\":\"check failed\",\"place\":\"%s:%d\",\"condition\":\"%s\"}\n",
      file, line, condition);
  std::abort();
}

}  // namespace base
