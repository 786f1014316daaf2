// Opens state.db: two connections, one that writes and one that reads, over the joined schema.
#include "sidecar/state/state.h"

#include <mutex>
#include <utility>

#include "lib/base/process/clock.h"
#include "lib/base/process/file.h"
#include "lib/base/process/log.h"
#include "lib/conversation/sqlite/schema.h"
#include "lib/sqlite/examine.h"
#include "sidecar/growth/growth_tables.h"
#include "sidecar/outbox/outbox.h"
#include "sidecar/state/salvage.h"
#include "sidecar/tables/answered_events.h"
#include "sidecar/tables/audit_log.h"
#include "sidecar/tables/damaged_rows.h"
#include "sidecar/tables/injection_log.h"
#include "sidecar/tables/memory_sessions.h"
#include "sidecar/tables/policy_tables.h"

namespace sidecar {
namespace {

constexpr int kLogWaitMs = 1'000;  // for the reader of a request
constexpr int kCacheKib = 512;     // each connection; rows are appended and read once

// The retention clock, and indexes by age.
const char* const kAgeStep = R"sql(
ALTER TABLE handled_events ADD COLUMN created_ms INTEGER NOT NULL DEFAULT 0;
UPDATE handled_events SET created_ms = CAST(strftime('%s', 'now') AS INTEGER) * 1000;
CREATE INDEX handled_by_age ON handled_events(created_ms);
CREATE INDEX outbox_by_lane ON outbox(lane);
CREATE INDEX sessions_by_conversation ON memory_sessions(conversation);
CREATE TABLE aged(only_one INTEGER PRIMARY KEY CHECK(only_one = 1), now_ms INTEGER NOT NULL) STRICT;
)sql";

}  // namespace

const std::vector<const char*>& StateSteps() {
  // A released step never changes; new steps are appended.
  static const std::string first = std::string(conversation::kSchema) + kOutboxSchema +
                                   kAnsweredEventsSchema + kInjectionsSchema +
                                   conversation::kSeenItemsSchema + kMemorySessionsSchema +
                                   kAuditSchema + kKeptPolicySchema;
  static const std::string checksums =
      std::string(conversation::kChecksumStep) + kOutboxChecksumStep + kDamagedRowsStep;
  static const std::vector<const char*> steps = {first.c_str(),
                                                 kOutboxCauseStep,
                                                 kOutboxDeadStep,
                                                 kAgeStep,
                                                 conversation::kAgeStep,
                                                 kDamageStep,
                                                 conversation::kLedgerStep,
                                                 kOutboxDiscardStep,
                                                 kRetentionStep,
                                                 checksums.c_str(),
                                                 conversation::kErrorStep,
                                                 conversation::kSystemStep,
                                                 kGrowthStep,
                                                 kAuditStep,
                                                 conversation::kBlockStep,
                                                 conversation::kFieldsStep,
                                                 conversation::kTaskStep,
                                                 conversation::kCheckpointStep};
  return steps;
}

base::Result<std::unique_ptr<State>> State::Open(
    const std::string& directory, std::function<void(const base::Error&)> on_failure) {
  const auto fail = [once = std::make_shared<std::once_flag>(), on_failure = std::move(on_failure)](
                        const base::Error& error) { std::call_once(*once, on_failure, error); };
  RETURN_IF_ERROR(base::MakeDirectories(directory));
  const std::string path = directory + "/state.db";
  const std::vector<const char*>& steps = StateSteps();
  RETURN_IF_ERROR(FinishSettingAside(directory));
  ASSIGN_OR_RETURN(const sqlite::Examination found, sqlite::Examine(path));
  // The file of a newer program stays untouched, damaged or not: Migrate refuses.
  if (found.damaged && found.schema_version <= static_cast<int64_t>(steps.size())) {
    RETURN_IF_ERROR(SetAside(directory, base::SystemClock().NowMs()));
  }
  ASSIGN_OR_RETURN(auto writer, sqlite::Database::Open(path, {.access = sqlite::Access::kWriter,
                                                              .cache_kib = kCacheKib,
                                                              .on_damage = fail}));
  RETURN_IF_ERROR(sqlite::Migrate(writer, steps));
  RETURN_IF_ERROR(SalvageAll(writer, directory));
  ASSIGN_OR_RETURN(auto reader, sqlite::Database::Open(path, {.access = sqlite::Access::kReader,
                                                              .cache_kib = kCacheKib,
                                                              .on_damage = fail}));
  return std::unique_ptr<State>(new State(std::move(writer), std::move(reader), fail));
}

State::State(sqlite::Database writer, sqlite::Database reader,
             std::function<void(const base::Error&)> on_failure)
    : reader_(std::move(reader)) {
  sqlite::Writer::Options options;
  options.on_sync_failure = std::move(on_failure);
  writer_ = std::make_unique<sqlite::Writer>(std::move(writer), std::move(options));
}

base::Status State::EmptyLog() {
  return writer_->RunSteps([](sqlite::Database& db) -> base::Result<bool> {
    RETURN_IF_ERROR(db.Checkpoint(sqlite::Database::Log::kEmpty, kLogWaitMs));
    return true;
  });
}

base::Status State::Change(std::function<base::Status(sqlite::Database&)> work, Space space) {
  std::vector<sqlite::UnsoundRow> unsound;
  base::Status done = writer_->RunAny(
      [&](sqlite::Database& db) {
        base::Status worked = work(db);
        unsound = db.TakeUnsoundRows();
        return worked;
      },
      space);
  if (!unsound.empty()) Remember(std::move(unsound));
  return done;
}

// Does not block the reader. A row that is not recorded is found again after a restart.
void State::Remember(std::vector<sqlite::UnsoundRow> rows) {
  damaged_.With([&](auto& known) {
    std::erase_if(rows, [&](const sqlite::UnsoundRow& row) {
      const bool full = known.size() >= kMostDamagedRows;
      return full || !known.emplace(row.table, row.rowid).second;
    });
  });
  if (rows.empty()) return;
  for (const sqlite::UnsoundRow& row : rows) {
    base::LogError(
        "the checksum of a row of state.db does not match: the disk changed it; the row is skipped",
        {{"table", row.table}, {"row", row.rowid}});
  }
  (void)writer_->Post([rows = std::move(rows)](sqlite::Database& db) -> base::Status {
    RETURN_IF_ERROR(NoteDamagedRows(db, rows, base::SystemClock().NowMs()));
    return {};
  });
}

}  // namespace sidecar
