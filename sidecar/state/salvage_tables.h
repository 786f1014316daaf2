// Copies rows of a damaged state.db, table by table. salvage.h handles the files.
#pragma once

#include <cstdint>
#include <span>

#include "lib/base/process/clock.h"
#include "lib/base/result.h"
#include "lib/sqlite/database.h"

namespace sidecar {

struct SalvagedTable {
  const char* name;
  const char* oldest_first;  // the first column is the place in the file
  const char* newest_first;
  const char* insert;
  bool newest_matter = false;            // copied first, in case the time runs out
  const SalvagedTable* older = nullptr;  // the table in files of earlier schemas
};

// `behind`: rows get new sequences after those of the new file.
const SalvagedTable& OutboxTable(bool behind);
// Small and required tables, copied in the outbox's commit.
std::span<const SalvagedTable> TablesBesideOutbox();
// Tables with a commit of their own, so that a table without room does not stop the others.
std::span<const SalvagedTable> TablesOfTheirOwn();

struct SalvageTime {
  const base::Clock& clock;
  int64_t end_ms;  // monotonic; for all tables
};
struct TakenOver {
  int64_t rows = 0;
  bool late = false;  // the time ran out before the last readable row
};
// Reads a file of any schema version from both ends, each up to the first unreadable page; rows
// between are lost. Inside the caller's transaction; an error is one of the new file.
base::Result<TakenOver> TakeOver(sqlite::Database& from, sqlite::Database& to,
                                 const SalvagedTable& table, const SalvageTime& time);

}  // namespace sidecar
