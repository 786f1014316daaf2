// Writes the file in place: the kubelet mounts it, so that it would not see a renamed file.
#include "sidecar/session/stop_report.h"

#include <fcntl.h>
#include <unistd.h>

#include "lib/base/json/json.h"
#include "lib/base/process/log.h"

namespace sidecar {
namespace {

constexpr size_t kMostBytes = 4'096;  // the kubelet keeps no more of a termination message

std::string MessageOf(const TerminationReport& words) {
  base::Json said = base::Json::object();
  if (words.undelivered >= 0) said["undelivered"] = words.undelivered;
  if (!words.session.empty()) said["session"] = words.session;
  if (words.undelivered > 0)
    said["note"] =
        "writes were not delivered to the memory server; they are in state.db and are "
        "sent after the next start on this volume";
  return base::DumpJson(said) + "\n";
}

}  // namespace

void WriteTerminationMessage(const TerminationReport& words, const std::string& termination_log) {
  if (words.undelivered != 0)
    base::LogError(
        "stopped with undelivered writes; a volume keeps them for the next start, an "
        "emptyDir loses them with the pod",
        {{"undelivered", words.undelivered}});
  if (termination_log.empty() || (words.undelivered == 0 && !words.task)) return;
  const std::string said = MessageOf(words);
  if (said.size() > kMostBytes) return;
  const int file = open(termination_log.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return;
  const bool written = write(file, said.data(), said.size()) == static_cast<ssize_t>(said.size());
  close(file);
  if (!written) base::LogWarn("the termination message could not be written");
}

}  // namespace sidecar
