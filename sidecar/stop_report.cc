// Writes the file in place: it is mounted, so a rename onto it would not be seen.
#include "sidecar/stop_report.h"

#include <fcntl.h>
#include <unistd.h>

#include "lib/base/log.h"

namespace sidecar {

void ReportUndelivered(int64_t pending, const std::string& termination_log) {
  if (pending == 0) return;
  base::LogError(
      "stopped with undelivered writes; a volume keeps them for the next start, an "
      "emptyDir loses them with the pod",
      {{"undelivered", pending}});
  if (termination_log.empty()) return;
  const int file = open(termination_log.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return;
  const std::string said = std::to_string(pending) +
                           " writes were not delivered to the memory server; they are in state.db "
                           "and are sent after the next start on this volume\n";
  const bool written = write(file, said.data(), said.size()) == static_cast<ssize_t>(said.size());
  close(file);
  if (!written) base::LogWarn("the termination message could not be written");
}

}  // namespace sidecar
