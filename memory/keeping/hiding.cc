// A hidden row is in the log of deletions until it is shown again.
#include "memory/keeping/hiding.h"

#include "memory/keeping/deletions.h"
#include "memory/keeping/saving.h"

namespace memory {

using api::Observation;
using base::Code;
using base::Error;
using base::Result;
using base::Status;

Status WasThere(Observations& rows, int64_t id) {
  ASSIGN_OR_RETURN(const bool removed, rows.WasRemoved(id));
  return removed ? Status() : Status(NoSuchRow(id));
}

Status HideObservation(Observations& rows, int64_t id, const std::string& salt, int64_t now_ms) {
  ASSIGN_OR_RETURN(const auto place, rows.Find(id));
  if (!place) return WasThere(rows, id);
  RETURN_IF_ERROR(rows.RefuseUndo(place->row));
  return HideRow(rows, place->row, salt, now_ms);
}

Result<Observation> ShowObservation(Observations& rows, int64_t id, const std::string& salt,
                                    int64_t now_ms) {
  ASSIGN_OR_RETURN(const auto place, rows.Find(id));
  if (!place) return NoSuchRow(id);
  ASSIGN_OR_RETURN(const Observation row, rows.Read(place->row));
  if (place->live) return row;
  ASSIGN_OR_RETURN(const bool hidden, rows.IsHiddenByClient(place->row));
  if (!hidden) {
    return Error{Code::kConflict, "observation " + std::to_string(id) +
                                      " was hidden by retention or by a merge of traces, not by "
                                      "a client: a longer retention or an unmerge restores it"};
  }
  if (!row.topic_key.empty())
    RETURN_IF_ERROR(rows.FreeTopic(row.topic_key, place->location, row.scope, now_ms));
  ASSIGN_OR_RETURN(const bool shown, ShowRow(rows, place->row, salt));
  if (shown) return row;
  return Error{Code::kConflict, "another observation has the topic_key \"" + row.topic_key +
                                    "\" now: hide that one first"};
}

Status HideRow(Observations& rows, RowId row, const std::string& salt, int64_t now_ms) {
  RETURN_IF_ERROR(NoteDeletion(rows.deletions(), salt, row));
  return rows.Hide(row, now_ms);
}

Result<bool> ShowRow(Observations& rows, RowId row, const std::string& salt) {
  ASSIGN_OR_RETURN(const bool shown, rows.Show(row));
  if (!shown) return false;
  ASSIGN_OR_RETURN(const Observation back, rows.Read(row));
  RETURN_IF_ERROR(rows.deletions().Forget(DigestsOf(salt, back), std::nullopt));
  return true;
}

}  // namespace memory
