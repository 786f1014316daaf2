// The kinds of cells in a tenant's file, a row each. The opening of a store, walks of exports,
// copies, the search for quotes and the clock of expiry loop over them. And the cells of a kind
// without further columns and without a search, in a table of their own.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/base/process/aging_clock.h"
#include "lib/sql/writer.h"
#include "memory/keeping/cells.h"
#include "memory/sqlite/reading/cell_host.h"

namespace memory {

// The statements over a table with the columns slot, owner, key, version, over_ms, bytes and value.
// Triggers (schema.cc) count rows and bytes of each owner in another one.
struct CellStatements {
  const char* counter;  // of versions
  const char *find, *save, *remove, *totals, *remove_expired, *read, *owners, *list;
};

// Inside the caller's transaction. `statements` outlive it.
class TableCells final : public Cells {
 public:
  TableCells(sql::Database& database, const CellStatements& statements)
      : database_(database), sql_(statements) {}
  base::Result<std::optional<Cell>> Find(const std::string& owner, const std::string& key) override;
  base::Status Save(const Cell& cell) override;
  base::Status Remove(const std::string& owner, const std::string& key) override;
  base::Result<CellTotals> TotalsOf(const std::string& owner) override;
  base::Result<int64_t> RemoveExpired(const std::string& owner, int64_t now_ms,
                                      int64_t limit) override;
  base::Result<std::vector<std::string>> Owners(const std::string& first, size_t limit) override;
  base::Result<std::vector<Cell>> List(const std::string& owner, const std::string& after,
                                       int64_t now_ms, size_t limit, size_t bytes) override;
  base::Result<int64_t> RaiseVersion(int64_t to) override {
    return memory::RaiseVersion(database_, sql_.counter, to);
  }

 private:
  sql::Database& database_;
  const CellStatements& sql_;
};

// What a walk reads, in order of slots: cells of one project or of all, or of `owners`, which are
// in order, after slot `after`, that are not expired at `now_ms`. It ends when `take` returns
// false.
struct CellReading {
  std::optional<int64_t> project;
  const std::vector<std::string>& owners;
  int64_t now_ms, after;
};
using OnCell = std::function<bool(int64_t slot, Cell&&)>;  // `take`

struct CellTable {
  const CellKind& kind;
  const char* table;                 // its name
  const CellStatements* statements;  // null: the kind has a room of its own
  const char* needs_clock;           // returns a row if there are cells that may expire
  const char* move;                  // adds ?1 to the expiry of each
  const char* texts;                 // for quotes: slot, name and text of rows after slot ?1
  // → whether the end is reached.
  base::Result<bool> (*read)(sql::Database&, const CellReading&, const OnCell&);
  // In a copy: deletes cells that are expired at `now_ms`, and if a project is given those of
  // others. A file has no access rules: of kinds of Agents it deletes all.
  base::Status (*leave_out)(sql::Database&, std::optional<int64_t> project, int64_t now_ms);
};
std::span<const CellTable> CellTables();

// Leaves cells out of a copy, as above. The others expire at wall-clock times.
base::Status PrepareCells(sql::Database& copy, int64_t aged_ms, int64_t wall_ms);

// The saved time; 0: never saved.
base::Result<int64_t> LoadCellClock(sql::Database& database);
// Saves only if a kind of cell needs it, so that an idle server writes nothing.
base::Status SaveCellClock(sql::Database& database, int64_t aged_ms);

// The clock by which every kind of cell expires. Any thread. The writer and `clock` outlive it.
class CellClock {
 public:
  // `saved_ms`: LoadCellClock of the file.
  CellClock(sql::Writer& writer, const base::Clock& clock, int64_t saved_ms)
      : writer_(writer), aging_(clock, saved_ms), saved_ms_(saved_ms) {}
  int64_t NowMs() const { return seen_ms_ = aging_.NowMs(); }
  base::Status KeepIfDue();  // saves when it is ten minutes ahead of the file
  base::Status KeepSeen();   // saves its last reading, when the store closes

 private:
  sql::Writer& writer_;
  const base::AgingClock aging_;
  std::atomic<int64_t> saved_ms_;
  mutable std::atomic<int64_t> seen_ms_{0};
};

}  // namespace memory
