// The fields of a trace in front of a note, as AgentOS names them, and back. Pure.
#pragma once

#include <optional>

#include "lib/base/json/json.h"
#include "memory/store/transfers.h"

namespace memory {

// Of a row with a trace: id, scope, scopeId, strength, lastAccessed, retrievalCount, createdAt, and
// remindAt, emotions, metadata where there are any; the observation's own id is `observation`, and
// its scope `observation_scope` where the trace's does not say it.
base::Json FrontOf(const ExportedRow& row);
// The section of the row's edges; "": it has none.
std::string RelatedOf(const ExportedRow& row);

// Takes a trace's fields out of a note's; those of the observation stay, under our names. What the
// note does not say of whose it is comes from `context`, its project too. nullopt: the note is no
// trace, its id does not begin with mt_.
std::optional<base::Json> TakeTraceFields(base::Json& front, const TraceContext& context);
// What the trace has of its observation, a row of an import: as an export has it. Without a time of
// its own it is accessed when the row was made, else at `now_ms`.
base::Json TraceOfNote(base::Json fields, const base::Json& row, int64_t now_ms);

}  // namespace memory
