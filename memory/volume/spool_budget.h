// How much of the free space uploads and copies may use: half in total, a quarter per tenant, by
// the bytes of their files. The space kept for writes is space_guard.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "lib/base/result.h"

namespace memory {

// One for a volume. Any thread.
class SpoolBudget {
 public:
  // `free_bytes`: of the volume now; -1: unknown, and nothing is refused.
  explicit SpoolBudget(std::function<int64_t()> free_bytes) : free_bytes_(std::move(free_bytes)) {}
  static std::shared_ptr<SpoolBudget> OfVolume(const std::string& directory);
  int64_t bytes() const;  // of all files

 private:
  friend class SpoolCharge;
  base::Status Move(const std::string& tenant, int64_t from, int64_t to);
  const std::function<int64_t()> free_bytes_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, int64_t> of_tenants_;  // those that have any
  int64_t bytes_ = 0;
};

// The account of one file; the destructor returns its bytes.
class SpoolCharge {
 public:
  SpoolCharge() = default;  // without a budget: counts and refuses nothing
  SpoolCharge(std::shared_ptr<SpoolBudget> budget, std::string tenant)
      : budget_(std::move(budget)), tenant_(std::move(tenant)) {}
  SpoolCharge(SpoolCharge&& other) noexcept;
  SpoolCharge& operator=(SpoolCharge&&) = delete;
  ~SpoolCharge();
  // Call before the file grows to `bytes`. kFull: the volume is too small for it; kUnavailable: too
  // small for it beside the other files. On an error the account stays unchanged.
  base::Status Set(int64_t bytes);

 private:
  std::shared_ptr<SpoolBudget> budget_;
  std::string tenant_;
  int64_t bytes_ = 0;
};

}  // namespace memory
