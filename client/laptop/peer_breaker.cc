// The file of the breaker, and what /proc says of a process.
#include "client/laptop/peer_breaker.h"

#include <dirent.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <memory>

#include "lib/base/process/file.h"

namespace client {
namespace {

constexpr int64_t kFirstProbeMs = 250, kOpenProbeMs = 20, kOpenMs = 60'000, kHungMs = 3'000;

// Counts suspended time and does not jump with the wall clock.
int64_t BootMs() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

}  // namespace

PeerBreaker::PeerBreaker(const Home& home, const std::string& peer)
    : file_(home.File("silent-" + peer)) {
  const auto text = base::ReadFile(file_, 64);
  if (!text) return;
  int64_t since_ms = -1;
  std::from_chars(text->data(), text->data() + text->size(), since_ms);
  if (since_ms <= BootMs()) silent_since_ms_ = since_ms;  // else of before a reboot
}

int64_t PeerBreaker::probe_ms() const { return is_open() ? kOpenProbeMs : kFirstProbeMs; }

bool PeerBreaker::is_open() const {
  return silent_since_ms_ >= 0 && BootMs() - silent_since_ms_ < kOpenMs;
}

bool PeerBreaker::is_long_silent() const {
  return silent_since_ms_ >= 0 && BootMs() - silent_since_ms_ >= kHungMs;
}

void PeerBreaker::NoteSilent() const {
  if (is_open()) return;
  [[maybe_unused]] const auto noted = base::ReplaceFile(file_, std::to_string(BootMs()));
}

void PeerBreaker::NoteAnswer() const {
  if (silent_since_ms_ >= 0) unlink(file_.c_str());
}

bool IsBusy(int pid) {
  const std::string folder = "/proc/" + std::to_string(pid) + "/task";
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    const auto stat = base::ReadFile((at->path() / "stat").string(), 4096);
    if (!stat) continue;
    // "pid (name) state …"; a name may hold parentheses.
    const size_t name_end = stat->rfind(')');
    if (name_end == std::string::npos || name_end + 2 >= stat->size()) continue;
    const char state = (*stat)[name_end + 2];
    if (state == 'R' || state == 'D') return true;
  }
  return false;
}

base::Status EndHungSupervisor(const Home& home) {
  ASSIGN_OR_RETURN(const Running running, home.FindRunning());
  const auto line = base::ReadFile("/proc/" + std::to_string(running.pid) + "/cmdline", 4096);
  // The home's lock is held, so the pid is that of its holder, unless an earlier version wrote
  // run.json.
  if (running.pid <= 0 || !line || line->find(std::string("up\0", 3)) == std::string::npos) {
    return base::Error{base::Code::kInternal,
                       "the process that holds " + home.File("lock") + " is not known: end it"};
  }
  if (kill(running.pid, SIGKILL) == 0) return {};
  return base::Error{base::Code::kInternal,
                     "end process " + std::to_string(running.pid) + ": " + std::strerror(errno)};
}

}  // namespace client
