// Reads rows of the session, newest first.
#include "memory/sqlite/writing/said_before.h"

#include <string>
#include <string_view>

#include "memory/sqlite/tables/live.h"
#include "memory/sqlite/tables/viewer.h"

namespace memory {

using base::Result;
using sqlite::Database;
using sqlite::Statement;

namespace {

constexpr std::string_view kDigest = "session";  // type of the digests that sidecars write

// Looks at so many rows, and no further in a session of thousands of captures.
constexpr const char* kOfSession =
    "SELECT slot, origin, type, coalesce(topic_key, ''), title, content FROM ("
    "SELECT * FROM observations WHERE session = ?1 ORDER BY position DESC LIMIT 64) o "
    "WHERE project = ?2 AND scope = ?3 AND origin IN (?4, ?5) AND type <> ?6 AND "
    "length(content) <= ?7 AND " MEMORY_LIVE MEMORY_FOR_ALL "ORDER BY position DESC";

std::optional<SaidBefore> StepFor(const api::NewObservation& made, const Statement& row,
                                  const SaidFact& said) {
  const bool users = row.Text(1) == api::kOriginUser;
  const bool by_agent = made.source.origin == api::kOriginAgent;
  const std::string topic = row.Text(3);
  if (!users) {  // an agent's
    if (!by_agent || row.Text(2) != made.type) return std::nullopt;
    if (!topic.empty() && !made.topic_key.empty() && topic != made.topic_key) return std::nullopt;
  }
  const Saying saying = CompareSaid(SaidFact(row.Text(4), row.Text(5)), said);
  if (saying == Saying::kOther) return std::nullopt;
  const bool another = users && by_agent;
  if (another && saying == Saying::kMore) return std::nullopt;
  SaidBefore found{row.Int(0), RetellStep::kCount,
                   !users && topic.empty() && !made.topic_key.empty()};
  if (saying != Saying::kWithin)
    found.step = another ? RetellStep::kKeepInHistory : RetellStep::kUpdate;
  return found;
}

}  // namespace

bool MayRetell(const api::NewObservation& made) {
  const std::string& origin = made.source.origin;
  const bool noted =
      origin == api::kOriginAgent || (origin == api::kOriginUser && !made.source.rule.empty());
  return noted && made.type != kDigest && !IsUnaskedType(made.type);
}

Result<std::optional<SaidBefore>> FindSaid(Database& database, const api::NewObservation& made,
                                           const SaidFact& said, int64_t project, int64_t session) {
  ASSIGN_OR_RETURN(Statement read, database.Prepare(kOfSession));
  read.Bind(session).Bind(project).Bind(std::string_view(made.scope));
  read.Bind(std::string_view(api::kOriginUser)).Bind(std::string_view(api::kOriginAgent));
  read.Bind(kDigest).Bind(static_cast<int64_t>(SaidFact::kMostBytes));
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, read.Step());
    if (!row) return std::optional<SaidBefore>();
    if (auto found = StepFor(made, read, said)) return std::optional<SaidBefore>(*found);
  }
}

}  // namespace memory
