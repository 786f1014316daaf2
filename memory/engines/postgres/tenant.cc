// The settings of transactions are those that schema_base.h reads.
#include "memory/engines/postgres/tenant.h"

#include <utility>
#include <vector>

#include "lib/base/json/json.h"

namespace memory {

using base::Result;
using base::Status;
using sql::Statement;

PostgresTenant::PostgresTenant(std::string number, Parts parts)
    : number_(std::move(number)),
      defaults_(base::DumpJson(EncodeRetention(parts.defaults))),
      parts_(std::move(parts)) {}

Result<std::unique_ptr<PostgresTenant>> PostgresTenant::Open(const std::string& name, Parts parts) {
  ASSIGN_OR_RETURN(postgres::Pool::Lease lease, parts.pool.Checkout({}, parts.wait_ms));
  ASSIGN_OR_RETURN(sql::Transaction making, sql::Transaction::Begin(*lease));
  std::string number;
  {
    ASSIGN_OR_RETURN(Statement make, lease->Prepare("SELECT agent_memory.tenant_of(?1)"));
    RETURN_IF_ERROR(make.Bind(name).Step());
    number = make.Text(0);
  }
  RETURN_IF_ERROR(making.Commit());
  return std::unique_ptr<PostgresTenant>(new PostgresTenant(std::move(number), std::move(parts)));
}

postgres::Scope PostgresTenant::Entering(bool writing) const {
  return {.writing = writing,
          .lock = writing ? "SELECT agent_memory.enter($1::bigint, $2::bigint, $3, true)"
                          : "SELECT agent_memory.enter($1::bigint, $2::bigint, $3, false)",
          .lock_values = {number_, std::to_string(parts_.clock.NowMs()), defaults_}};
}

void PostgresTenant::Watch(ResidentIndexes& resident, OnChanged changed) {
  resident_ = &resident;
  changed_ = std::move(changed);
}

Result<std::optional<int64_t>> PostgresTenant::Follow(sql::Database& snapshot) {
  struct Versions {
    int64_t rows = 0, cleared = 0, rules = 0;
  };
  ASSIGN_OR_RETURN(Statement read,
                   snapshot.Prepare("SELECT version, cleared, rules_version FROM tenants"));
  ASSIGN_OR_RETURN(const auto found, read.ReadFirst([](const Statement& row) {
    return Versions{row.Int(0), row.Int(1), row.Int(2)};
  }));
  const Versions now = found.value_or(Versions());
  const std::lock_guard lock(mutex_);
  if (now.rows < published_ || now.rules < rules_version_) return std::optional<int64_t>();
  if (now.rules > rules_version_) {
    ASSIGN_OR_RETURN(RetentionPolicy policy, LoadPolicy(snapshot, parts_.defaults));
    parts_.liveness->Set(std::move(policy));
    rules_version_ = now.rules;
  }
  if (now.rows == published_) return std::optional(now.rows);
  if (published_ < now.cleared) {
    resident_->ForgetUntil(now.rows);
    published_ = now.rows;
  } else {
    RETURN_IF_ERROR(Publish(snapshot, now.rows));
  }
  return std::optional(now.rows);
}

Status PostgresTenant::Publish(sql::Database& snapshot, int64_t version) {
  ASSIGN_OR_RETURN(
      Statement changed,
      snapshot.Prepare("SELECT slot FROM changes WHERE version > ?1 AND version <= ?2 ORDER BY "
                       "slot"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> slots,
                   changed.Bind(published_).Bind(version).ReadAll([](const Statement& row) {
                     return row.Int(0);
                   }));
  resident_->Publish(version, slots);
  changed_(slots);
  published_ = version;
  return {};
}

}  // namespace memory
