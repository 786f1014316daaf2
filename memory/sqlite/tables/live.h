// Decides which rows are live: the policy that expires rows, and their recent uses.
// sweep_rows.cc scans the rows.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>

#include "lib/base/guarded.h"
#include "lib/base/process/clock.h"
#include "lib/sql/database.h"
#include "memory/model/marks.h"
#include "memory/model/retention.h"
#include "memory/rows/observations.h"

namespace sqlite {
class Database;
}

namespace memory {

// Rows that a person pinned (model/marks.h).
#define MEMORY_PINNED "(o.marks & 16) <> 0 "
static_assert(kFlagPinned == 16);

// The condition of a live row `o` of observations: neither deleted nor expired. A connection that
// uses the condition needs Liveness::RegisterFunction.
#define MEMORY_LIVE                                                                          \
  "o.deleted_ms IS NULL AND (max(o.updated_ms, o.seen_ms) > kept_since(o.project, o.scope, " \
  "o.type) OR " MEMORY_PINNED ") "

// IsUnaskedType.
#define MEMORY_UNASKED_TYPES "('audit', 'security', 'agentos')"

// The retention policy in force and the rows that were used, shared by all connections of a store.
// Any thread.
class Liveness {
 public:
  explicit Liveness(const base::Clock& clock) : clock_(clock) {}
  // Gives a connection of a file the function kept_since(project, scope, type):
  // RetentionPolicy::KeptSince.
  static base::Status RegisterFunction(std::shared_ptr<Liveness> self, sqlite::Database& database);

  void Set(RetentionPolicy policy);
  std::shared_ptr<const RetentionPolicy> policy() const { return policy_.Copy(); }
  int64_t NowMs() const { return clock_.NowMs(); }

  // When rows were read or found, by id; in memory until TakeUses. At most 65,536 rows: uses of
  // further rows are dropped.
  using Uses = std::unordered_map<int64_t, int64_t>;
  void Use(std::span<const int64_t> ids);
  Uses TakeUses();
  void GiveBack(const Uses& uses);  // after a failed write
  size_t CountUses() const;
  bool UsedSince(int64_t id, int64_t since_ms) const;  // of the uses in memory

 private:
  friend struct KeptSinceFunction;
  const base::Clock& clock_;
  std::atomic<uint64_t> changes_{0};  // of the policy
  std::atomic<bool> ends_{false};     // some rule has a ttl: else no row expires
  base::Guarded<std::shared_ptr<const RetentionPolicy>> policy_{
      std::make_shared<const RetentionPolicy>()};
  base::Guarded<Uses> uses_;
};

// The rules of the file, over `defaults`.
base::Result<RetentionPolicy> LoadPolicy(sql::Database& database, RetentionRules defaults);

}  // namespace memory
