// Reads the small file as a whole, at most once a second, and compares it.
#include "memory/identity/share_file.h"

#include <algorithm>

#include "lib/base/process/file.h"
#include "lib/base/process/log.h"

namespace memory {

using base::Result;

namespace {

constexpr size_t kMaxShareFile = 1 << 20;
constexpr int64_t kLookEveryMs = 1'000;

}  // namespace

Result<std::unique_ptr<ShareFile>> ShareFile::Open(const std::string& path,
                                                   const base::Clock& clock) {
  std::unique_ptr<ShareFile> file(new ShareFile(path, clock));
  if (!path.empty())
    if (Result<bool> read = file->Read(); !read) return base::Wrap("share-file", read.error());
  return file;
}

Result<bool> ShareFile::Read() {
  ASSIGN_OR_RETURN(std::string text, base::ReadFile(path_, kMaxShareFile));
  if (text == text_) return false;
  Result<base::Json> json = base::ParseJson(text);
  if (!json) return base::Wrap(path_, json.error());
  Result<api::SharedGrants> grants = api::DecodeSharedGrants(*json);
  if (!grants) return base::Wrap(path_, grants.error());
  grants_ = std::move(*grants);
  text_ = std::move(text);
  return true;
}

void ShareFile::ReadAgain() {
  const int64_t now_ms = clock_.MonotonicMs();
  if (path_.empty() || now_ms < look_ms_) return;
  look_ms_ = now_ms + kLookEveryMs;
  const Result<bool> changed = Read();
  if (changed) {
    if (*changed) base::LogInfo("the share file was read again", {{"file", path_}});
    if (*changed) fault_.clear();
    return;
  }
  if (changed.error().message == fault_) return;  // logged already
  fault_ = changed.error().message;
  base::LogError("the share file cannot be used; the grants before it stay in force",
                 {{"reason", fault_}});
}

Result<bool> ShareFile::May(const SharedCaller& caller, SharedVerb verb, const std::string& owner) {
  if (caller.as == owner) return true;
  if (caller.as.empty()) return verb == SharedVerb::kGet;
  std::lock_guard lock(mutex_);
  ReadAgain();
  const auto grants = grants_.find(owner);
  if (grants == grants_.end()) return false;
  return std::ranges::any_of(grants->second, [&](const api::SharedGrant& grant) {
    return (grant.writes || verb == SharedVerb::kGet) &&
           std::ranges::find(grant.agents, caller.as) != grant.agents.end();
  });
}

}  // namespace memory
