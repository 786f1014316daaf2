// What the log of deletions means: no import restores unasked what a client deleted, unless the
// same was written since. Rows that retention removed are not in it. In the caller's transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "memory/rows/deletions.h"
#include "memory/rows/reads.h"

namespace memory {

// Those whose traces a viewer sees.
Owners OwnersFor(const std::string& salt, const std::optional<Viewer>& viewer);

// Called before a client deletes a row, and before a softly deleted row is removed. Keeps an
// existing entry.
base::Status NoteDeletion(Deletions& log, const std::string& salt, RowId row);
// Whether one of `owners` deleted this row and nobody of them wrote the same since. `hidden`: the
// row if it is still stored, softly deleted.
base::Result<bool> WasDeleted(Deletions& log, const std::string& salt, const DeletionDigests& row,
                              const Owners& owners, std::optional<RowId> hidden);
// Records a write of the same text: from now on an import may restore the earlier row too. `owner`:
// of a trace of one user, Agent or conversation.
base::Status NoteWriting(Deletions& log, int64_t text, const std::optional<int64_t>& owner);

}  // namespace memory
