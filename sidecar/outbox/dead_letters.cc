// A replayed letter keeps its sequence, hence its place in the lane, and its key, so that the
// server stores it once.
#include "sidecar/outbox/dead_letters.h"

#include <algorithm>
#include <utility>

#include "lib/base/process/clock.h"

namespace sidecar {
namespace {

using base::Json;
using base::Result;
using base::Status;

struct Candidate {
  int64_t sequence = 0, bytes = 0;
};

Candidate ReadCandidate(const sqlite::Statement& row) { return {row.Int(0), row.Int(1)}; }

// The chosen letters that still have their write, the oldest first.
Result<std::vector<Candidate>> Candidates(sqlite::Database& db, const ReplayChoice& choice) {
  if (choice.sequences.empty()) {
    ASSIGN_OR_RETURN(auto query,
                     db.Prepare("SELECT sequence, bytes FROM outbox WHERE state = 'dead'"
                                " AND bytes > 0 AND (?1 = '' OR cause = ?1)"
                                // Old retention rules must not replace current ones.
                                " AND kind <> 'retention' ORDER BY sequence"));
    query.Bind(choice.cause);
    return query.ReadAll(ReadCandidate);
  }
  std::vector<Candidate> found;
  for (const int64_t sequence : choice.sequences) {
    ASSIGN_OR_RETURN(auto query, db.Prepare("SELECT sequence, bytes FROM outbox WHERE sequence = ?"
                                            " AND state = 'dead' AND bytes > 0"));
    query.Bind(sequence);
    ASSIGN_OR_RETURN(const auto one, query.ReadFirst(ReadCandidate));
    if (one) found.push_back(*one);
  }
  std::ranges::sort(found, {}, &Candidate::sequence);
  const auto again = std::ranges::unique(found, {}, &Candidate::sequence);
  found.erase(again.begin(), again.end());
  return found;
}

Status Revive(sqlite::Database& db, int64_t sequence) {
  ASSIGN_OR_RETURN(auto update, db.Prepare("UPDATE outbox SET state = 'pending', cause = '',"
                                           " reason = '' WHERE sequence = ?"));
  return update.Bind(sequence).Run();
}

Status MoveTotals(sqlite::Database& db, int64_t rows, int64_t bytes) {
  ASSIGN_OR_RETURN(auto update, db.Prepare("UPDATE outbox_totals SET value = value + CASE name"
                                           " WHEN 'dead' THEN -?1 WHEN 'pending' THEN ?1"
                                           " WHEN 'dead_bytes' THEN -?2"
                                           " WHEN 'pending_bytes' THEN ?2 ELSE 0 END"));
  return update.Bind(rows).Bind(bytes).Run();
}

}  // namespace

Result<std::map<std::string, int64_t>> DeadByCause(sqlite::Database& db) {
  ASSIGN_OR_RETURN(auto query, db.Prepare("SELECT cause, count(*) FROM outbox WHERE state = 'dead'"
                                          " GROUP BY cause"));
  std::map<std::string, int64_t> causes;
  RETURN_IF_ERROR(
      query.ForEachRow([&](const sqlite::Statement& row) { causes[row.Text(0)] = row.Int(1); }));
  return causes;
}

Result<std::vector<DeadLetter>> DeadLetters(sqlite::Database& db, int64_t before, int64_t limit) {
  ASSIGN_OR_RETURN(auto query,
                   db.Prepare("SELECT sequence, kind, path, project, destination, cause, reason,"
                              " created_ms, bytes FROM outbox WHERE state = 'dead'"
                              " AND (?1 = 0 OR sequence < ?1) ORDER BY sequence DESC LIMIT ?2"));
  query.Bind(before).Bind(limit);
  return query.ReadAll([](const sqlite::Statement& row) {
    return DeadLetter{row.Int(0),  row.Text(1), row.Text(2), row.Text(3), row.Text(4),
                      row.Text(5), row.Text(6), row.Int(7),  row.Int(8)};
  });
}

Json EncodeDeadLetter(const DeadLetter& letter) {
  return {{"sequence", letter.sequence},
          {"kind", letter.kind},
          {"path", letter.path},
          {"project", letter.project},
          {"destination", letter.destination},
          {"cause", letter.cause},
          {"reason", letter.reason},
          {"accepted_at", base::FormatTime(letter.created_ms)},
          {"bytes", letter.bytes},
          {"replayable", letter.bytes > 0}};
}

Result<Replayed> ReplayDeadLetters(sqlite::Database& db, const ReplayChoice& choice,
                                   const OutboxLimits& limits) {
  ASSIGN_OR_RETURN(const auto chosen, Candidates(db, choice));
  ASSIGN_OR_RETURN(const OutboxTotals totals, ReadTotals(db));
  Replayed done;
  int64_t bytes = 0;
  for (const Candidate& letter : chosen) {
    // Dead letters count in the bytes of the outbox already.
    if (totals.pending + done.replayed >= limits.rows) break;
    RETURN_IF_ERROR(Revive(db, letter.sequence));
    bytes += letter.bytes;
    ++done.replayed;
  }
  RETURN_IF_ERROR(MoveTotals(db, done.replayed, bytes));
  done.left = static_cast<int64_t>(chosen.size()) - done.replayed;
  return done;
}

Status DiscardDeadLetter(sqlite::Database& db, int64_t sequence) {
  int64_t bytes = 0;
  {
    ASSIGN_OR_RETURN(auto remove, db.Prepare("DELETE FROM outbox WHERE sequence = ?"
                                             " AND state = 'dead' RETURNING bytes"));
    remove.Bind(sequence);
    ASSIGN_OR_RETURN(const bool found, remove.Step());
    if (!found) {
      return base::Error{base::Code::kNotFound, "no dead letter " + std::to_string(sequence) +
                                                    "; GET /v1/dead-letters lists them"};
    }
    bytes = remove.Int(0);
    RETURN_IF_ERROR(remove.Run());
  }
  ASSIGN_OR_RETURN(auto update, db.Prepare("UPDATE outbox_totals SET value = value + CASE name"
                                           " WHEN 'dead' THEN -1 WHEN 'discarded' THEN 1"
                                           " WHEN 'dead_bytes' THEN -?1 ELSE 0 END"));
  return update.Bind(bytes).Run();
}

}  // namespace sidecar
