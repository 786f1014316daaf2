// Hides observations (a soft delete) and shows them again, for every engine. In the caller's
// transaction.
#pragma once

#include <cstdint>
#include <string>

#include "memory/rows/observations.h"

namespace memory {

// A client deletes a row. Hiding a hidden row, or one that was removed, changes nothing. kNotFound:
// the id never existed.
base::Status HideObservation(Observations& rows, int64_t id, const std::string& salt,
                             int64_t now_ms);
// A client undoes it. → the row, which may be live already. kNotFound: it is not stored; kConflict:
// no client hid it, or another row has its topic.
base::Result<api::Observation> ShowObservation(Observations& rows, int64_t id,
                                               const std::string& salt, int64_t now_ms);
// kNotFound, unless a row with the id was removed.
base::Status WasThere(Observations& rows, int64_t id);

// Hides a row, which may be hidden, so that imports leave it out.
base::Status HideRow(Observations& rows, RowId row, const std::string& salt, int64_t now_ms);
// Undoes HideRow. False: another row has its topic now.
base::Result<bool> ShowRow(Observations& rows, RowId row, const std::string& salt);

}  // namespace memory
