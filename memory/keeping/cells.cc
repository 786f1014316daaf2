// An expired cell is absent for every reader at once, while its row waits for the sweep: decisions
// compare `expires_ms` with the clock and never rely on a removal. Totals of an owner count expired
// rows too, so a write at a limit removes those of the owner first.
#include "memory/keeping/cells.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;

namespace {

constexpr int64_t kRemovedAtOnce = 100;            // so that a write never waits long for the sweep
constexpr int64_t kMaxVersion = int64_t{1} << 53;  // of an imported cell

std::optional<int64_t> VersionOf(const std::optional<Cell>& live) {
  return live ? std::optional(live->version) : std::nullopt;
}

// `before`: the row that the cell replaces, expired or not.
Status Fits(Cells& cells, const CellKind& kind, const Cell& cell,
            const std::optional<Cell>& before) {
  ASSIGN_OR_RETURN(const CellTotals totals, cells.TotalsOf(cell.owner));
  const auto check = [&](int64_t CellKind::*limit, int64_t value) -> Status {
    if (value <= kind.*limit) return {};
    return Error{Code::kFull, kind.full(cell.owner, limit, value)};
  };
  if (!before) RETURN_IF_ERROR(check(&CellKind::cells, totals.cells + 1));
  const int64_t replaced = before ? BytesOf(*before) : 0;
  RETURN_IF_ERROR(check(&CellKind::bytes, totals.bytes + BytesOf(cell) - replaced));
  return before || totals.cells > 0 ? Status() : check(&CellKind::owners, totals.owners + 1);
}

// A commit invalidates the page caches of readers. So steps of a sweep take at most a tenth of the
// time; the pause has a limit, so that many expired cells go within minutes.
void WaitBetweenSteps(std::chrono::steady_clock::duration took, const std::stop_token& stop) {
  constexpr std::chrono::milliseconds kMostPause{100};
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  const auto pause = std::min<std::chrono::steady_clock::duration>(9 * took, kMostPause);
  wake.wait_for(lock, stop, pause, [] { return false; });
}

Error Missing(const CellKind& kind, const std::string& owner, const std::string& key) {
  return Error{Code::kNotFound, kind.missing(owner, key)};
}

}  // namespace

std::optional<int64_t> ExpiryOf(int64_t created_ms, int64_t ttl_ns) {
  constexpr int64_t kNsOfMs = 1'000'000;
  if (ttl_ns == 0) return std::nullopt;
  return created_ms + ttl_ns / kNsOfMs + (ttl_ns % kNsOfMs != 0 ? 1 : 0);
}

bool IsExpired(const Cell& cell, int64_t now_ms) {
  return cell.expires_ms && *cell.expires_ms <= now_ms;
}

Result<std::optional<Cell>> FindLive(Cells& cells, const std::string& owner, const std::string& key,
                                     int64_t now_ms) {
  ASSIGN_OR_RETURN(auto cell, cells.Find(owner, key));
  if (cell && IsExpired(*cell, now_ms)) cell.reset();
  return cell;
}

Result<CellWritten> PutCell(Cells& cells, const CellKind& kind, Cell cell,
                            const Precondition& condition, int64_t now_ms) {
  ASSIGN_OR_RETURN(auto before, cells.Find(cell.owner, cell.key));
  const bool is_live = before && !IsExpired(*before, now_ms);
  if (!condition.Holds(is_live ? VersionOf(before) : std::nullopt))
    return CellWritten{is_live ? *std::move(before) : Cell(), false, true};
  for (Status fits = Fits(cells, kind, cell, before); !fits;
       fits = Fits(cells, kind, cell, before)) {
    ASSIGN_OR_RETURN(const int64_t removed,
                     cells.RemoveExpired(cell.owner, now_ms, kRemovedAtOnce));
    if (removed == 0) return fits.error();
    ASSIGN_OR_RETURN(before, cells.Find(cell.owner, cell.key));
  }
  ASSIGN_OR_RETURN(const int64_t last, cells.RaiseVersion(cell.version));
  if (cell.version == 0) cell.version = last;
  RETURN_IF_ERROR(cells.Save(cell));
  return CellWritten{std::move(cell), !is_live, false};
}

Result<CellWritten> ChangeCell(Cells& cells, const CellKind& kind, const std::string& owner,
                               const std::string& key, const Precondition& condition,
                               int64_t now_ms, const std::function<void(Cell&)>& change) {
  ASSIGN_OR_RETURN(auto cell, FindLive(cells, owner, key, now_ms));
  if (!cell) return Missing(kind, owner, key);
  if (!condition.Holds(cell->version)) return CellWritten{*std::move(cell), false, true};
  change(*cell);
  ASSIGN_OR_RETURN(cell->version, cells.RaiseVersion(0));
  RETURN_IF_ERROR(cells.Save(*cell));
  return CellWritten{*std::move(cell), false, false};
}

Result<CellWritten> RemoveCell(Cells& cells, const CellKind& kind, const std::string& owner,
                               const std::string& key, const Precondition& condition,
                               int64_t now_ms) {
  ASSIGN_OR_RETURN(auto live, FindLive(cells, owner, key, now_ms));
  if (!condition.Holds(VersionOf(live))) return CellWritten{live.value_or(Cell()), false, true};
  if (!live) return Missing(kind, owner, key);
  RETURN_IF_ERROR(cells.Remove(owner, key));
  return CellWritten{*std::move(live), false, false};
}

Result<CellWritten> KeptCells::Put(Cell cell, const Precondition& condition) {
  RETURN_IF_ERROR(host_->Admit());
  CellWritten written;
  RETURN_IF_ERROR(host_->Write([&](Cells& cells) -> Status {
    const int64_t aged_ms = AgedMs();
    cell.version = 0;
    cell.created_ms = cell.accessed_ms = clock_.NowMs();
    cell.expires_ms = ExpiryOf(aged_ms, cell.ttl_ns);
    ASSIGN_OR_RETURN(written, PutCell(cells, kind_, cell, condition, aged_ms));
    return {};
  }));
  return written;
}

Result<CellWritten> KeptCells::Remove(const std::string& owner, const std::string& key,
                                      const Precondition& condition) {
  CellWritten removed;
  const auto remove = [&](Cells& cells) -> Status {
    ASSIGN_OR_RETURN(removed, RemoveCell(cells, kind_, owner, key, condition, AgedMs()));
    return {};
  };
  RETURN_IF_ERROR(host_->Write(remove, CellHost::Space::kFrees));
  return removed;
}

Result<Cell> KeptCells::Get(const std::string& owner, const std::string& key) {
  std::optional<Cell> cell;
  RETURN_IF_ERROR(host_->Read([&](Cells& cells) -> Status {
    ASSIGN_OR_RETURN(cell, FindLive(cells, owner, key, AgedMs()));
    if (!cell) return Missing(kind_, owner, key);
    cell->accessed_ms = clock_.NowMs();
    return cells.Touch(*cell, cell->accessed_ms);
  }));
  return *std::move(cell);
}

Result<std::vector<bool>> KeptCells::Import(const std::vector<Cell>& cells) {
  RETURN_IF_ERROR(host_->Admit());
  std::vector<bool> stored;
  RETURN_IF_ERROR(host_->Write([&](Cells& kept) -> Status {
    const int64_t now_ms = clock_.NowMs(), aged_ms = AgedMs();
    stored.clear();
    for (Cell cell : cells) {
      stored.push_back(false);
      if (cell.ttl_ns != 0 && !cell.expires_ms)
        cell.expires_ms = ExpiryOf(cell.created_ms, cell.ttl_ns);
      if (cell.expires_ms) *cell.expires_ms += aged_ms - now_ms;
      if (IsExpired(cell, aged_ms)) continue;
      if (cell.version < 0 || cell.version >= kMaxVersion) cell.version = 0;
      ASSIGN_OR_RETURN(
          const CellWritten written,
          PutCell(kept, kind_, std::move(cell), {.version = {}, .absent = true}, aged_ms));
      stored.back() = !written.differs;
    }
    return {};
  }));
  return stored;
}

Result<std::vector<std::string>> KeptCells::Owners(const std::string& first, size_t limit) {
  std::vector<std::string> owners;
  RETURN_IF_ERROR(host_->Read([&](Cells& cells) -> Status {
    ASSIGN_OR_RETURN(owners, cells.Owners(first, limit));
    return {};
  }));
  return owners;
}

Result<std::vector<Cell>> KeptCells::List(const std::string& owner, const std::string& after,
                                          size_t limit, size_t bytes) {
  std::vector<Cell> found;
  RETURN_IF_ERROR(host_->Read([&](Cells& cells) -> Status {
    ASSIGN_OR_RETURN(found, cells.List(owner, after, AgedMs(), limit, bytes));
    return {};
  }));
  return found;
}

Result<int64_t> KeptCells::Sweep(const std::stop_token& stop) {
  const int64_t aged_ms = AgedMs();
  int64_t total = 0;
  for (int64_t removed = kRemovedAtOnce; removed == kRemovedAtOnce && !stop.stop_requested();) {
    const auto begun = std::chrono::steady_clock::now();
    const auto step = [&](Cells& cells) -> Status {
      ASSIGN_OR_RETURN(removed, cells.RemoveExpired("", aged_ms, kRemovedAtOnce));
      return {};
    };
    RETURN_IF_ERROR(host_->Write(step, CellHost::Space::kFrees));
    total += removed;
    if (removed == kRemovedAtOnce) WaitBetweenSteps(std::chrono::steady_clock::now() - begun, stop);
  }
  return total;
}

}  // namespace memory
