// Vectors of items.
#include "memory/sqlite/items/sqlite_items.h"

#include <utility>

#include "memory/sqlite/items/item_vectors.h"

namespace memory {

using base::Result;
using base::Status;
using sql::Database;

SqliteItems::SqliteItems(Parts parts)
    : Items(kItemCells,
            std::make_unique<SqliteCellHost>(SqliteCellHost::Parts{
                parts.writer, parts.readers, parts.admit,
                [this](Database& file) {
                  return std::make_unique<ItemCells>(file, accesses_, parts_.embedder);
                }}),
            parts.clock, parts.aged_ms),
      parts_(std::move(parts)) {}

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

}  // namespace memory
