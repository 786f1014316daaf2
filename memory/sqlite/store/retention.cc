// The retention rules of projects: stored in the file and applied immediately.
#include "lib/base/json/json.h"
#include "memory/sqlite/store/state.h"
#include "memory/sqlite/tables/live.h"
#include "memory/sqlite/tables/rows.h"

namespace memory {

using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

Status Store::SetRetention(const std::string& project, const RetentionRules& rules) {
  if (!rules.empty()) RETURN_IF_ERROR(state_->AdmitGrowth());
  RETURN_IF_ERROR(state_->writer->RunAny([&](Database& database) -> Status {
    if (rules.empty()) {
      ASSIGN_OR_RETURN(std::optional<int64_t> known, FindProject(database, project));
      ASSIGN_OR_RETURN(Statement drop,
                       database.Prepare("DELETE FROM retention WHERE project = ?1"));
      return drop.Bind(known.value_or(0)).Run();
    }
    ASSIGN_OR_RETURN(int64_t number, FindOrAddProject(database, project));
    ASSIGN_OR_RETURN(Statement add,
                     database.Prepare("INSERT INTO retention VALUES(?1, ?2) ON CONFLICT(project) "
                                      "DO UPDATE SET rules = excluded.rules"));
    return add.Bind(number).Bind(base::DumpJson(EncodeRetention(rules))).Run();
  }));
  // Serialized, so that the last one reads all committed rules.
  std::lock_guard lock(state_->rules_mutex);
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::BeginUnhurried(state_->readers));
  ASSIGN_OR_RETURN(RetentionPolicy policy,
                   LoadPolicy(snapshot.database(), state_->options.retention));
  state_->liveness->Set(std::move(policy));
  state_->sweep.rules_changed = true;
  return {};
}

Result<RetentionRules> Store::Retention(const std::string& project) {
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(state_->readers));
  ASSIGN_OR_RETURN(std::optional<int64_t> number, FindProject(snapshot.database(), project));
  return state_->liveness->policy()->For(number.value_or(0));
}

}  // namespace memory
