// Writes of items, and the sweep.
#include "memory/sqlite/items/sqlite_items.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <span>
#include <utility>

#include "memory/sqlite/items/item_vectors.h"
#include "memory/sqlite/tables/rows.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sqlite::Database;
using sqlite::Statement;

namespace {

constexpr int64_t kSweptAtOnce = 100;     // so that a write never waits long behind the sweep
constexpr size_t kAccessesAtOnce = 2000;  // in one transaction
constexpr int64_t kClockEveryMs = 600'000;
constexpr int64_t kMaxVersion = int64_t{1} << 53;

Error NoItem(const std::string& key) {
  return Error{Code::kNotFound, "there is no item \"" + key + "\""};
}

std::optional<int64_t> VersionOf(const std::optional<ItemRow>& live) {
  return live ? std::optional(live->item.version) : std::nullopt;
}

// A commit invalidates the page caches of readers. So steps of a sweep take at most a tenth of the
// time; the pause has a limit, so that many expired items go within minutes.
void WaitBetweenPieces(std::chrono::steady_clock::duration took, const std::stop_token& stop) {
  constexpr std::chrono::milliseconds kMostPause{100};
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  const auto pause = std::min<std::chrono::steady_clock::duration>(9 * took, kMostPause);
  wake.wait_for(lock, stop, pause, [] { return false; });
}

// Only an item that is not expired.
Result<std::optional<ItemRow>> FindLive(Database& database, const std::string& project,
                                        const std::string& key, int64_t aged_ms) {
  ASSIGN_OR_RETURN(const std::optional<int64_t> number, FindProject(database, project));
  if (!number) return std::optional<ItemRow>();
  ASSIGN_OR_RETURN(std::optional<ItemRow> row, FindItem(database, *number, key));
  if (row && IsOver(*row, aged_ms)) row.reset();
  return row;
}

// The creation time of the item, by the clock by which it expires.
int64_t CreatedAgedMs(const ItemRow& row, int64_t now_ms, int64_t aged_ms) {
  if (row.over_ms) return *row.over_ms - *OverMs(0, row.item.ttl_ns);
  return aged_ms - std::max<int64_t>(0, now_ms - row.item.created_ms);
}

}  // namespace

Result<ItemWritten> SqliteItems::Put(const std::string& project, const Item& item,
                                     const Precondition& condition) {
  RETURN_IF_ERROR(parts_.admit());
  const int64_t now_ms = NowMs(), aged_ms = AgedMs();
  return parts_.writer.Run<ItemWritten>([&](Database& database) -> Result<ItemWritten> {
    ASSIGN_OR_RETURN(const auto live, FindLive(database, project, item.key, aged_ms));
    if (!condition.Holds(VersionOf(live)))
      return ItemWritten{live ? live->item : Item(), false, true};
    ASSIGN_OR_RETURN(const int64_t number, FindOrAddProject(database, project));
    ASSIGN_OR_RETURN(const auto there, FindItem(database, number, item.key));
    ItemRow row{there ? there->slot : 0, item, OverMs(aged_ms, item.ttl_ns)};
    if (!there) {
      ASSIGN_OR_RETURN(row.slot, TakeItemSlot(database, number, aged_ms));
    }
    row.item.created_ms = row.item.accessed_ms = now_ms;
    ASSIGN_OR_RETURN(row.item.version, TakeItemVersion(database));
    RETURN_IF_ERROR(there ? ReplaceItem(database, *there, row, parts_.embedder)
                          : InsertItem(database, number, row, parts_.embedder));
    return ItemWritten{std::move(row.item), !live, false};
  });
}

Result<ItemWritten> SqliteItems::Change(const std::string& project, const std::string& key,
                                        const ItemChange& change, const Precondition& condition) {
  RETURN_IF_ERROR(parts_.admit());
  const int64_t now_ms = NowMs(), aged_ms = AgedMs();
  return parts_.writer.Run<ItemWritten>([&](Database& database) -> Result<ItemWritten> {
    ASSIGN_OR_RETURN(auto live, FindLive(database, project, key, aged_ms));
    if (!live) return NoItem(key);
    if (!condition.Holds(VersionOf(live))) return ItemWritten{live->item, false, true};
    const ItemRow old = *live;
    if (change.value) live->item.value = *change.value;
    if (change.metadata) live->item.metadata = *change.metadata;
    if (change.ttl_ns) {
      live->over_ms = OverMs(CreatedAgedMs(*live, now_ms, aged_ms), *change.ttl_ns);
      live->item.ttl_ns = *change.ttl_ns;
    }
    live->item.accessed_ms = AccessedMs(*live);
    ASSIGN_OR_RETURN(live->item.version, TakeItemVersion(database));
    RETURN_IF_ERROR(ReplaceItem(database, old, *live, parts_.embedder));
    return ItemWritten{std::move(live->item), false, false};
  });
}

// The writer may run it twice, since it frees space.
Status SqliteItems::Forget(const std::string& project, const std::string& key) {
  const int64_t aged_ms = AgedMs();
  return parts_.writer.RunAny(
      [&](Database& database) -> Status {
        ASSIGN_OR_RETURN(const auto live, FindLive(database, project, key, aged_ms));
        return live ? RemoveItem(database, *live) : Status(NoItem(key));
      },
      sqlite::Writer::Room::kGives);
}

Result<std::vector<bool>> SqliteItems::Import(const std::vector<ExportedItem>& items) {
  RETURN_IF_ERROR(parts_.admit());
  const int64_t now_ms = NowMs(), aged_ms = AgedMs();
  return parts_.writer.Run<std::vector<bool>>([&](Database& database) -> Result<std::vector<bool>> {
    std::vector<bool> taken;
    for (const ExportedItem& from : items) {
      taken.push_back(false);
      // Exports have its age by the wall clock.
      ItemRow row{0, from.item, OverMs(aged_ms + from.item.created_ms - now_ms, from.item.ttl_ns)};
      if (IsOver(row, aged_ms)) continue;
      ASSIGN_OR_RETURN(const int64_t project, FindOrAddProject(database, from.project));
      ASSIGN_OR_RETURN(const auto there, FindItem(database, project, from.item.key));
      if (there && !IsOver(*there, aged_ms)) continue;
      if (there) RETURN_IF_ERROR(RemoveItem(database, *there));
      ASSIGN_OR_RETURN(row.slot, TakeItemSlot(database, project, aged_ms));
      if (row.item.version <= 0 || row.item.version >= kMaxVersion) {
        ASSIGN_OR_RETURN(row.item.version, TakeItemVersion(database));
      }
      RETURN_IF_ERROR(RaiseItemVersion(database, row.item.version));
      RETURN_IF_ERROR(InsertItem(database, project, row, parts_.embedder));
      taken.back() = true;
    }
    return taken;
  });
}

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

Result<int64_t> SqliteItems::Sweep(const std::stop_token& stop) {
  const int64_t aged_ms = AgedMs();
  RETURN_IF_ERROR(KeepClock(kClockEveryMs));
  int64_t total = 0;
  for (int64_t removed = kSweptAtOnce; removed == kSweptAtOnce && !stop.stop_requested();) {
    const auto begun = std::chrono::steady_clock::now();
    RETURN_IF_ERROR(parts_.writer.RunAny(
        [&](Database& database) -> Status {
          ASSIGN_OR_RETURN(removed, RemoveItemsOver(database, {}, aged_ms, kSweptAtOnce));
          return {};
        },
        sqlite::Writer::Room::kGives));
    total += removed;
    if (removed == kSweptAtOnce) WaitBetweenPieces(std::chrono::steady_clock::now() - begun, stop);
  }
  return total;
}

Status SqliteItems::KeepClock(int64_t every_ms) {
  return AgedMs() - saved_ms_ < every_ms ? Status() : KeepSeenClock();
}

Status SqliteItems::KeepSeenClock() {
  const int64_t aged_ms = seen_ms_;
  if (aged_ms <= saved_ms_) return {};
  RETURN_IF_ERROR(
      parts_.writer.RunAny([&](Database& database) { return SaveItemClock(database, aged_ms); }));
  saved_ms_ = aged_ms;
  return {};
}

Status SqliteItems::KeepAccesses() {
  const Accesses taken =
      accesses_.With([](Accesses& mine) { return std::exchange(mine, Accesses()); });
  const std::vector<std::pair<int64_t, int64_t>> list(taken.begin(), taken.end());
  for (size_t first = 0; first < list.size(); first += kAccessesAtOnce) {
    const auto part =
        std::span(list).subspan(first, std::min(kAccessesAtOnce, list.size() - first));
    const Status kept = parts_.writer.RunAny([&](Database& database) -> Status {
      for (const auto& [slot, accessed_ms] : part) {
        ASSIGN_OR_RETURN(Statement keep,
                         database.Prepare("UPDATE items SET accessed_ms = ?2 WHERE slot = ?1 AND "
                                          "accessed_ms < ?2"));
        RETURN_IF_ERROR(keep.Bind(slot).Bind(accessed_ms).Run());
      }
      return {};
    });
    if (kept) continue;
    accesses_.With([&](Accesses& mine) { mine.insert(taken.begin(), taken.end()); });
    return kept;
  }
  return {};
}

size_t SqliteItems::CountAccesses() const {
  return accesses_.With([](const Accesses& mine) { return mine.size(); });
}

Result<Item> SqliteItems::Get(const std::string& project, const std::string& key) {
  const int64_t now_ms = NowMs();
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(parts_.readers));
  ASSIGN_OR_RETURN(auto row, FindLive(snapshot.database(), project, key, AgedMs()));
  if (!row) return NoItem(key);
  NoteAccess(row->slot, now_ms);
  row->item.accessed_ms = now_ms;
  return std::move(row->item);
}

}  // namespace memory
