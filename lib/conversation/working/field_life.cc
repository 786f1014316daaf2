// The background work of expiry, in batches.
#include "lib/conversation/working/field_life.h"

#include <utility>

#include "lib/conversation/checkpoint/checkpoint_table.h"

namespace conversation {
namespace {

using base::Result;
using base::Status;

constexpr int64_t kRowsOfAPiece = 200;       // up to 64 KiB each, of which a delete writes little
constexpr int64_t kCheckpointsOfAPiece = 4;  // up to 7 MiB each
constexpr int kMostPieces = 2'000;           // per round

Status SaveFieldClock(sqlite::Database& db, int64_t now_ms) {
  // Without rows no clock is needed: an idle program writes nothing.
  ASSIGN_OR_RETURN(auto save,
                   db.Prepare("INSERT OR REPLACE INTO working_memory_clock(only_one, now_ms)"
                              " SELECT 1, ? WHERE EXISTS(SELECT 1 FROM working_memory)"
                              " OR EXISTS(SELECT 1 FROM checkpoints)"));
  return save.Bind(now_ms).Run();
}

}  // namespace

Result<int64_t> LoadFieldClock(sqlite::Database& db) {
  ASSIGN_OR_RETURN(auto query, db.Prepare("SELECT now_ms FROM working_memory_clock"));
  ASSIGN_OR_RETURN(const bool found, query.Step());
  return found ? query.Int(0) : int64_t{0};
}

Status FieldLife::Keep(const Write& write, int64_t every_ms) {
  const auto refreshes = refreshes_.Copy();
  const int64_t now_ms = clock_.NowMs();
  const bool saves = now_ms - saved_ms_ >= every_ms;
  if (refreshes.empty() && !saves) return {};
  RETURN_IF_ERROR(write([&](sqlite::Database& db) -> Status {
    RETURN_IF_ERROR(WriteRefreshes(db, refreshes));
    return SaveFieldClock(db, now_ms);
  }));
  refreshes_.Written(refreshes);
  saved_ms_ = kept_ms_ = now_ms;
  return {};
}

Result<int64_t> FieldLife::Sweep(const Write& write, const std::function<bool()>& stopping) {
  RETURN_IF_ERROR(Keep(write));
  int64_t removed = 0;
  const auto remove = [&](auto remove_piece, int64_t rows) -> Status {
    int64_t piece = rows;
    for (int pieces = 0; pieces < kMostPieces && piece == rows && !stopping(); ++pieces) {
      RETURN_IF_ERROR(write([&](sqlite::Database& db) -> Status {
        ASSIGN_OR_RETURN(piece, remove_piece(db, clock_.NowMs(), rows));
        return {};
      }));
      removed += piece;
    }
    return {};
  };
  RETURN_IF_ERROR(remove(RemoveExpiredFields, kRowsOfAPiece));
  RETURN_IF_ERROR(remove(RemoveExpiredCheckpoints, kCheckpointsOfAPiece));
  return removed;
}

}  // namespace conversation
