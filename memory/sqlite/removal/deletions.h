// The log of deleted rows, so that no import restores them unasked: salted digests of the place and
// of the text of each row, no text. Rows that retention removed are not in it. Everything runs in
// the caller's transaction.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/sqlite/database.h"
#include "memory/model/salted_digests.h"
#include "memory/store/reads.h"

namespace memory {

inline constexpr int64_t kMostDeletions = 100'000;  // entries of a file; the oldest go

// Of whom deletions count: nullopt: of all; else those of rows of the whole project, and of traces
// of these owners (OwnerDigest).
using Owners = std::optional<std::vector<int64_t>>;
// Those whose traces a viewer sees.
Owners OwnersFor(const std::string& salt, const std::optional<Viewer>& viewer);

// Called before a client deletes a row, and before a softly deleted row is removed. Keeps an
// existing entry.
base::Status NoteDeletion(sqlite::Database& database, const std::string& salt, int64_t slot);
// Whether one of `owners` deleted this row and nobody of them wrote the same since. `hidden`: the
// slot of the row if it is still in the file, softly deleted.
base::Result<bool> WasDeleted(sqlite::Database& database, const std::string& salt,
                              const DeletionDigests& row, const Owners& owners,
                              std::optional<int64_t> hidden);
// Removes the entry: an import restores the row on request.
base::Status ForgetDeletion(sqlite::Database& database, const DeletionDigests& row,
                            const Owners& owners);
// Records a write of the same text: from now on an import may restore the earlier row too. `owner`:
// of a trace of one user, Agent or conversation.
base::Status NoteWriting(sqlite::Database& database, int64_t text,
                         const std::optional<int64_t>& owner);

}  // namespace memory
