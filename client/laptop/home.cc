// Finds and checks the folder, and reads and writes run.json.
#include "client/laptop/home.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "lib/base/process/file.h"

namespace client {
namespace {

using base::Code;
using base::Error;
using base::Result;
using base::Status;

std::string HomeVariable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Tests with a shared lock, so that concurrent tests do not conflict.
bool IsHeld(const std::string& lock) {
  const int descriptor = open(lock.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool held = flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(descriptor);
  return held;
}

}  // namespace

base::Setting HomeSetting() {
  return {"home", base::Setting::Kind::kString, "",
          "folder of the memory on this machine; default: $XDG_DATA_HOME/agent-memory, else "
          "~/.local/share/agent-memory"};
}

Result<Home> Home::Find(const base::Settings& settings) {
  std::string folder = settings.Text("home");
  const std::string shared = HomeVariable("XDG_DATA_HOME"), user = HomeVariable("HOME");
  if (folder.empty() && shared.starts_with('/')) folder = shared + "/agent-memory";
  if (folder.empty() && user.starts_with('/')) folder = user + "/.local/share/agent-memory";
  if (folder.empty())
    return Error{Code::kInvalid, "HOME is not set: say with --home where memory is to be kept"};
  std::error_code error;
  const auto whole = std::filesystem::absolute(folder, error).lexically_normal();
  return Home(error ? folder : whole.string());
}

Status Home::Make() const {
  RETURN_IF_ERROR(base::MakeDirectories(folder_));
  struct stat found {};
  if (stat(folder_.c_str(), &found) != 0)
    return Error{Code::kInternal, "cannot look at " + folder_};
  if (found.st_uid != geteuid())
    return Error{Code::kDenied, folder_ + " belongs to another user: choose another with --home"};
  if ((found.st_mode & 077) == 0) return {};
  return Error{Code::kDenied,
               folder_ + " is open to other users: run chmod 700 " + folder_ + ", then try again"};
}

Result<Running> Home::FindRunning() const {
  const Error down{Code::kNotFound, "memory is not up: start it with 'agent-memory up'"};
  if (!IsHeld(File("lock"))) return down;
  const Error between{Code::kUnavailable, "memory is just coming up or going down: try again"};
  const auto file = base::ReadFile(File("run.json"), 64 << 10);
  if (!file) return file.error().code == Code::kNotFound ? between : file.error();
  const auto json = base::ParseJson(*file);
  if (!json || !json->is_object()) return between;
  Running running{
      base::StringAt(*json, {"front"}), base::StringAt(*json, {"token"}),
      json->contains("pid") && (*json)["pid"].is_number_integer() ? (*json)["pid"].get<int>() : 0};
  if (running.front.empty() || running.token.empty()) return between;
  return running;
}

Status Home::SaveRunning(const Running& running) const {
  return base::ReplaceFile(
      File("run.json"),
      base::DumpJson({{"front", running.front}, {"token", running.token}, {"pid", running.pid}}));
}

void Home::ForgetRunning() const { unlink(File("run.json").c_str()); }

bool Home::stopped() const { return access(File("stopped").c_str(), F_OK) == 0; }

void Home::SetStopped(bool stopped) const {
  if (!stopped) {
    unlink(File("stopped").c_str());
    return;
  }
  // Ignores errors: without the file the next hook only starts memory again.
  [[maybe_unused]] const auto marked = base::ReplaceFile(File("stopped"), "by agent-memory down\n");
}

}  // namespace client
