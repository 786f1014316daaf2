// The parts of a store: one writer, a pool of readers, and what they share. An engine makes it
// (opening.cc of a file): Load, then Start.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>

#include "lib/conversation/working/field_life.h"
#include "lib/sql/writer.h"
#include "memory/keeping/sweeping.h"
#include "memory/ranking/resident_indexes.h"
#include "memory/sqlite/cells/cell_tables.h"
#include "memory/sqlite/consolidation/sqlite_consolidation.h"
#include "memory/sqlite/items/sqlite_items.h"
#include "memory/sqlite/reading/snapshot.h"
#include "memory/sqlite/store/file_parts.h"
#include "memory/sqlite/store/remote_gaps.h"
#include "memory/sqlite/store/sql_store.h"
#include "memory/sqlite/tables/live.h"
#include "memory/sqlite/tables/usage.h"
#include "memory/sqlite/traces/sqlite_traces.h"
#include "memory/sqlite/turns/turn_rows.h"
#include "memory/store/embedder.h"

namespace memory {

struct StoreState {
  // How an engine opens what reads.
  struct Engine {
    std::function<base::Result<std::unique_ptr<Candidates>>()> candidates;  // of the indexes
    std::function<base::Result<std::unique_ptr<SqlCandidates>>()> reader;
    std::function<base::Result<std::shared_ptr<sql::Database>>()> connect;
    int64_t rows_at_once = 0;  // as ResidentIndexes::Options has
  };
  StoreState(std::string of, StoreOptions with, std::shared_ptr<Liveness> liveness, Engine engine);
  // Read-your-writes: indexes pending rows before a search. False: the wait was too long; the
  // search runs without those rows.
  bool WaitForIndex();
  // The first step of an opening: reads what the parts begin with. `writer` is of the store.
  base::Status Load(sql::Database& writer);
  void Start(std::unique_ptr<sql::Writer> of);  // the last step: makes the parts over it
  TextFacts Facts(std::string_view title, std::string_view content) const;  // with the vector
  // Embeds the text of the query. May wait for the remote model, so call it before taking a
  // connection; the wait counts towards the query's deadline.
  void SetMeaning(RankQuery& query) const;
  // The words of a row that the transaction removes are erased later.
  base::Status RequestErasure(sql::Database& writer, int64_t slot);
  base::Status AdmitGrowth() const { return usage.Admit(); }  // before a write that grows it
  const StoreOptions options;
  const std::string path;
  std::string salt;  // of the file, set by its opening
  StoreUsage usage;  // outlives the writer, which reads it
  RemoteGapList remote_gaps;
  ResidentIndexes resident;       // outlives readers and writer, which use it
  std::optional<FileParts> file;  // of a store on a file; outlives the writer
  const std::shared_ptr<Liveness> liveness;
  std::mutex rules_mutex;  // serializes changes of rules
  SweepState sweep;        // of the one thread that sweeps
  struct Loaded {
    int64_t cell_clock_ms = 0, pending_turns = 0, pending_runs = 0;
  } loaded;
  int64_t vectors_until = 0;  // rows up to this slot have vectors; of that thread
  bool vectors_done = false;
  std::atomic<int64_t> uncut_rows{0};      // by an earlier version; known after the first step
  bool cutting = false, cut_done = false;  // of that thread
  // A reading connection for long walks, beside those of `readers`.
  std::function<base::Result<std::shared_ptr<sql::Database>>()> connect;
  ReaderPool readers;
  std::shared_ptr<std::atomic<int>> exports = std::make_shared<std::atomic<int>>(0);  // open
  std::unique_ptr<sql::Writer> writer;
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
