// A read renews the expiry of its fields. A write for each read would make the cheapest request the
// most expensive one, so refreshes stay in memory (FieldRefreshes) and are written together (ADR
// 56). Each belongs to a version of the fields: a later write with a shorter TTL wins. A crash
// loses the refreshes of the last seconds, and fields then expire earlier by that time.
#include "lib/conversation/working/field_life.h"

#include <utility>

#include "lib/conversation/checkpoint/checkpoint.h"

namespace conversation {
namespace {

using base::Result;
using base::Status;

constexpr int64_t kRowsOfAPiece = 200;       // up to 64 KiB each; a delete writes little of it
constexpr int64_t kCheckpointsOfAPiece = 4;  // up to 7 MiB each
constexpr int kMostPieces = 2'000;           // per round

}  // namespace

Status FieldLife::Keep(const Write& write, int64_t every_ms) {
  const auto refreshes = refreshes_.Copy();
  const int64_t now_ms = clock_.NowMs();
  const bool saves = now_ms - saved_ms_ >= every_ms;
  if (refreshes.empty() && !saves) return {};
  RETURN_IF_ERROR(write([&](Rows& rows) -> Status {
    RETURN_IF_ERROR(rows.RefreshFields(refreshes));
    return rows.SaveClock(now_ms);
  }));
  refreshes_.Written(refreshes);
  saved_ms_ = kept_ms_ = now_ms;
  return {};
}

Result<int64_t> FieldLife::Sweep(const Write& write, const std::function<bool()>& stopping) {
  RETURN_IF_ERROR(Keep(write));
  int64_t removed = 0;
  const auto remove = [&](auto remove_piece, int64_t limit) -> Status {
    int64_t piece = limit;
    for (int pieces = 0; pieces < kMostPieces && piece == limit && !stopping(); ++pieces) {
      RETURN_IF_ERROR(write([&](Rows& rows) -> Status {
        ASSIGN_OR_RETURN(piece, remove_piece(rows, clock_.NowMs(), limit));
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
