// The cache in front of access reviews, with one concurrent review per question.
#include "memory/identity/access_check.h"

#include <chrono>

#include "lib/api/shared_memory.h"
#include "lib/base/process/log.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;

namespace {

const char* NameOf(SharedVerb verb) {
  switch (verb) {
    case SharedVerb::kGet:
      return "get";
    case SharedVerb::kUpdate:
      return "update";
    default:
      return "delete";
  }
}

// Names of namespaces, accounts and owners do not contain the separator.
std::string KeyOf(const AccessQuestion& question) {
  return question.name_space + "/" + question.account + "/" + question.verb + "/" + question.owner;
}

}  // namespace

AccessCheck::AccessCheck(AccessReviewer* reviewer, const base::Clock& clock,
                         telemetry::Metrics& metrics, Options options)
    : reviewer_(reviewer),
      clock_(clock),
      metrics_(metrics),
      options_(options),
      answers_(options.most_answers) {}

Result<bool> AccessCheck::May(const SharedCaller& caller, SharedVerb verb,
                              const std::string& owner) {
  if (caller.account.empty()) return false;  // without a token nobody has a name
  if (caller.account == api::AgentAccount(owner)) return true;
  return Ask({caller.tenant, caller.account, NameOf(verb), owner});
}

Result<bool> AccessCheck::MayListAll(const SharedCaller& caller) {
  if (caller.account.empty()) return false;
  return Ask({caller.tenant, caller.account, "list", ""});
}

Result<bool> AccessCheck::Counted(Result<bool> answer, const char* outcome) {
  metrics_.Count("agent_memory_server_access_reviews_total", {{"outcome", outcome}});
  return answer;
}

Error AccessCheck::Unknown(const std::string& reason) const {
  return Error{Code::kUnavailable,
               "cannot say who may use this shared memory: " + reason + "; try again"};
}

Result<bool> AccessCheck::Ask(const AccessQuestion& question) {
  if (!reviewer_) return false;
  const std::string key = KeyOf(question);
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(options_.wait_ms);
  std::unique_lock lock(mutex_);
  while (true) {
    const int64_t now_ms = clock_.MonotonicMs();
    if (const Answer* known = answers_.Find(key); known && now_ms < known->until_ms)
      return Counted(known->allowed, "remembered");
    if (now_ms < ask_again_ms_) return Counted(Unknown(failure_), "unavailable");
    if (!asking_.contains(key) && asking_.size() < options_.most_reviews) break;
    if (waiting_ >= options_.most_waiting)
      return Counted(Unknown("too many reviews are on their way"), "unavailable");
    ++waiting_;
    const bool late = wake_.wait_until(lock, until) == std::cv_status::timeout;
    --waiting_;
    if (late) return Counted(Unknown("the Kubernetes API server is slow"), "unavailable");
  }
  asking_.insert(key);
  lock.unlock();
  const Result<bool> allowed = reviewer_->Review(question);
  lock.lock();
  asking_.erase(key);
  wake_.notify_all();
  const int64_t now_ms = clock_.MonotonicMs();
  if (!allowed) {
    if (failure_.empty())
      base::LogError("access to shared memory cannot be reviewed; it is refused meanwhile",
                     {{"reason", allowed.error().message}});
    failure_ = allowed.error().message;
    ask_again_ms_ = now_ms + options_.pause_ms;
    return Counted(Unknown(failure_), "unavailable");
  }
  failure_.clear();
  answers_.Put(key, {*allowed, now_ms + options_.keep_ms});
  return Counted(*allowed, *allowed ? "allowed" : "denied");
}

}  // namespace memory
