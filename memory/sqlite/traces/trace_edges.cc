// Statements over trace_edges.
#include "memory/sqlite/traces/trace_edges.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "memory/sqlite/tables/live.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

namespace {

constexpr size_t kMostMerges = 1024;  // that one edge is followed through

bool IsHeavier(const EdgeRow& a, const EdgeRow& b) {
  return a.weight != b.weight ? a.weight > b.weight : a.to < b.to;
}

EdgeRow EdgeAt(const Statement& row) { return {row.Int(0), row.Text(1), row.Real(2)}; }

struct EdgesThere {
  size_t count = 0;
  bool known = false;  // one of them leads to the given trace
};

Result<EdgesThere> CountEdges(Database& database, int64_t from, int64_t to) {
  ASSIGN_OR_RETURN(
      Statement count,
      database.Prepare(
          "SELECT count(*), sum(CASE WHEN to_slot = ?2 THEN 1 ELSE 0 END) FROM trace_edges WHERE "
          "from_slot = ?1"));
  ASSIGN_OR_RETURN(const bool row, count.Bind(from).Bind(to).Step());
  if (!row) return EdgesThere();
  return EdgesThere{static_cast<size_t>(count.Int(0)), count.Int(1) != 0};
}

Status WriteEdge(Database& database, int64_t from, const EdgeRow& edge) {
  ASSIGN_OR_RETURN(
      Statement put,
      database.Prepare("INSERT INTO trace_edges VALUES(?1, ?2, ?3, ?4) ON CONFLICT(from_slot, "
                       "to_slot) DO UPDATE SET kind = excluded.kind, weight = excluded.weight"));
  return put.Bind(from).Bind(edge.to).Bind(edge.kind).Bind(edge.weight).Run();
}

Status RemoveStored(Database& database, int64_t from, int64_t to) {
  ASSIGN_OR_RETURN(
      Statement remove,
      database.Prepare("DELETE FROM trace_edges WHERE from_slot = ?1 AND to_slot = ?2"));
  return remove.Bind(from).Bind(to).Run();
}

// The stored edges that lead to `to` now, or did when they were written.
Result<std::vector<EdgeRow>> EdgesTo(Database& database, int64_t from, int64_t to) {
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare("SELECT e.to_slot, e.kind, e.weight FROM trace_edges e LEFT JOIN traces t "
                       "ON t.slot = e.to_slot WHERE e.from_slot = ?1 AND (e.to_slot = ?2 OR "
                       "t.merged_into IS NOT NULL) ORDER BY e.to_slot"));
  ASSIGN_OR_RETURN(const std::vector<EdgeRow> edges, read.Bind(from).Bind(to).ReadAll(EdgeAt));
  EdgeEnds ends(database);
  std::vector<EdgeRow> leading;
  for (const EdgeRow& edge : edges) {
    ASSIGN_OR_RETURN(const auto end, ends.Of(edge.to));
    if (edge.to == to || end == to) leading.push_back(edge);
  }
  return leading;
}

Result<bool> IsShown(Database& database, int64_t slot) {
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare("SELECT 1 FROM observations o WHERE o.slot = ?1 AND " MEMORY_LIVE));
  return read.Bind(slot).Step();
}

// Removes edges that no reader gets until there is room for one more, the lightest first. False:
// readers get all of them.
Result<bool> MakeRoom(Database& database, int64_t from, size_t count) {
  if (count < kMaxTraceEdges) return true;
  ASSIGN_OR_RETURN(const std::vector<EdgeRow> stored, StoredEdges(database, from));
  EdgeEnds ends(database);
  std::set<int64_t> shown;  // ends
  std::vector<int64_t> hidden;
  for (const EdgeRow& edge : stored) {
    ASSIGN_OR_RETURN(const auto end, ends.Of(edge.to));
    bool is_shown = end && *end != from && shown.insert(*end).second;
    if (is_shown) {
      ASSIGN_OR_RETURN(is_shown, IsShown(database, *end));
    }
    if (!is_shown) hidden.push_back(edge.to);
  }
  for (; count >= kMaxTraceEdges && !hidden.empty(); --count, hidden.pop_back())
    RETURN_IF_ERROR(RemoveStored(database, from, hidden.back()));
  return count < kMaxTraceEdges;
}

}  // namespace

Result<std::optional<int64_t>> EdgeEnds::Of(int64_t slot) {
  std::vector<int64_t> passed;
  std::optional<int64_t> end;
  for (std::optional<int64_t> at = slot; at && passed.size() < kMostMerges;) {
    if (const auto known = known_.find(*at); known != known_.end()) {
      end = known->second;
      break;
    }
    passed.push_back(*at);
    ASSIGN_OR_RETURN(
        Statement read,
        database_.Prepare("SELECT o.deleted_ms IS NULL, m.slot FROM observations o LEFT JOIN "
                          "traces t ON t.slot = o.slot LEFT JOIN traces m ON m.uuid = "
                          "t.merged_into WHERE o.slot = ?1"));
    ASSIGN_OR_RETURN(const bool there, read.Bind(*at).Step());
    if (!there) break;
    if (read.Int(0)) {
      end = at;
      break;
    }
    at = read.IsNull(1) ? std::nullopt : std::optional(read.Int(1));
  }
  for (const int64_t one : passed) known_[one] = end;
  return end;
}

Result<std::vector<EdgeRow>> StoredEdges(Database& database, int64_t slot) {
  ASSIGN_OR_RETURN(Statement read,
                   database.Prepare("SELECT to_slot, kind, weight FROM trace_edges WHERE "
                                    "from_slot = ?1 ORDER BY weight DESC, to_slot"));
  return read.Bind(slot).ReadAll(EdgeAt);
}

Result<std::vector<EdgeRow>> EdgesFrom(Database& database, int64_t slot) {
  ASSIGN_OR_RETURN(const std::vector<EdgeRow> stored, StoredEdges(database, slot));
  std::vector<EdgeRow> edges;
  if (stored.empty()) return edges;
  EdgeEnds ends(database);
  ASSIGN_OR_RETURN(const auto itself, ends.Of(slot));
  std::set<int64_t> taken;
  for (const EdgeRow& edge : stored) {
    ASSIGN_OR_RETURN(const auto end, ends.Of(edge.to));
    if (!end || *end == slot || end == itself || !taken.insert(*end).second) continue;
    edges.push_back({*end, edge.kind, edge.weight});
  }
  std::sort(edges.begin(), edges.end(), IsHeavier);
  return edges;
}

Status PutTraceEdge(Database& database, int64_t from, const EdgeRow& edge) {
  ASSIGN_OR_RETURN(const std::vector<EdgeRow> leading, EdgesTo(database, from, edge.to));
  for (const EdgeRow& one : leading)
    RETURN_IF_ERROR(WriteEdge(database, from, {one.to, edge.kind, edge.weight}));
  if (!leading.empty()) return {};
  ASSIGN_OR_RETURN(const EdgesThere there, CountEdges(database, from, edge.to));
  ASSIGN_OR_RETURN(const bool room, MakeRoom(database, from, there.count));
  if (room) return WriteEdge(database, from, edge);
  return Error{Code::kFull, "the trace has " + std::to_string(there.count) +
                                " edges, the limit is " + std::to_string(kMaxTraceEdges)};
}

Result<EdgeTaken> AddTraceEdge(Database& database, int64_t from, const EdgeRow& edge) {
  ASSIGN_OR_RETURN(const EdgesThere there, CountEdges(database, from, edge.to));
  if (there.known) return EdgeTaken::kKnown;
  ASSIGN_OR_RETURN(const bool room, MakeRoom(database, from, there.count));
  if (!room) return EdgeTaken::kFull;
  RETURN_IF_ERROR(WriteEdge(database, from, edge));
  return EdgeTaken::kNew;
}

Result<bool> RemoveTraceEdge(Database& database, int64_t from, int64_t to) {
  ASSIGN_OR_RETURN(const std::vector<EdgeRow> leading, EdgesTo(database, from, to));
  for (const EdgeRow& one : leading) RETURN_IF_ERROR(RemoveStored(database, from, one.to));
  return !leading.empty();
}

Result<bool> RestoreTraceEdge(Database& database, int64_t from, int64_t to, const std::string& kind,
                              std::optional<double> written, std::optional<double> before) {
  ASSIGN_OR_RETURN(const std::vector<EdgeRow> leading, EdgesTo(database, from, to));
  bool any = false;
  for (const EdgeRow& one : leading) {
    if (one.kind != kind || (written && one.weight != *written)) continue;
    RETURN_IF_ERROR(before ? WriteEdge(database, from, {one.to, kind, *before})
                           : RemoveStored(database, from, one.to));
    any = true;
  }
  return any;
}

namespace {

// Of two edges to one trace the heavier; by that trace.
Result<std::map<int64_t, EdgeRow>> HeaviestOf(Database& database,
                                              std::span<const int64_t> sources) {
  std::map<int64_t, EdgeRow> heaviest;
  for (const int64_t source : sources) {
    ASSIGN_OR_RETURN(std::vector<EdgeRow> edges, StoredEdges(database, source));
    for (EdgeRow& edge : edges) {
      const auto [there, added] = heaviest.try_emplace(edge.to, edge);
      if (!added && edge.weight > there->second.weight) there->second = std::move(edge);
    }
  }
  return heaviest;
}

// Those that a merged trace gets: none to the sources, those with a live end first.
Result<std::vector<EdgeRow>> UnitedOf(Database& database, const std::map<int64_t, EdgeRow>& all,
                                      std::span<const int64_t> sources, int64_t merged) {
  std::vector<EdgeRow> sorted, united, dead;
  for (const auto& [to, edge] : all) sorted.push_back(edge);
  std::sort(sorted.begin(), sorted.end(), IsHeavier);
  const auto among = [&](int64_t slot) {
    return slot == merged || std::find(sources.begin(), sources.end(), slot) != sources.end();
  };
  EdgeEnds ends(database);
  for (EdgeRow& edge : sorted) {
    if (united.size() == kMaxTraceEdges) break;
    if (among(edge.to)) continue;
    ASSIGN_OR_RETURN(const auto end, ends.Of(edge.to));
    if (end && among(*end)) continue;
    (end ? united : dead).push_back(std::move(edge));
  }
  dead.resize(std::min(dead.size(), kMaxTraceEdges - united.size()));
  united.insert(united.end(), std::make_move_iterator(dead.begin()),
                std::make_move_iterator(dead.end()));
  return united;
}

}  // namespace

Status UniteEdges(Database& database, std::span<const int64_t> sources, int64_t merged) {
  ASSIGN_OR_RETURN(const auto all, HeaviestOf(database, sources));
  ASSIGN_OR_RETURN(const auto united, UnitedOf(database, all, sources, merged));
  for (const EdgeRow& edge : united) RETURN_IF_ERROR(WriteEdge(database, merged, edge));
  return {};
}

Result<bool> AreUnited(Database& database, std::span<const int64_t> sources, int64_t merged) {
  ASSIGN_OR_RETURN(const auto all, HeaviestOf(database, sources));
  ASSIGN_OR_RETURN(const auto united, UnitedOf(database, all, sources, merged));
  ASSIGN_OR_RETURN(const auto stored, StoredEdges(database, merged));
  if (stored.size() != united.size()) return false;
  return std::all_of(stored.begin(), stored.end(), [&](const EdgeRow& edge) {
    const auto there = all.find(edge.to);
    return there != all.end() && there->second == edge;
  });
}

Result<bool> IsLinked(Database& database, int64_t slot) {
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare("SELECT 1 FROM trace_edges e JOIN observations o ON o.slot = e.from_slot "
                       "WHERE e.to_slot = ?1 AND o.deleted_ms IS NULL LIMIT 1"));
  return read.Bind(slot).Step();
}

}  // namespace memory
