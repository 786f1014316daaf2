// Compares a write with rows of its session, the newest first.
#include "memory/keeping/retelling.h"

#include <string>
#include <string_view>

namespace memory {

using base::Result;

namespace {

constexpr std::string_view kDigest = "session";  // type of the digests that sidecars write
constexpr int64_t kMostRows = 64;                // no more in a session of thousands of captures

std::optional<SaidBefore> StepFor(const api::NewObservation& made, const SessionRow& row,
                                  const SaidFact& said) {
  const bool users = row.origin == api::kOriginUser;
  if ((!users && row.origin != api::kOriginAgent) || row.type == kDigest) return std::nullopt;
  const bool by_agent = made.source.origin == api::kOriginAgent;
  if (!users) {
    if (!by_agent || row.type != made.type) return std::nullopt;
    if (!row.topic_key.empty() && !made.topic_key.empty() && row.topic_key != made.topic_key)
      return std::nullopt;
  }
  const Saying saying = CompareSaid(SaidFact(row.title, row.content), said);
  if (saying == Saying::kOther) return std::nullopt;
  const bool another = users && by_agent;
  if (another && saying == Saying::kMore) return std::nullopt;
  SaidBefore found{row.row, RetellStep::kCount,
                   !users && row.topic_key.empty() && !made.topic_key.empty()};
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

Result<std::optional<SaidBefore>> FindSaid(Observations& rows, const api::NewObservation& made,
                                           const SaidFact& said, const Location& location) {
  std::optional<SaidBefore> found;
  RETURN_IF_ERROR(rows.VisitSession(location, made.scope, kMostRows,
                                    static_cast<int64_t>(SaidFact::kMostBytes),
                                    [&](const SessionRow& row) {
                                      found = StepFor(made, row, said);
                                      return !found;
                                    }));
  return found;
}

}  // namespace memory
