// Changes of an import to an existing row: adds tags, and raises trust if the import vouches for
// it.
#include "memory/sqlite/writing/known_row.h"

#include <algorithm>

#include "lib/base/json/json.h"
#include "memory/sqlite/tables/waiting.h"

namespace memory {

using base::Result;
using base::Status;
using sqlite::Database;
using sqlite::Statement;

namespace {

Status UniteTags(Database& database, int64_t slot, const std::vector<std::string>& more) {
  ASSIGN_OR_RETURN(Statement read, database.Prepare("SELECT tags FROM observations WHERE slot = ?1 "
                                                    "AND deleted_ms IS NULL"));
  ASSIGN_OR_RETURN(bool live, read.Bind(slot).Step());
  if (!live) return {};
  ASSIGN_OR_RETURN(base::Json tags, base::ParseJson(read.Text(0)));
  const size_t before = tags.size();
  for (const std::string& tag : more) {
    if (tags.size() >= api::kMaxTags) break;
    if (std::find(tags.begin(), tags.end(), tag) == tags.end()) tags.push_back(tag);
  }
  if (tags.size() == before) return {};
  RETURN_IF_ERROR(RemoveFromIndex(database, slot));
  ASSIGN_OR_RETURN(Statement write,
                   database.Prepare("UPDATE observations SET tags = ?2 WHERE slot = ?1"));
  RETURN_IF_ERROR(write.Bind(slot).Bind(base::DumpJson(tags)).Run());
  return AddToIndex(database, slot);
}

// Whether the row had class import.
Result<bool> Raise(Database& database, int64_t slot) {
  ASSIGN_OR_RETURN(Statement write,
                   database.Prepare("UPDATE observations SET origin = ?2 WHERE slot = ?1 AND "
                                    "origin = ?3 AND deleted_ms IS NULL RETURNING slot"));
  write.Bind(slot).Bind(api::kOriginUser).Bind(api::kOriginImport);
  ASSIGN_OR_RETURN(const bool raised, write.Step());
  if (raised) RETURN_IF_ERROR(write.Run());
  return raised;
}

}  // namespace

Result<bool> IsFreeId(Database& database, int64_t id) {
  if (id <= 0 || id > kHighestKeptId) return false;
  ASSIGN_OR_RETURN(Statement read,
                   database.Prepare("SELECT 1 FROM tombstones WHERE id = ?1 UNION ALL SELECT 1 "
                                    "FROM observations WHERE id = ?1"));
  ASSIGN_OR_RETURN(const bool taken, read.Bind(id).Step());
  return !taken;
}

Result<Imported::Outcome> MeetAgain(Database& database, int64_t slot,
                                    const std::vector<std::string>& tags,
                                    const ImportOptions& options) {
  if (options.vouched) {
    ASSIGN_OR_RETURN(const bool raised, Raise(database, slot));
    if (raised) return Imported::kRaised;
  }
  if (options.unite_tags) RETURN_IF_ERROR(UniteTags(database, slot, tags));
  return Imported::kSkipped;
}

}  // namespace memory
