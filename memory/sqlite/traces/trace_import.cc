// Finds an existing trace by its id, then by its text. A trace that was deleted here stays deleted.
// An id made of a number names an observation that is no trace.
#include "memory/sqlite/traces/trace_import.h"

#include <algorithm>

#include "lib/base/text/text.h"
#include "memory/keeping/deletions.h"
#include "memory/keeping/importing.h"
#include "memory/keeping/saving.h"
#include "memory/sqlite/tables/rows.h"
#include "memory/sqlite/traces/archive.h"
#include "memory/sqlite/writing/observation_rows.h"

namespace memory {

using api::Observation;
using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

namespace {

TraceContext ContextOfTrace(const Trace& trace) {
  TraceContext context;
  context.project = trace.project;
  if (trace.scope == kThreadScope) context.conversation = trace.scope_id;
  if (trace.scope == kUserScope) context.user = trace.scope_id;
  if (trace.scope == kPersonaScope) context.agent = trace.scope_id;
  return context;
}

NewTrace TextOf(const Trace& trace) {
  NewTrace text;
  text.content = trace.content;
  text.kind = trace.kind;
  text.scope = trace.scope;
  text.tags = trace.tags;
  text.source = trace.source;
  return text;
}

Observation RowOfWhole(const Trace& trace, int64_t now_ms) {
  const api::NewObservation made = ObservationOf(TextOf(trace), trace.project);
  Incoming incoming;
  incoming.hash = api::NormalizedHash(made.content);
  incoming.now_ms = trace.created_ms != 0 ? trace.created_ms : now_ms;
  Observation row = RowOf(made, incoming);
  row.id = trace.observation;
  row.last_seen_ms = std::max(row.updated_ms, trace.accessed_ms);
  if (NumberInTraceId(trace.id)) row.duplicate_count = trace.retrievals;
  return row;
}

bool IsSame(const TraceRow& here, const Trace& given) {
  if (base::FoldCase(here.row.project) != base::FoldCase(given.project) ||
      here.scope != given.scope || here.scope_id != given.scope_id)
    return false;
  return here.row.created_ms == given.created_ms || here.row.content == given.content;
}

// The observation with this text that is no trace.
Result<std::optional<TraceRow>> FindDuplicateObservation(Database& database,
                                                         const Observation& row) {
  ASSIGN_OR_RETURN(const auto project, FindProject(database, row.project));
  if (!project) return std::optional<TraceRow>();
  ASSIGN_OR_RETURN(
      Statement find,
      database.Prepare("SELECT o.slot FROM (SELECT slot FROM observations WHERE hash = ?1 AND "
                       "project = ?2 AND scope = ?3 AND type = ?4 AND content = ?5 AND "
                       "deleted_ms IS NULL LIMIT 1000) o WHERE NOT EXISTS (SELECT 1 FROM traces t "
                       "WHERE t.slot = o.slot) ORDER BY o.slot"));
  find.Bind(row.normalized_hash).Bind(*project).Bind(row.scope).Bind(row.type).Bind(row.content);
  ASSIGN_OR_RETURN(const auto slot, find.ReadFirst(IntAt));
  return slot ? ReadTrace(database, *slot) : std::optional<TraceRow>();
}

// The target of an imported trace: an existing one, or a free id.
struct Whereto {
  std::optional<TraceRow> here;
  std::string id;  // empty: of an observation that is no trace
};

Result<Whereto> FindPlace(Database& database, const ArrivingTrace& arriving, bool dedup) {
  const Trace& trace = arriving.whole.trace;
  const bool plain = NumberInTraceId(trace.id).has_value();
  Whereto place;
  if (!trace.id.empty()) {
    ASSIGN_OR_RETURN(place.here, FindTrace(database, trace.id));
    if (place.here && IsSame(*place.here, trace)) return place;
  }
  const bool taken = trace.id.empty() || place.here;
  place.here.reset();
  if (dedup && plain) {
    ASSIGN_OR_RETURN(place.here, FindDuplicateObservation(database, arriving.row));
  } else if (dedup) {
    ASSIGN_OR_RETURN(place.here,
                     FindDuplicateTrace(database, TextOf(trace), arriving.row.normalized_hash,
                                        arriving.context));
  }
  if (place.here || plain) return place;
  place.id = trace.id;
  if (!taken) return place;
  place.id = OtherTraceId(trace.id, trace.project + "\n" + trace.kind + "\n" + trace.scope + "\n" +
                                        trace.scope_id + "\n" + trace.content);
  ASSIGN_OR_RETURN(place.here, FindTrace(database, place.id));
  return place;
}

TraceRow Beside(const WholeTrace& whole, const Observation& row) {
  TraceRow beside;
  beside.scope = whole.trace.scope;
  beside.scope_id = whole.trace.scope_id;
  beside.strength = {whole.stored_strength,
                     whole.trace.accessed_ms != 0 ? whole.trace.accessed_ms : row.created_ms,
                     whole.trace.retrievals};
  beside.remind_ms = whole.trace.remind_ms;
  beside.emotions = whole.trace.emotions;
  beside.metadata = whole.trace.metadata;
  return beside;
}

Result<std::string> Insert(Database& database, const ArrivingTrace& arriving, std::string id) {
  Observation row = arriving.row;
  ASSIGN_OR_RETURN(
      row.session_id,
      SessionIdIn(database, TraceSessionName(arriving.whole.trace.scope, arriving.context),
                  row.project, "traces-"));
  ASSIGN_OR_RETURN(const Location location,
                   FindOrAddLocation(database, row.session_id, row.project, row.created_ms));
  SqliteObservations rows(database);
  ASSIGN_OR_RETURN(const bool free, IsFreeId(rows, row.id));
  if (!free) row.id = 0;
  ASSIGN_OR_RETURN(row.id, InsertRow(database, row, arriving.facts, location));
  ASSIGN_OR_RETURN(const auto place, FindRow(database, row.id));
  if (!place)
    return base::Error{base::Code::kInternal, "an observation vanished inside its transaction"};
  const auto& original = arriving.whole.original;
  if (original)
    RETURN_IF_ERROR(Archive(database, place->slot, 1, original->content, original->archived_ms));
  TraceRow beside = Beside(arriving.whole, row);
  beside.slot = place->slot;
  beside.id = std::move(id);
  if (beside.id.empty()) {
    // An observation that is no trace gets a row in `traces` only if the import adds fields.
    const bool same = NumberInTraceId(arriving.whole.trace.id) == row.id;
    const bool more = beside.strength.value != 1 || !beside.emotions.empty() ||
                      !beside.metadata.empty() || beside.remind_ms;
    ASSIGN_OR_RETURN(const auto trace, ReadTrace(database, place->slot));
    if (!same || !more) return trace ? trace->id : std::string();
    beside.id = arriving.whole.trace.id;
  }
  RETURN_IF_ERROR(PutTrace(database, beside));
  return beside.id;
}

}  // namespace

ArrivingTrace::ArrivingTrace(const WholeTrace& of, const TraceWriting& writing,
                             const ImportOptions& options)
    : whole(of),
      row(RowOfWhole(of.trace, options.now_ms)),
      context(ContextOfTrace(of.trace)),
      facts(writing.facts_of(row.title, row.content)) {}

Result<TraceTaken> TakeArriving(Database& database, const ArrivingTrace& arriving,
                                const std::string& salt, const ImportOptions& options) {
  ASSIGN_OR_RETURN(const Whereto place, FindPlace(database, arriving, options.dedup));
  std::optional<TraceRow> here = place.here;
  SqliteObservations rows(database);
  if (here && here->live) {
    ASSIGN_OR_RETURN(const Imported::Outcome met,
                     MeetAgain(rows, here->slot, arriving.row.tags, options));
    return TraceTaken{met, here->id};
  }
  DeletionDigests digests = DigestsOf(salt, arriving.row);
  // Without a time it is known by its text alone, among the deletions of its owner.
  digests.created_ms = arriving.whole.trace.created_ms;
  Owners owners;
  if (digests.created_ms == 0 && arriving.whole.trace.scope != kOrganizationScope)
    owners =
        std::vector{OwnerDigest(salt, arriving.whole.trace.scope, arriving.whole.trace.scope_id)};
  std::optional<int64_t> hidden;
  if (here) hidden = here->slot;
  ASSIGN_OR_RETURN(const bool deleted, WasDeleted(rows.deletions(), salt, digests, owners, hidden));
  if (deleted && !options.restore)
    return TraceTaken{Imported::kSkippedDeleted, here ? here->id : std::string()};
  if (deleted) RETURN_IF_ERROR(rows.deletions().Forget(digests, owners));
  if (here) {
    ASSIGN_OR_RETURN(const bool revived, Revive(database, here->slot));
    here->merged_into.clear();
    if (revived && here->stored) RETURN_IF_ERROR(PutTrace(database, *here));
    return TraceTaken{revived ? Imported::kNew : Imported::kSkipped, here->id};
  }
  ASSIGN_OR_RETURN(std::string id, Insert(database, arriving, place.id));
  return TraceTaken{Imported::kNew, std::move(id)};
}

}  // namespace memory
