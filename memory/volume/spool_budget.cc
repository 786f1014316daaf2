// The shares are of the present free space, so that growing files leave more than they take.
#include "memory/volume/spool_budget.h"

#include <sys/statvfs.h>

#include <utility>

namespace memory {

using base::Code;
using base::Error;
using base::Status;

namespace {

constexpr const char* kNoRoomLeft = "format=jsonl needs no room";

}  // namespace

std::shared_ptr<SpoolBudget> SpoolBudget::OfVolume(const std::string& directory) {
  return std::make_shared<SpoolBudget>([directory]() -> int64_t {
    struct statvfs volume {};
    if (statvfs(directory.c_str(), &volume) != 0) return -1;
    return static_cast<int64_t>(volume.f_bavail) * static_cast<int64_t>(volume.f_frsize);
  });
}

int64_t SpoolBudget::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

Status SpoolBudget::Move(const std::string& tenant, int64_t from, int64_t to) {
  const int64_t free = to > from ? free_bytes_() : -1;
  const std::lock_guard lock(mutex_);
  int64_t& its = of_tenants_[tenant];
  const int64_t its_others = its - from, all_others = bytes_ - from;
  Status granted;
  if (free >= 0 && to > free / 4) {
    granted =
        Error{Code::kFull, "a SQLite file of " + std::to_string(to) +
                               " bytes is more than a quarter of the free space of the volume (" +
                               std::to_string(free / 4) +
                               " bytes), which one namespace may take for "
                               "uploads and copies: enlarge the volume; " +
                               kNoRoomLeft};
  } else if (free >= 0 && its_others + to > free / 4) {
    granted = Error{Code::kUnavailable,
                    "uploads and copies of this namespace have " + std::to_string(its_others) +
                        " bytes and this one needs " + std::to_string(to) +
                        ", together more than a quarter of the free space of the volume (" +
                        std::to_string(free / 4) + " bytes): send it again when they are done; " +
                        kNoRoomLeft};
  } else if (free >= 0 && all_others + to > free / 2) {
    granted = Error{Code::kUnavailable,
                    "uploads and copies of all namespaces have " + std::to_string(all_others) +
                        " bytes and this one needs " + std::to_string(to) +
                        ", together more than half of the free space of the volume (" +
                        std::to_string(free / 2) + " bytes): send it again when they are done; " +
                        kNoRoomLeft};
  } else {
    its = its_others + to;
    bytes_ = all_others + to;
  }
  if (its == 0) of_tenants_.erase(tenant);
  return granted;
}

SpoolCharge::SpoolCharge(SpoolCharge&& other) noexcept
    : budget_(std::move(other.budget_)),
      tenant_(std::move(other.tenant_)),
      bytes_(std::exchange(other.bytes_, 0)) {}

SpoolCharge::~SpoolCharge() {
  if (bytes_ > 0) (void)budget_->Move(tenant_, bytes_, 0);
}

Status SpoolCharge::Set(int64_t bytes) {
  if (!budget_) return {};
  RETURN_IF_ERROR(budget_->Move(tenant_, bytes_, bytes));
  bytes_ = bytes;
  return {};
}

}  // namespace memory
