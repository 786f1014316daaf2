// Measures the rows and bytes of a tenant at each commit and enforces its quota (quota.h).
#pragma once

#include <atomic>
#include <string>

#include "lib/sql/database.h"
#include "memory/model/quota.h"

namespace memory {

class StoreUsage {
 public:
  StoreUsage(std::string file, TenantQuota quota) : file_(std::move(file)), quota_(quota) {}

  // The last step of each of the writer's transactions, in constant time. After a failed commit the
  // figures are wrong until the next commit.
  base::Status Read(sql::Database& writer);
  // kFull: over a quota; the message names the quota, its limit, its value and the remedy. Admit
  // checks the last commit, so a batch may exceed the limit by its size. Any thread.
  base::Status Admit() const;
  // The part of the WAL that readers keep from being checkpointed counts like the file's bytes.
  void SetLog(int64_t bytes) { log_bytes_ = bytes; }
  int64_t rows() const { return rows_; }
  int64_t bytes() const { return bytes_ + log_bytes_; }
  int64_t log_bytes() const { return log_bytes_; }

 private:
  const std::string file_;
  const TenantQuota quota_;
  std::atomic<int64_t> rows_{0}, bytes_{0}, log_bytes_{0};
  mutable std::atomic<bool> told_{false};  // logged since it was last under its quota
};

}  // namespace memory
