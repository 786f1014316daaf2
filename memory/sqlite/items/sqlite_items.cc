// Vectors and the clock of items.
#include "memory/sqlite/items/sqlite_items.h"

#include <utility>

#include "memory/sqlite/items/item_vectors.h"

namespace memory {

using base::Result;
using base::Status;
using sqlite::Database;

namespace {

constexpr int64_t kClockEveryMs = 600'000;

}  // namespace

SqliteItems::SqliteItems(Parts parts)
    : Items(kItemCells,
            std::make_unique<SqliteCellHost>(SqliteCellHost::Parts{
                parts.writer, parts.readers, parts.admit,
                [this](Database& file) {
                  return std::make_unique<ItemCells>(file, accesses_, parts_.embedder);
                }}),
            parts.clock, [this] { return AgedMs(); }),
      parts_(std::move(parts)),
      aging_(parts_.clock, parts_.aged_ms),
      saved_ms_(parts_.aged_ms) {}

Result<bool> SqliteItems::FillVectors() {
  if (!parts_.embedder || vectors_done_) return false;
  RETURN_IF_ERROR(parts_.admit());
  VectorlessItems found;
  {
    ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::BeginUnhurried(parts_.readers));
    ASSIGN_OR_RETURN(
        found, FindVectorlessItems(snapshot.database(), parts_.embedder->model(), vectors_until_));
  }
  if (!found.slots.empty()) {
    RETURN_IF_ERROR(parts_.writer.RunAny([&](Database& database) -> Status {
      for (int64_t slot : found.slots) {
        ASSIGN_OR_RETURN(const auto row, FindItem(database, slot));
        if (row) RETURN_IF_ERROR(AddItemVector(database, *row, parts_.embedder));
      }
      return {};
    }));
  }
  vectors_until_ = found.last;
  vectors_done_ = found.end;
  return !found.end;
}

Status SqliteItems::KeepClock() {
  return AgedMs() - saved_ms_ < kClockEveryMs ? Status() : KeepSeenClock();
}

Status SqliteItems::KeepSeenClock() {
  const int64_t aged_ms = seen_ms_;
  if (aged_ms <= saved_ms_) return {};
  RETURN_IF_ERROR(
      parts_.writer.RunAny([&](Database& database) { return SaveItemClock(database, aged_ms); }));
  saved_ms_ = aged_ms;
  return {};
}

}  // namespace memory
