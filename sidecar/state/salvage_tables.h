// The tables of a damaged state.db whose rows are worth taking over, and taking them over. When,
// and what becomes of the file, is state_salvage.h.
#pragma once

#include <cstdint>
#include <span>

#include "lib/base/process/clock.h"
#include "lib/base/result.h"
#include "lib/sqlite/database.h"

namespace sidecar {

struct SalvagedTable {
  const char* name;
  const char* oldest_first;  // the first column of what is read is the place in the file
  const char* newest_first;
  const char* insert;
  bool newest_matter = false;            // these are taken first, should the time not do for all
  const SalvagedTable* older = nullptr;  // how it was in files of earlier schemas
};

// `behind`: its sequences are given away, so it gets
// new ones, behind what was accepted meanwhile.
const SalvagedTable& OutboxTable(bool behind);
// Small, and needed: in one commit with the outbox.
std::span<const SalvagedTable> TablesBesideOutbox();
// Each in a commit of its own, so that one that has no room does not keep the others out.
std::span<const SalvagedTable> TablesOfTheirOwn();

struct SalvageTime {
  const base::Clock& clock;
  int64_t end_ms;  // monotonic; of everything together
};
struct TakenOver {
  int64_t rows = 0;
  bool late = false;  // there was no time for all that can be read
};
// Of a file of any schema version. From both ends, each up to the first page that cannot be read:
// what lies between is lost. In the caller's transaction; an error is the new file's alone.
base::Result<TakenOver> TakeOver(sqlite::Database& from, sqlite::Database& to,
                                 const SalvagedTable& table, const SalvageTime& time);

}  // namespace sidecar
