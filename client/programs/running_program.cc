// A child whose log goes to a file, and whose address comes from its log line "listening".
#include "client/programs/running_program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "lib/base/json/json.h"
#include "lib/http/client/client.h"

namespace client {
namespace {

using base::Code;
using base::Error;
using base::Status;

constexpr size_t kProgramLogBytes = 4 << 20;
// A starting sidecar waits up to 45 s for an old one that is still ending.
constexpr int64_t kReadyMs = 60'000, kStopMs = 15'000;
constexpr int64_t kAnswerMs = 2'000;
constexpr int kMostUnanswered = 2;

struct Heard {
  std::mutex mutex;
  std::condition_variable changed;
  std::string address, admin, last;
};

void ReadAddresses(std::string_view line, Heard& heard) {
  if (line.find("\"listening\"") == std::string_view::npos) return;
  const auto json = base::ParseJson(line);
  if (!json || !json->is_object() || base::StringAt(*json, {"msg"}) != "listening") return;
  heard.address = base::StringAt(*json, {"api"});
  heard.admin = base::StringAt(*json, {"admin"});
}

base::Result<http::Response> Ask(const std::string& address, const std::string& target) {
  http::ClientOptions options;
  options.base_url = "http://" + address;
  ASSIGN_OR_RETURN(const auto client, http::MakeClient(std::move(options)));
  http::ClientRequest request;
  request.target = target;
  request.timeout_ms = kAnswerMs;
  return client->Send(request);
}

// The message and error of a JSON log line, for people.
std::string WordsOf(const std::string& line) {
  const auto json = base::ParseJson(line);
  if (!json || !json->is_object()) return line;
  const std::string why = base::StringAt(*json, {"error"});
  return base::StringAt(*json, {"msg"}, line) + (why.empty() ? "" : ": " + why);
}

}  // namespace

BoundedLog::~BoundedLog() {
  if (descriptor_ >= 0) close(descriptor_);
}

void BoundedLog::Write(std::string_view line) {
  if (descriptor_ >= 0 && size_ + line.size() > kProgramLogBytes) {
    close(descriptor_);
    descriptor_ = -1;
    std::error_code ignored;
    std::filesystem::rename(path_, path_ + ".1", ignored);
  }
  if (descriptor_ < 0) {
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    struct stat found {};
    size_ = descriptor_ >= 0 && fstat(descriptor_, &found) == 0 ? size_t(found.st_size) : 0;
  }
  std::string whole(line);
  whole += '\n';
  // Ignores write errors: a full disk must not end the program.
  if (descriptor_ >= 0 && write(descriptor_, whole.data(), whole.size()) > 0) size_ += whole.size();
}

Status Service::Start() {
  const std::string before = address();
  auto started = StartAt(before.empty() ? "127.0.0.1:0" : before);
  // Another program may use the old port.
  if (!started && !before.empty()) return StartAt("127.0.0.1:0");
  return started;
}

Status Service::StartAt(const std::string& address) {
  const auto heard = std::make_shared<Heard>();
  const auto log = std::make_shared<BoundedLog>(log_);
  ChildOptions options{argv_, CleanEnvironment()};
  options.own_group = true;
  options.argv.insert(options.argv.end(), {"--listen", address, "--admin", "127.0.0.1:0"});
  options.on_line = [heard, log](std::string_view line) {
    log->Write(line);
    const std::lock_guard lock(heard->mutex);
    if (!heard->address.empty()) return;
    heard->last = line;
    ReadAddresses(line, *heard);
    heard->changed.notify_all();
  };
  ASSIGN_OR_RETURN(const std::shared_ptr<Child> child, Child::Start(std::move(options)));
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kReadyMs);
  std::unique_lock lock(heard->mutex);
  while (heard->address.empty() && child->running() && std::chrono::steady_clock::now() < end)
    heard->changed.wait_for(lock, std::chrono::milliseconds(20));
  const std::string address_now = heard->address, admin = heard->admin, said = WordsOf(heard->last);
  lock.unlock();
  if (address_now.empty()) {
    child->Stop(kStopMs);
    return Error{Code::kUnavailable, argv_[0] + " did not start: " + said + " (" + log_ + ")"};
  }
  const std::lock_guard ours(mutex_);
  address_ = address_now;
  admin_ = admin;
  child_ = child;
  return {};
}

std::shared_ptr<Child> Service::child() const {
  const std::lock_guard lock(mutex_);
  return child_;
}

std::string Service::address() const {
  const std::lock_guard lock(mutex_);
  return address_;
}

bool Service::running() const {
  const auto now = child();
  return now != nullptr && now->running();
}

int Service::exit_code() const {
  const auto now = child();
  return now == nullptr ? 0 : now->exit_code().value_or(0);
}

void Service::AskToStop() const {
  const auto now = child();
  if (now != nullptr && now->running()) kill(now->pid(), SIGTERM);
}

int Service::pid() const {
  const auto now = child();
  return now == nullptr ? 0 : now->pid();
}

bool Service::EndIfHung() {
  const auto now = child();
  if (now == nullptr || !now->running()) return false;
  const auto answer = Ask(address(), "/health");
  // Refused connections and 503 are answers: of a program that ends, or that has much to do.
  const bool silent = !answer && answer.error().code == Code::kTimeout;
  unanswered_ = silent ? unanswered_ + 1 : 0;
  if (unanswered_ < kMostUnanswered) return false;
  unanswered_ = 0;
  now->Stop(0);
  return true;
}

std::optional<int64_t> Service::QuietMs() const {
  const auto now = child();
  if (now == nullptr || !now->running()) return std::nullopt;
  std::string admin;
  {
    const std::lock_guard lock(mutex_);
    admin = admin_;
  }
  if (admin.empty()) return std::nullopt;
  const auto answer = Ask(admin, "/v1/policy");
  if (!answer) return std::nullopt;
  const auto body = base::ParseJson(answer->body);
  const base::Json* const quiet = body ? base::At(*body, {"quiet_ms"}) : nullptr;
  if (quiet == nullptr || !quiet->is_number_integer()) return std::nullopt;
  return quiet->get<int64_t>();
}

void Service::Stop() {
  if (const auto now = child()) now->Stop(kStopMs);
}

}  // namespace client
