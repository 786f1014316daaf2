// What an import of an observation or of a session does, for every engine: it keeps free ids, times
// and counts, overwrites nothing, and skips rows that exist or were deleted here. In the caller's
// transaction, each row in a part of its own that a conflict undoes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/api/memory_api.h"
#include "memory/model/words.h"
#include "memory/rows/imports.h"
#include "memory/rows/observations.h"

namespace memory {

// Larger ids are replaced: the counter that follows them must stay below 2^53.
inline constexpr int64_t kHighestKeptId = int64_t{1} << 52;
// Whether no row has or had the id.
base::Result<bool> IsFreeId(Observations& rows, int64_t id);

// A row with its earlier versions, which outlive this.
struct Importing {
  const api::Observation& row;
  const std::vector<Revision>& revisions;
  const TextFacts& facts;
};
// `now_ms`: by which rows expire. kConflict: the session is of another project, or a row with
// another text has the topic.
base::Result<Imported> ImportObservation(Observations& rows, const Importing& given,
                                         const ImportOptions& options, const std::string& salt,
                                         int64_t now_ms);
// Only a session that exists just because of its observations takes times and summary. kConflict:
// it is of another project.
base::Result<Imported> ImportSession(Observations& rows, const api::Session& session);

// Imports a row that is not hidden again, with `tags`. → kRaised if it had class import and the
// import vouches for it, else kSkipped.
base::Result<Imported::Outcome> MeetAgain(Observations& rows, RowId row,
                                          const std::vector<std::string>& tags,
                                          const ImportOptions& options);

}  // namespace memory
