// The loop: starts requested sidecars, restarts an ended server, and stops idle sidecars.
#include "client/laptop/supervisor.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "client/laptop/project_files.h"
#include "client/laptop/starter_policy.h"
#include "lib/base/process/clock.h"
#include "lib/base/process/file.h"

namespace client {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

namespace {

constexpr int64_t kTickMs = 500, kLongestPauseMs = 30'000, kInUseMs = 70'000;
constexpr int64_t kWatchMs = 5'000;
constexpr size_t kMostAliases = 1'000;

// Of the .git of a root, else of the root: another one lies there after a move.
std::pair<uint64_t, uint64_t> FileAt(const std::string& root) {
  struct stat found {};
  if (lstat((root + "/.git").c_str(), &found) != 0 && stat(root.c_str(), &found) != 0) return {};
  return {found.st_dev, found.st_ino};
}

int64_t Now() { return base::SystemClock().MonotonicMs(); }

}  // namespace

Supervisor::Supervisor(Home home, Programs programs, std::function<void(const std::string&)> say,
                       int64_t idle_ms)
    : home_(std::move(home)),
      programs_(std::move(programs)),
      say_(std::move(say)),
      idle_ms_(idle_ms) {}

Supervisor::~Supervisor() { Stop(); }

Status Supervisor::Start() {
  const ProjectFiles files(home_);
  server_ =
      std::make_unique<Service>(std::vector<std::string>{programs_.server, "--data-dir",
                                                         home_.File("memory"), "--auth", "none"},
                                home_.File("server.log"), files.ServerAddress());
  thread_ = std::jthread([this] { Loop(); });
  watch_ = std::jthread([this](std::stop_token stop) { Watch(std::move(stop)); });
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return started_.has_value(); });
  return *started_;
}

void Supervisor::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  watch_.request_stop();
  if (watch_.joinable()) watch_.join();
  if (thread_.joinable()) thread_.join();
}

std::string Supervisor::server_url() const { return server_->url(); }

Result<Project> Supervisor::Use(const std::string& root, const std::string& name) {
  std::unique_lock lock(mutex_);
  if (const auto sidecar = RunningFor(root, name)) {
    sidecar->used_ms = Now();
    RETURN_IF_ERROR(WritePolicy(*sidecar));
    return sidecar->project;
  }
  const auto wanted = std::make_shared<Wanted>(Wanted{root, name, {}});
  wanted_.push_back(wanted);
  changed_.notify_all();
  changed_.wait_for(lock, std::chrono::milliseconds(kInUseMs),
                    [&] { return wanted->answer.has_value() || stopping_; });
  if (wanted->answer) return *wanted->answer;
  return Error{Code::kUnavailable, stopping_ ? "memory is going down" : "no sidecar in time"};
}

std::shared_ptr<Supervisor::Sidecar> Supervisor::RunningFor(const std::string& root,
                                                            const std::string& name) const {
  const auto alias = aliases_.find(root);
  if (alias == aliases_.end() ||
      std::pair(alias->second.device, alias->second.inode) != FileAt(root))
    return nullptr;
  const auto found = sidecars_.find(alias->second.root);
  if (found == sidecars_.end() || !found->second->service->running()) return nullptr;
  return name.empty() || name == found->second->project.name ? found->second : nullptr;
}

Json Supervisor::Status() const {
  Json known = Json::array();
  for (const KnownProject& project : ProjectFiles(home_).All()) {
    std::error_code ignored;
    known.push_back({{"project", project.name},
                     {"root", project.root},
                     {"there", std::filesystem::exists(project.root, ignored)}});
  }
  const std::lock_guard lock(mutex_);
  Json projects = Json::array();
  for (const auto& [root, sidecar] : sidecars_) {
    projects.push_back({{"project", sidecar->project.name},
                        {"root", root},
                        {"url", sidecar->project.url},
                        {"running", sidecar->service->running()},
                        {"used_seconds_ago", (Now() - sidecar->used_ms) / 1000}});
  }
  return {{"home", home_.folder()},
          {"server", {{"url", server_->url()}, {"running", server_->running()}}},
          {"projects", projects},
          {"known", known}};
}

void Supervisor::Loop() {
  const auto started = server_->Start();
  std::unique_lock lock(mutex_);
  started_ = started;
  changed_.notify_all();
  if (!started) return;
  ProjectFiles(home_).KeepServerAddress(server_->address());
  while (!stopping_) {
    if (!wanted_.empty()) {
      const auto wanted = wanted_.front();
      wanted_.pop_front();
      lock.unlock();
      auto answer = StartSidecar(wanted->root, wanted->name);
      lock.lock();
      wanted->answer = std::move(answer);
      changed_.notify_all();
      continue;
    }
    lock.unlock();
    KeepServer();
    EndUnused();
    lock.lock();
    changed_.wait_for(lock, std::chrono::milliseconds(kTickMs),
                      [&] { return stopping_ || !wanted_.empty(); });
  }
  lock.unlock();
  EndAll();
}

void Supervisor::KeepServer() {
  if (server_->running() || Now() < server_again_ms_) return;
  say_("the memory server ended with " + std::to_string(server_->exit_code()) +
       "; starting it again");
  const auto started = server_->Start();
  server_pause_ms_ = std::clamp<int64_t>(server_pause_ms_ * 2, 1000, kLongestPauseMs);
  if (started) server_pause_ms_ = 0;
  server_again_ms_ = Now() + std::max<int64_t>(server_pause_ms_, 1000);
  if (!started) return say_(started.error().message);
  ProjectFiles(home_).KeepServerAddress(server_->address());
  const std::lock_guard lock(mutex_);
  for (auto& [root, sidecar] : sidecars_) {
    if (const auto written = WritePolicy(*sidecar); !written) say_(written.error().message);
  }
}

void Supervisor::Watch(std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any ended;
  std::unique_lock waiting(mutex);
  while (!ended.wait_for(waiting, stop, std::chrono::milliseconds(kWatchMs),
                         [&] { return stop.stop_requested(); })) {
    std::vector<std::shared_ptr<Sidecar>> sidecars;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& [root, sidecar] : sidecars_) sidecars.push_back(sidecar);
    }
    if (server_->EndIfHung())
      say_("the memory server does not answer: it is ended and started again");
    for (const auto& sidecar : sidecars) {
      if (!sidecar->service->EndIfHung()) continue;
      say_("the sidecar of " + sidecar->project.name + " does not answer: it is started again");
      const std::lock_guard lock(mutex_);
      wanted_.push_back(std::make_shared<Wanted>(Wanted{sidecar->project.root, "", {}}));
      changed_.notify_all();
    }
  }
}

void Supervisor::EndUnused() {
  const int64_t used_before_ms = Now() - idle_ms_;
  AskForUse(used_before_ms);
  while (const auto unused = TakeOldest(used_before_ms)) unused->service->Stop();
}

void Supervisor::AskForUse(int64_t used_before_ms) {
  std::vector<std::shared_ptr<Sidecar>> unused;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [root, sidecar] : sidecars_)
      if (sidecar->used_ms < used_before_ms) unused.push_back(sidecar);
  }
  for (const auto& sidecar : unused) {
    const auto quiet_ms = sidecar->service->QuietMs();
    if (!quiet_ms) continue;
    const std::lock_guard lock(mutex_);
    sidecar->used_ms = std::max(sidecar->used_ms, Now() - *quiet_ms);
  }
}

std::shared_ptr<Supervisor::Sidecar> Supervisor::TakeOldest(int64_t used_before_ms) {
  const std::lock_guard lock(mutex_);
  const auto oldest = std::min_element(
      sidecars_.begin(), sidecars_.end(),
      [](const auto& a, const auto& b) { return a.second->used_ms < b.second->used_ms; });
  if (oldest == sidecars_.end() || oldest->second->used_ms >= used_before_ms) return nullptr;
  auto taken = oldest->second;
  sidecars_.erase(oldest);
  return taken;
}

void Supervisor::EndAll() {
  for (const auto& [root, sidecar] : sidecars_) sidecar->service->AskToStop();
  for (const auto& [root, sidecar] : sidecars_) sidecar->service->Stop();
  server_->Stop();
}

Status Supervisor::WritePolicy(Sidecar& sidecar) const {
  ASSIGN_OR_RETURN(const std::string policy, base::ReadFile(home_.File("policy.json"), 1 << 20));
  const auto made = PolicyFor(policy, server_->url(), sidecar.project.name);
  // An invalid file (an edit in progress) leaves the previous policy in force.
  if (!made && !sidecar.policy.empty()) return {};
  if (!made) return base::Wrap(home_.File("policy.json"), made.error());
  if (*made == sidecar.policy) return {};
  RETURN_IF_ERROR(base::ReplaceFile(sidecar.folder + "/policy.json", *made));
  sidecar.policy = *made;
  return {};
}

Result<Project> Supervisor::StartSidecar(const std::string& asked, const std::string& name) {
  const ProjectFiles files(home_);
  const auto file = FileAt(asked);
  KnownProject known = files.Find(asked);
  const std::string& root = known.root;
  const std::string& folder = known.folder;
  if (!name.empty()) known.name = name;
  const auto sidecar = std::make_shared<Sidecar>();
  sidecar->project = {known.name, root, "", 0};
  sidecar->folder = folder;
  RETURN_IF_ERROR(files.Keep(known));
  RETURN_IF_ERROR(WritePolicy(*sidecar));
  // The sidecar of these files, which may run for a root from before a move.
  std::shared_ptr<Sidecar> before;
  {
    const std::lock_guard lock(mutex_);
    for (auto at = sidecars_.begin(); at != sidecars_.end();) {
      const bool same = at->second->folder == folder;
      if (same) before = at->second;
      at = same ? sidecars_.erase(at) : std::next(at);
    }
    if (aliases_.size() >= kMostAliases) aliases_.clear();
    aliases_[asked] = {root, file.first, file.second};
  }
  if (before != nullptr && before->service->running()) {
    // The running sidecar watches its policy file.
    sidecar->service = before->service;
  } else {
    if (before != nullptr)
      say_("the sidecar of " + known.name + " had ended with " +
           std::to_string(before->service->exit_code()));
    sidecar->service = std::make_shared<Service>(
        std::vector<std::string>{programs_.sidecar, "--policy", folder + "/policy.json",
                                 "--data-dir", folder + "/state", "--drain-timeout", "5s",
                                 "--erase=true"},
        folder + "/sidecar.log", known.address);
    RETURN_IF_ERROR(sidecar->service->Start());
  }
  sidecar->project.url = sidecar->service->url();
  sidecar->project.pid = sidecar->service->pid();
  sidecar->used_ms = Now();
  known.address = sidecar->service->address();
  RETURN_IF_ERROR(files.Keep(known));
  say_("project " + known.name + " (" + root + ") at " + sidecar->project.url);
  bool full = false;
  std::shared_ptr<Sidecar> replaced;
  {
    const std::lock_guard lock(mutex_);
    // A repository that took another's place: that one's sidecar ends with its last use.
    if (const auto other = sidecars_.find(root); other != sidecars_.end()) replaced = other->second;
    sidecars_[root] = sidecar;
    full = sidecars_.size() > kMostSidecars;
  }
  if (replaced) replaced->service->Stop();
  if (full) {
    AskForUse(sidecar->used_ms);
    if (const auto oldest = TakeOldest(Now())) oldest->service->Stop();
  }
  return sidecar->project;
}

}  // namespace client
