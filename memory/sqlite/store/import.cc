// Imports rows of an export, many in one transaction. What becomes of each: keeping/importing.h.
#include "memory/keeping/importing.h"
#include "memory/sqlite/store/state.h"
#include "memory/sqlite/traces/trace_rows.h"
#include "memory/sqlite/writing/observation_rows.h"

namespace memory {

using base::Code;
using base::Result;
using base::Status;
using sql::Database;

namespace {

// The trace that a new row is, too. Its id is that of the observation's number, which no other has.
Status AddTrace(Database& database, int64_t id, const ExportedTrace& trace) {
  ASSIGN_OR_RETURN(const auto place, FindRow(database, id));
  if (!place) return {};
  TraceRow row;
  row.slot = place->slot;
  row.id = NumberedTraceId(id);
  row.scope = trace.scope;
  row.scope_id = trace.scope_id;
  row.strength = trace.strength;
  row.metadata = trace.metadata;
  return PutTrace(database, row);
}

Result<Imported> ImportRow(Database& database, const ExportedRow& given, const TextFacts& facts,
                           const ImportOptions& options, const std::string& salt, int64_t now_ms) {
  SqliteObservations rows(database);
  ASSIGN_OR_RETURN(
      const Imported imported,
      ImportObservation(rows, {given.row, given.revisions, facts}, options, salt, now_ms));
  if (imported.added && given.trace)
    RETURN_IF_ERROR(AddTrace(database, imported.observation, *given.trace));
  return imported;
}

// Each row has its own savepoint, so that a conflict refuses only that row.
template <class Row, class Take>
Result<Store::ImportOutcomes> TakeEach(Database& database, const std::vector<Row>& rows,
                                       const Take& take) {
  Store::ImportOutcomes outcomes;
  for (const Row& row : rows) {
    ASSIGN_OR_RETURN(sql::Transaction savepoint, sql::Transaction::Begin(database));
    Result<Imported> outcome = take(row);
    if (!outcome && outcome.error().code != Code::kConflict) return outcome.error();
    if (outcome) RETURN_IF_ERROR(savepoint.Commit());
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

}  // namespace

Result<Store::ImportOutcomes> Store::Import(const std::vector<ExportedRow>& rows,
                                            const ImportOptions& options) {
  RETURN_IF_ERROR(state_->AdmitGrowth());
  const int64_t now_ms = state_->liveness->NowMs();
  std::vector<TextFacts> facts;  // computed off the writer's thread
  for (const ExportedRow& row : rows)
    facts.push_back(state_->Facts(row.row.title, row.row.content));
  return state_->writer->Run<ImportOutcomes>([&](Database& database) {
    return TakeEach(database, rows, [&](const ExportedRow& row) {
      const TextFacts& of_row = facts[static_cast<size_t>(&row - rows.data())];
      return ImportRow(database, row, of_row, options, state_->salt, now_ms);
    });
  });
}

Result<Store::ImportOutcomes> Store::Import(const std::vector<api::Session>& sessions) {
  RETURN_IF_ERROR(state_->AdmitGrowth());
  return state_->writer->Run<ImportOutcomes>([&](Database& database) {
    SqliteObservations rows(database);
    return TakeEach(database, sessions,
                    [&](const api::Session& session) { return ImportSession(rows, session); });
  });
}

}  // namespace memory
