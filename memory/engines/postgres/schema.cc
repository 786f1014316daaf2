// Steps of the schema. A step that only adds (columns with a default, tables, indexes) leaves
// `works_since` of the last one, so that programs of the release before go on beside it; the next
// release takes away.
#include "memory/engines/postgres/schema.h"

#include <string>
#include <vector>

#include "lib/sql/run.h"
#include "memory/engines/postgres/schema_base.h"
#include "memory/engines/postgres/schema_conversations.h"
#include "memory/engines/postgres/schema_rows.h"

namespace memory {

using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;
using sql::Transaction;

namespace {

struct Step {
  std::vector<const char*> scripts;
  int64_t works_since;  // the first version whose programs work with this one
};

const std::vector<Step>& Steps() {
  static const std::vector<Step> kSteps = {
      {{kPostgresBase, kPostgresRows, kPostgresRowTriggers, kPostgresConversations,
        kPostgresFunctions, kPostgresFences},
       1}};
  return kSteps;
}

// One program at a time makes a step. A role that may not create schemas finds both.
constexpr const char* kBegin = R"sql(
SET LOCAL client_min_messages = warning;
SELECT pg_advisory_xact_lock(7022344802737087853);
DO $f$ BEGIN
  IF to_regnamespace('agent_memory_rows') IS NULL THEN CREATE SCHEMA agent_memory_rows; END IF;
  IF to_regnamespace('agent_memory') IS NULL THEN CREATE SCHEMA agent_memory; END IF;
END $f$;
SET LOCAL search_path = agent_memory_rows;
CREATE TABLE IF NOT EXISTS schema_versions(
  version bigint PRIMARY KEY, works_since bigint NOT NULL,
  made_at timestamptz NOT NULL DEFAULT now());
)sql";

// → whether that was the last step.
Result<bool> MakeStep(Database& database) {
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database));
  RETURN_IF_ERROR(database.Execute(kBegin));
  int64_t version = 0, works_since = 0;
  {
    ASSIGN_OR_RETURN(Statement read,
                     database.Prepare("SELECT version, works_since FROM schema_versions "
                                      "ORDER BY version DESC LIMIT 1"));
    ASSIGN_OR_RETURN(const bool row, read.Step());
    if (row) version = read.Int(0), works_since = read.Int(1);
  }
  const auto known = static_cast<int64_t>(Steps().size());
  if (works_since > known) {
    return base::Error{base::Code::kInvalid,
                       "the database has schema version " + std::to_string(version) +
                           ", this program knows " + std::to_string(known) +
                           ": start the newer program again or restore a backup"};
  }
  if (version >= known) return true;
  const Step& step = Steps()[static_cast<size_t>(version)];
  for (const char* script : step.scripts) RETURN_IF_ERROR(database.Execute(script));
  RETURN_IF_ERROR(sql::Run(database,
                           "INSERT INTO schema_versions(version, works_since) VALUES(?1, ?2)",
                           version + 1, step.works_since));
  RETURN_IF_ERROR(transaction.Commit());
  return version + 1 == known;
}

}  // namespace

Status MigrateSchema(Database& database) {
  for (bool done = false; !done;) {
    Result<bool> made = MakeStep(database);
    if (!made) return base::Wrap("the schema", made.error());
    done = *made;
  }
  return {};
}

}  // namespace memory
