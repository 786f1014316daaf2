// The newest entry of a text decides, so that look-ups cost the same however often it was deleted.
#include "memory/keeping/deletions.h"

#include <vector>

#include "memory/model/trace_context.h"

namespace memory {

using base::Result;
using base::Status;

namespace {

// Whether the place was deleted and none of its texts was written again.
Result<bool> IsUnwantedAt(Deletions& log, int64_t place) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> texts, log.TextsAt(place));
  for (const int64_t text : texts) {
    ASSIGN_OR_RETURN(const bool unwanted, log.NewestIsDeletion(text, std::nullopt));
    if (!unwanted) return false;
  }
  return !texts.empty();
}

Result<bool> IsUnwantedText(Deletions& log, const DeletionDigests& row, const Owners& owners) {
  if (row.created_ms != 0) {
    ASSIGN_OR_RETURN(const bool deleted, log.HasDeletion(row.text, row.created_ms));
    if (!deleted) return false;
  }
  return log.NewestIsDeletion(row.text, owners);
}

}  // namespace

Owners OwnersFor(const std::string& salt, const std::optional<Viewer>& viewer) {
  if (!viewer) return std::nullopt;
  return std::vector{OwnerDigest(salt, kUserScope, viewer->user),
                     OwnerDigest(salt, kPersonaScope, viewer->agent),
                     OwnerDigest(salt, kThreadScope, viewer->conversation)};
}

Status NoteDeletion(Deletions& log, const std::string& salt, RowId row) {
  ASSIGN_OR_RETURN(const DeletedRow deleted, log.ReadDeleted(row));
  const DeletionDigests digests = DigestsOf(salt, deleted.row);
  Deletion entry{digests.place.value_or(0), digests.text, digests.created_ms};
  ASSIGN_OR_RETURN(const auto known, log.TextsAt(*entry.place));
  if (!known.empty()) return {};
  if (!deleted.owner_scope.empty())
    entry.owner = OwnerDigest(salt, deleted.owner_scope, deleted.owner_id);
  RETURN_IF_ERROR(log.Append(entry));
  if (deleted.first_hash.empty()) return {};
  // A changed row also gets an entry for its first text, which an import without ids brings.
  entry.text = TextDigest(salt, deleted.first_hash, deleted.first_type, deleted.row.scope,
                          deleted.row.source.rule, deleted.row.project);
  return entry.text != digests.text ? log.Append(entry) : Status();
}

Result<bool> WasDeleted(Deletions& log, const std::string& salt, const DeletionDigests& row,
                        const Owners& owners, std::optional<RowId> hidden) {
  if (row.place) {
    ASSIGN_OR_RETURN(const bool by_place, IsUnwantedAt(log, *row.place));
    if (by_place) return true;
  }
  ASSIGN_OR_RETURN(const bool by_text, IsUnwantedText(log, row, owners));
  if (by_text || !hidden) return by_text;
  // Deleted by an earlier version, which kept no log, or so long ago that the log dropped the
  // entry.
  ASSIGN_OR_RETURN(const DeletedRow deleted, log.ReadDeleted(*hidden));
  if (deleted.retired) return false;
  ASSIGN_OR_RETURN(const auto known, log.TextsAt(DigestsOf(salt, deleted.row).place.value_or(0)));
  return known.empty();
}

Status NoteWriting(Deletions& log, int64_t text, const std::optional<int64_t>& owner) {
  const Owners owners = owner ? std::vector{*owner} : std::vector<int64_t>();
  ASSIGN_OR_RETURN(const bool unwanted, log.NewestIsDeletion(text, owners));
  return unwanted ? log.Append({std::nullopt, text, 0, owner}) : Status();
}

}  // namespace memory
