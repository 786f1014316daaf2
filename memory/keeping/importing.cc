// Finds the row that an imported one is here: by its id, by its text and time, or by its topic.
#include "memory/keeping/importing.h"

#include <algorithm>
#include <optional>

#include "memory/keeping/deletions.h"
#include "memory/model/salted_digests.h"

namespace memory {

using api::Observation;
using base::Code;
using base::Error;
using base::Result;
using base::Status;

namespace {

// The row, if it has its id here too. A hidden one with another text is not the one that was
// hidden.
Result<std::optional<KnownRow>> FindById(Observations& rows, const Observation& row,
                                         const Location& location,
                                         const std::optional<Viewer>& viewer) {
  const std::optional<KnownRow> other;
  if (row.id <= 0 || row.id > kHighestKeptId) return other;
  ASSIGN_OR_RETURN(const auto place, rows.Find(row.id));
  if (!place || place->location != location) return other;
  ASSIGN_OR_RETURN(const Observation here, rows.Read(place->row));
  const bool same_text = here.normalized_hash == row.normalized_hash;
  if (place->hidden && !same_text) return other;
  if (here.created_ms != row.created_ms) {
    if (row.created_ms != 0 || !same_text) return other;
    ASSIGN_OR_RETURN(const bool seen, rows.IsSeenBy(viewer, place->row));
    if (!seen) return other;
  }
  return std::optional(KnownRow{place->row, row.id, place->hidden});
}

// The live row with the topic key; kConflict if its text differs.
Result<std::optional<KnownRow>> FindTopic(Observations& rows, const Observation& row,
                                          const Location& location) {
  Incoming incoming;
  incoming.topic_key = row.topic_key;
  incoming.scope = row.scope;
  ASSIGN_OR_RETURN(const auto found, rows.FindCandidates(incoming, location, 0));
  if (found.empty()) return std::optional<KnownRow>();
  ASSIGN_OR_RETURN(const Observation here, rows.Read(found.front().row));
  if (here.normalized_hash == row.normalized_hash)
    return std::optional(KnownRow{found.front().row, here.id, false});
  return Error{Code::kConflict, "topic_key \"" + row.topic_key + "\" belongs to observation " +
                                    std::to_string(here.id) + ", which says something else"};
}

// Whether a deletion keeps the row out; on request it is forgotten.
Result<bool> StaysDeleted(Observations& rows, const Observation& row,
                          const std::optional<KnownRow>& hidden, const ImportOptions& options,
                          const std::string& salt) {
  const DeletionDigests digests = DigestsOf(salt, row);
  const Owners owners = OwnersFor(salt, row.created_ms == 0 ? options.viewer : std::nullopt);
  ASSIGN_OR_RETURN(const bool deleted,
                   WasDeleted(rows.deletions(), salt, digests, owners,
                              hidden ? std::optional(hidden->row) : std::nullopt));
  if (!deleted || !options.restore) return deleted;
  RETURN_IF_ERROR(rows.deletions().Forget(digests, owners));
  return false;
}

Status AddRevisions(Observations& rows, int64_t id, const Importing& given) {
  for (const Revision& old : given.revisions) {
    if (old.revision < given.row.revision_count) RETURN_IF_ERROR(rows.ImportRevision(id, old));
  }
  return {};
}

Status UniteTags(Observations& rows, RowId row, const std::vector<std::string>& more) {
  ASSIGN_OR_RETURN(const Observation here, rows.Read(row));
  std::vector<std::string> tags = here.tags;
  for (const std::string& tag : more) {
    if (tags.size() >= api::kMaxTags) break;
    if (std::find(tags.begin(), tags.end(), tag) == tags.end()) tags.push_back(tag);
  }
  return tags.size() == here.tags.size() ? Status() : rows.SetTags(row, tags);
}

}  // namespace

Result<bool> IsFreeId(Observations& rows, int64_t id) {
  if (id <= 0 || id > kHighestKeptId) return false;
  ASSIGN_OR_RETURN(const auto place, rows.Find(id));
  if (place) return false;
  ASSIGN_OR_RETURN(const bool removed, rows.WasRemoved(id));
  return !removed;
}

Result<Imported::Outcome> MeetAgain(Observations& rows, RowId row,
                                    const std::vector<std::string>& tags,
                                    const ImportOptions& options) {
  if (options.vouched) {
    ASSIGN_OR_RETURN(const Observation here, rows.Read(row));
    if (here.source.origin == api::kOriginImport) {
      RETURN_IF_ERROR(rows.SetOrigin(row, api::kOriginUser));
      return Imported::kRaised;
    }
  }
  if (options.unite_tags) RETURN_IF_ERROR(UniteTags(rows, row, tags));
  return Imported::kSkipped;
}

Result<Imported> ImportObservation(Observations& rows, const Importing& given,
                                   const ImportOptions& options, const std::string& salt,
                                   int64_t now_ms) {
  Observation row = given.row;
  ASSIGN_OR_RETURN(const Location location,
                   rows.FindOrAddLocation(row.session_id, row.project,
                                          row.created_ms != 0 ? row.created_ms : options.now_ms));
  ASSIGN_OR_RETURN(auto same, FindById(rows, row, location, options.viewer));
  if (!same && options.dedup) {
    ASSIGN_OR_RETURN(same, rows.FindImported(row, location, options.viewer));
  }
  if (!same || same->hidden) {
    ASSIGN_OR_RETURN(const bool deleted, StaysDeleted(rows, row, same, options, salt));
    if (deleted) return Imported{Imported::kSkippedDeleted, 0};
    if (!row.topic_key.empty())
      RETURN_IF_ERROR(rows.FreeTopic(row.topic_key, location, row.scope, now_ms));
  }
  if (same && same->hidden) {
    ASSIGN_OR_RETURN(const bool shown, rows.Show(same->row));
    return Imported{shown ? Imported::kNew : Imported::kSkipped, same->id};
  }
  if (!same && !row.topic_key.empty()) {
    ASSIGN_OR_RETURN(same, FindTopic(rows, row, location));
  }
  if (same) {
    ASSIGN_OR_RETURN(const auto met, MeetAgain(rows, same->row, row.tags, options));
    return Imported{met, same->id};
  }
  ASSIGN_OR_RETURN(const bool free, IsFreeId(rows, row.id));
  if (!free) row.id = 0;
  if (row.created_ms == 0) row.created_ms = options.now_ms;
  if (row.updated_ms == 0) row.updated_ms = row.created_ms;
  if (row.last_seen_ms == 0) row.last_seen_ms = row.updated_ms;
  ASSIGN_OR_RETURN(const int64_t id, rows.Insert(row, given.facts, location));
  RETURN_IF_ERROR(AddRevisions(rows, id, given));
  return Imported{Imported::kNew, id, true};
}

Result<Imported> ImportSession(Observations& rows, const api::Session& session) {
  ASSIGN_OR_RETURN(const Location location,
                   rows.FindOrAddLocation(session.id, session.project, session.started_ms));
  int64_t summarized_ms = 0;
  if (!session.summary.empty())
    summarized_ms = session.ended_ms != 0 ? session.ended_ms : session.started_ms;
  ASSIGN_OR_RETURN(const bool filled, rows.FillSession(location, session, summarized_ms));
  return Imported{filled ? Imported::kNew : Imported::kSkipped, 0};
}

}  // namespace memory
