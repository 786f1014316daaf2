// What cells mean, for every kind: preconditions, versions, expiry, limits of an owner, the sweep.
// Times are of the clock of expiry (base::AgingClock) unless a comment says otherwise.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/process/clock.h"
#include "lib/base/result.h"
#include "memory/rows/cells.h"

namespace memory {

// The precondition of a conditional write (RFC 9110, section 13).
struct Precondition {
  std::optional<int64_t> version;  // If-Match
  bool present = false;            // If-Match: *
  bool absent = false;             // If-None-Match: *

  // `live`: the present version; nullopt: absent.
  bool Holds(std::optional<int64_t> live) const {
    if (absent && live) return false;
    if (present && !live) return false;
    return !version || live == version;
  }
};

// A kind: limits of one owner and of a tenant, error messages, names. Before a limit refuses a
// write, it removes expired cells of the owner.
struct CellKind {
  int64_t cells, bytes, owners;
  // Of a write at a limit, one of the above, which `value` exceeds; and of an absent cell.
  std::string (*full)(const std::string& owner, int64_t CellKind::*limit, int64_t value);
  std::string (*missing)(const std::string& owner, const std::string& key);
  const char *one = "", *name = "";  // of one and of many
  bool of_agents = false;            // owners are Agents, which grant access; else projects
};

// The outcome of a write.
struct CellWritten {
  Cell cell = {};  // as stored or removed; of `differs` the present one, if any
  bool created = false;
  bool differs = false;  // the condition does not hold: nothing changed
};

// The expiry time of a cell; nullopt: never.
std::optional<int64_t> ExpiryOf(int64_t created_ms, int64_t ttl_ns);
bool IsExpired(const Cell& cell, int64_t now_ms);

// In the caller's transaction. Finds a cell that is not expired.
base::Result<std::optional<Cell>> FindLive(Cells& cells, const std::string& owner,
                                           const std::string& key, int64_t now_ms);
// Creates or replaces a cell. Version 0: a new one; else as given, of an import. kFull: a limit.
base::Result<CellWritten> PutCell(Cells& cells, const CellKind& kind, Cell cell,
                                  const Precondition& condition, int64_t now_ms);
// Changes a live cell by `change`. The new cell has a new version; limits do not apply. kNotFound.
base::Result<CellWritten> ChangeCell(Cells& cells, const CellKind& kind, const std::string& owner,
                                     const std::string& key, const Precondition& condition,
                                     int64_t now_ms, const std::function<void(Cell&)>& change);
base::Result<CellWritten> RemoveCell(Cells& cells, const CellKind& kind, const std::string& owner,
                                     const std::string& key, const Precondition& condition,
                                     int64_t now_ms);

// The cells of one kind of a tenant. Any thread. Expired cells are invisible to every call
// immediately; jumps of the wall clock do not change expiry. Writes return after their commit.
// Errors: kNotFound, kFull, kUnavailable.
class KeptCells {
 public:
  virtual ~KeptCells() = default;

  // Creates a cell or replaces it as a whole, and starts its TTL. Uses owner, key, value, metadata
  // and TTL of `cell`.
  base::Result<CellWritten> Put(Cell cell, const Precondition& condition);
  base::Result<CellWritten> Remove(const std::string& owner, const std::string& key,
                                   const Precondition& condition = {});
  // Sets the time of the access: in memory immediately, in the file later. A crash may lose it.
  base::Result<Cell> Get(const std::string& owner, const std::string& key);
  // Imports cells with their times, all of the wall clock, and versions, in one transaction. A cell
  // with a TTL has its age, one without its `expires_ms`. → for each whether it was stored:
  // existing cells stay, and expired ones are skipped.
  base::Result<std::vector<bool>> Import(const std::vector<Cell>& cells);
  // As the verbs of Cells. Callers check access.
  base::Result<std::vector<std::string>> Owners(const std::string& first, size_t limit);
  base::Result<std::vector<Cell>> List(const std::string& owner, const std::string& after,
                                       size_t limit, size_t bytes);
  // Removes expired cells in small transactions. → how many. Called by the engine.
  base::Result<int64_t> Sweep(const std::stop_token& stop);
  const CellKind& kind() const { return kind_; }

  // `kind` and `clock`, which is for people, outlive this. `aged_ms`: the clock of expiry.
  KeptCells(const CellKind& kind, std::unique_ptr<CellHost> host, const base::Clock& clock,
            std::function<int64_t()> aged_ms)
      : kind_(kind), host_(std::move(host)), clock_(clock), aged_ms_(std::move(aged_ms)) {}

 protected:
  int64_t AgedMs() const { return aged_ms_(); }

  const CellKind& kind_;
  const std::unique_ptr<CellHost> host_;
  const base::Clock& clock_;

 private:
  const std::function<int64_t()> aged_ms_;
};

}  // namespace memory
