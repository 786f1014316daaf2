// The parts of a store: one writer, a pool of readers, and what they share.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>

#include "lib/base/guarded.h"
#include "lib/conversation/working/field_life.h"
#include "lib/sqlite/database.h"
#include "lib/sqlite/writer.h"
#include "memory/keeping/sweeping.h"
#include "memory/ranking/resident_indexes.h"
#include "memory/sqlite/cells/cell_tables.h"
#include "memory/sqlite/consolidation/sqlite_consolidation.h"
#include "memory/sqlite/items/sqlite_items.h"
#include "memory/sqlite/ranking/row_changes.h"
#include "memory/sqlite/reading/snapshot.h"
#include "memory/sqlite/removal/eraser.h"
#include "memory/sqlite/store/remote_gaps.h"
#include "memory/sqlite/store/sqlite_store.h"
#include "memory/sqlite/tables/live.h"
#include "memory/sqlite/tables/usage.h"
#include "memory/sqlite/tables/waiting.h"
#include "memory/sqlite/traces/sqlite_traces.h"
#include "memory/sqlite/turns/turn_rows.h"
#include "memory/store/embedder.h"

namespace memory {

// Reads without a time limit of their own. End() cancels them when the WAL grows too long.
class LongReads {
 public:
  std::stop_token token() const {
    return source_.With([](const std::stop_source& source) { return source.get_token(); });
  }
  void End() {
    source_.With([](std::stop_source& source) {
      source.request_stop();
      source = std::stop_source();
    });
  }

 private:
  base::Guarded<std::stop_source> source_;
};

struct StoreState {
  StoreState(std::string of, StoreOptions with);
  sqlite::Database::Options Reading() const;  // of reading connections
  // Runs IndexWaiting or IndexManyWaiting. A no-op from the report of a corrupt index until
  // RebuildIndex, so that writes continue.
  base::Status Index(sqlite::Database& writer,
                     const std::function<base::Status(sqlite::Database&)>& step);
  // Read-your-writes: indexes pending rows before a search. False: the wait was too long; the
  // search runs without those rows.
  bool WaitForIndex();
  TextFacts Facts(std::string_view title, std::string_view content) const;  // with the vector
  // Embeds the text of the query. May wait for the remote model, so call it before taking a
  // connection; the wait counts towards the query's deadline.
  void SetMeaning(RankQuery& query) const;
  base::Status AdmitGrowth() const { return usage.Admit(); }  // before a write that grows it
  const StoreOptions options;
  const std::string path;
  std::string salt;  // of the file, set by its opening
  StoreUsage usage;  // outlives the writer, which reads it
  std::atomic<bool> index_damaged{false};
  WaitingTally waiting;  // of the writer's thread
  RemoteGapList remote_gaps;
  ResidentIndexes resident;  // outlives readers and writer, which use it
  RowChanges changes;        // outlives the writer
  Eraser eraser;             // the writer's
  const std::shared_ptr<Liveness> liveness;
  std::mutex rules_mutex;     // serializes changes of rules
  SweepState sweep;           // of the one thread that sweeps
  int64_t vectors_until = 0;  // rows up to this slot have vectors; of that thread
  bool vectors_done = false;
  std::atomic<int64_t> uncut_rows{0};      // by an earlier version; known after the first step
  bool cutting = false, cut_done = false;  // of that thread
  LongReads long_reads;
  std::unique_ptr<Spool> checked;  // a copy with sound tables; of the checking thread
  ReaderPool readers;
  std::shared_ptr<std::atomic<int>> exports = std::make_shared<std::atomic<int>>(0);  // open
  std::unique_ptr<sqlite::Writer> writer;
  std::optional<CellClock> cell_clock;  // declared after the writer, which it uses
  std::optional<SqliteItems> items;
  std::vector<std::unique_ptr<KeptCells>> cells;  // of the other kinds of CellTables()
  std::optional<SqliteTraces> traces;
  std::optional<SqliteConsolidation> consolidation;
  std::optional<Turns> turns;
  std::optional<conversation::FieldLife> fields;  // of all callers' conversations
  conversation::FieldLife::Write WritingFields();
  base::Status KeepAccesses();  // writes the times at which items were read
  base::Status KeepFields();
  base::Result<int64_t> SweepFields(const std::stop_token& stop);
};

}  // namespace memory
