// One look-up in observations_topic or observations_twins.
#include "memory/store_twins.h"

#include "memory/store_retention.h"

namespace memory {

using base::Result;
using sqlite::Database;
using sqlite::Statement;

namespace {

#define MEMORY_CANDIDATE "SELECT slot, topic_key, scope, type, rule, hash, content_ms "
constexpr const char* kByTopic = MEMORY_CANDIDATE
    "FROM observations o WHERE topic_key = ?1 AND project = ?2 AND scope = ?3 AND " MEMORY_LIVE;
// The order is that of the index. A row of the future is one that was written before the clock was
// set back.
constexpr const char* kByText = MEMORY_CANDIDATE
    "FROM observations o WHERE hash = ?1 AND project = ?2 AND scope = ?3 AND type = ?4 AND "
    "rule = ?5 AND content_ms BETWEEN ?6 AND ?7 AND " MEMORY_LIVE
    "ORDER BY content_ms DESC, slot LIMIT 1";

}  // namespace

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
                          read.Text(5), read.Int(6)});
  }
  return candidates;
}

}  // namespace memory
