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
  // `free_bytes`: of the volume now; -1: it cannot be asked, and nothing is refused.
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

// What one file counts; given back when it dies.
class SpoolCharge {
 public:
  SpoolCharge() = default;  // of no budget: nothing is counted or refused
  SpoolCharge(std::shared_ptr<SpoolBudget> budget, std::string tenant)
      : budget_(std::move(budget)), tenant_(std::move(tenant)) {}
  SpoolCharge(SpoolCharge&& other) noexcept;
  SpoolCharge& operator=(SpoolCharge&&) = delete;
  ~SpoolCharge();
  // Before the file gets so large. kFull: the volume is too small for it; kUnavailable: for it
  // beside the others that are there. It counts then what it did.
  base::Status Set(int64_t bytes);

 private:
  std::shared_ptr<SpoolBudget> budget_;
  std::string tenant_;
  int64_t bytes_ = 0;
};

}  // namespace memory
