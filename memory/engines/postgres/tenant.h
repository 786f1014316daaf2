// A tenant in the shared database: what its transactions begin with, and which rows others changed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/process/clock.h"
#include "lib/postgres/pool.h"
#include "memory/model/retention.h"
#include "memory/ranking/resident_indexes.h"
#include "memory/sqlite/ranking/text_indexes.h"
#include "memory/sqlite/tables/live.h"

namespace memory {

// Any thread.
class PostgresTenant {
 public:
  struct Parts {  // all outlive it
    postgres::Pool& pool;
    TextIndexes& texts;
    const base::Clock& clock;
    std::shared_ptr<Liveness> liveness;
    RetentionRules defaults;
    int64_t wait_ms = 1000;  // for a connection
  };
  // Makes the tenant if it is not there.
  static base::Result<std::unique_ptr<PostgresTenant>> Open(const std::string& name, Parts parts);

  postgres::Scope Writing() const { return Entering(true); }
  postgres::Scope Reading() const { return Entering(false); }
  base::Result<postgres::Pool::Lease> Checkout(postgres::Scope scope) const {
    return parts_.pool.Checkout(std::move(scope), parts_.wait_ms);
  }
  TextIndexes& texts() const { return parts_.texts; }

  // The version of a snapshot's rows, after the indexes and the policy of retention know what
  // others changed until then. nullopt: they know later changes, so that the snapshot must move on.
  base::Result<std::optional<int64_t>> Follow(sql::Database& snapshot);
  // The indexes that follow, and who else is told of changed rows; before the first snapshot.
  using OnChanged = std::function<void(const std::vector<int64_t>& slots)>;
  void Watch(ResidentIndexes& resident, OnChanged changed);

 private:
  PostgresTenant(std::string number, Parts parts);
  postgres::Scope Entering(bool writing) const;
  base::Status Publish(sql::Database& snapshot, int64_t version);
  const std::string number_, defaults_;
  const Parts parts_;
  ResidentIndexes* resident_ = nullptr;
  OnChanged changed_;
  std::mutex mutex_;
  int64_t published_ = 0;      // to the indexes
  int64_t rules_version_ = 0;  // of the policy
};

}  // namespace memory
