// Cuts the words of rows that an earlier version wrote anew, some at a time between other writes.
#include <algorithm>

#include "lib/base/process/log.h"
#include "memory/model/terms.h"
#include "memory/model/words.h"
#include "memory/sqlite/items/item_rows.h"
#include "memory/sqlite/store/sqlite_store.h"
#include "memory/sqlite/store/state.h"
#include "memory/sqlite/tables/uncut.h"

namespace memory {

using base::Result;
using base::Status;
using sql::Database;

namespace {

void Tell(const std::string& file, const char* what, int64_t rows) {
  base::Log(base::Level::kInfo, what, {{"file", file}, {"rows_left", rows}});
}

}  // namespace

int64_t SqliteStore::UncutRows() const { return state_->uncut_rows; }

Result<bool> SqliteStore::CutWords() {
  StoreState& state = *state_;
  if (state.cut_done || state.file->index_damaged) return false;
  memory::UncutRows rows;
  UncutItems items;
  {
    ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::BeginUnhurried(state.readers));
    ASSIGN_OR_RETURN(rows, FindUncut(snapshot.database()));
    if (!rows.any) {
      ASSIGN_OR_RETURN(items, FindUncutItems(snapshot.database()));
    }
    if (!state.cutting && (rows.any || items.any)) {
      ASSIGN_OR_RETURN(state.uncut_rows, CountUncut(snapshot.database()));
      state.cutting = true;
      Tell(state.path,
           "the search index of an earlier version is renewed; all rows are found "
           "meanwhile",
           state.uncut_rows);
    }
  }
  if (!rows.any && !items.any) {
    state.cut_done = true;
    state.uncut_rows = 0;
    if (state.cutting) Tell(state.path, "the search index is renewed", 0);
    return false;
  }
  RETURN_IF_ERROR(state.AdmitGrowth());
  std::vector<std::string> grams;
  for (const UncutRow& row : rows.rows)
    grams.push_back(WithTags(AddedTerms(row.title + ' ' + row.content), row.tags));
  RETURN_IF_ERROR(state.writer->RunAny([&](Database& database) -> Status {
    if (rows.any) return CutRows(database, rows, grams);
    RETURN_IF_ERROR(CutItems(database, items.slots));
    return NoteItemsCut(database, items);
  }));
  const auto cut = static_cast<int64_t>(rows.rows.size() + items.slots.size());
  state.uncut_rows = std::max<int64_t>(state.uncut_rows - cut, 0);
  return true;
}

}  // namespace memory
