// One look-up in observations_topic or observations_twins.
#include "memory/sqlite/tables/duplicates.h"

#include <algorithm>

#include "memory/sqlite/tables/live.h"
#include "memory/sqlite/tables/viewer.h"

namespace memory {

using base::Result;
using sql::Database;
using sql::Statement;

namespace {

#define MEMORY_CANDIDATE "SELECT slot, topic_key, scope, type, rule, hash, content_ms, origin "
constexpr const char* kByTopic = MEMORY_CANDIDATE
    "FROM observations o WHERE topic_key = ?1 AND project = ?2 AND scope = ?3 AND " MEMORY_LIVE
        MEMORY_FOR_ALL;
// In the order of the index. Rows of the future were written before the clock was set back.
constexpr const char* kByText = MEMORY_CANDIDATE
    "FROM observations o WHERE hash = ?1 AND project = ?2 AND scope = ?3 AND type = ?4 AND "
    "rule = ?5 AND content_ms BETWEEN ?6 AND ?7 AND " MEMORY_LIVE MEMORY_FOR_ALL
    "ORDER BY content_ms DESC, slot LIMIT 1";

// The ?12 newest rows of the text within a time span. A row without a time is known by its text
// alone: the importer must see the one that it equals.
constexpr const char* kImported =
    "SELECT slot, id, deleted_ms IS NOT NULL FROM ("
    "SELECT slot, id, deleted_ms, title, created_ms, session, topic_key, content_ms FROM "
    "observations o "
    "WHERE hash = ?1 AND project = ?2 AND scope = ?3 AND type = ?4 AND rule = ?5 AND "
    "content_ms BETWEEN ?6 AND ?7 " MEMORY_SEEN_BY(
        "?13", "?14", "?15") "ORDER BY content_ms DESC, slot LIMIT ?12) found "
    "WHERE title = ?8 AND CAST(?9 AS BIGINT) IN (created_ms, 0) AND session = ?10 AND "
    "coalesce(topic_key, '') = ?11 ORDER BY deleted_ms IS NOT NULL, content_ms DESC, slot LIMIT 1";
constexpr int64_t kMostOfItsTime = 256, kMostOfAnyTime = 16;

Result<std::optional<KnownRow>> FindBetween(Database& database, const api::Observation& row,
                                            int64_t project, int64_t session, int64_t from_ms,
                                            int64_t to_ms, int64_t most,
                                            const std::optional<Viewer>& viewer) {
  ASSIGN_OR_RETURN(Statement read, database.Prepare(kImported));
  read.Bind(row.normalized_hash).Bind(project).Bind(row.scope).Bind(row.type);
  read.Bind(row.source.rule).Bind(from_ms).Bind(to_ms).Bind(row.title).Bind(row.created_ms);
  read.Bind(session).Bind(row.topic_key).Bind(most);
  ASSIGN_OR_RETURN(bool found, BindViewer(read, viewer).Step());
  if (!found) return std::optional<KnownRow>();
  return std::optional(KnownRow{read.Int(0), read.Int(1), read.Int(2) != 0});
}

}  // namespace

Result<std::optional<KnownRow>> FindImported(Database& database, const api::Observation& row,
                                             int64_t project, int64_t session,
                                             const std::optional<Viewer>& viewer) {
  if (row.created_ms == 0) {
    return FindBetween(database, row, project, session, INT64_MIN, INT64_MAX, kMostOfItsTime,
                       viewer);
  }
  // An import dates a content with the last change of the row; a later export of the same row can
  // have a later date, if another field changed.
  const int64_t updated_ms = row.updated_ms != 0 ? row.updated_ms : row.created_ms;
  const auto [from_ms, to_ms] = std::minmax(row.created_ms, updated_ms);
  ASSIGN_OR_RETURN(auto found, FindBetween(database, row, project, session, from_ms, to_ms,
                                           kMostOfItsTime, std::nullopt));
  if (found) return found;
  return FindBetween(database, row, project, session, INT64_MIN, INT64_MAX, kMostOfAnyTime,
                     std::nullopt);
}

Result<std::vector<Candidate>> FindCandidates(Database& database, const Incoming& incoming,
                                              int64_t project, int64_t window_ms) {
  const bool by_topic = !incoming.topic_key.empty();
  ASSIGN_OR_RETURN(Statement read, database.Prepare(by_topic ? kByTopic : kByText));
  read.Bind(by_topic ? incoming.topic_key : incoming.hash).Bind(project).Bind(incoming.scope);
  if (!by_topic) {
    read.Bind(incoming.type).Bind(incoming.rule);
    read.Bind(incoming.now_ms - window_ms).Bind(incoming.now_ms + window_ms);
  }
  std::vector<Candidate> candidates;
  ASSIGN_OR_RETURN(bool row, read.Step());
  if (row) {
    candidates.push_back({read.Int(0), read.Text(1), read.Text(2), read.Text(3), read.Text(4),
                          read.Text(5), read.Int(6), read.Text(7)});
  }
  return candidates;
}

}  // namespace memory
