// Reads everything in pages. A page is one short snapshot that ends before its rows are sent: a
// slow client of an export holds no WAL (ADR 0035).
#include "memory/sqlite/store/export.h"

#include <algorithm>
#include <limits>

#include "lib/base/process/log.h"
#include "memory/sqlite/episodes/episode_rows.h"
#include "memory/sqlite/store/state.h"
#include "memory/sqlite/tables/rows.h"
#include "memory/sqlite/tables/viewer.h"
#include "memory/sqlite/traces/trace_transfer.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

namespace {

// The scope of a walk.
struct Reading {
  const char *rows, *revisions;
  int64_t now_ms = INT64_MIN;  // leaves out items expired then
  bool of_store = false;       // the rules of retention apply
  int64_t wall_ms = 0;         // the time for the strength of traces
  StrengthRules strength = {};
  std::optional<Viewer> viewer = {};     // of a store: of its whole project and of its own traces
  std::vector<std::string> owners = {};  // Agents, of cells
};
#define MEMORY_OF_PROJECT \
  "AND (CAST(?1 AS BIGINT) IS NULL OR o.project = ?1) AND o.id > ?2 AND o.id <= ?3 ORDER BY o.id"
#define MEMORY_SEEN MEMORY_SEEN_BY("?4", "?5", "?6")
#define MEMORY_REVISIONS                                                                         \
  "SELECT revision, replaced_ms, written_ms, type, title, content, origin, tags FROM revisions " \
  "WHERE id = ?1 "
constexpr Reading kLive = {
    MEMORY_SELECT_OBSERVATION "WHERE " MEMORY_LIVE MEMORY_SEEN MEMORY_OF_PROJECT, MEMORY_REVISIONS
    "AND replaced_ms > (SELECT kept_since(o.project, o.scope, o.type) FROM observations o WHERE "
    "o.id = ?1) ORDER BY revision DESC"};
// Of an uploaded file, to which this server's clock and rules do not apply.
constexpr Reading kForeign = {MEMORY_SELECT_OBSERVATION
                              "WHERE o.deleted_ms IS NULL " MEMORY_OF_PROJECT,
                              MEMORY_REVISIONS "ORDER BY revision DESC"};
#define MEMORY_SESSIONS_OF \
  MEMORY_SELECT_SESSION    \
  "WHERE (CAST(?1 AS BIGINT) IS NULL OR s.project = ?1) AND s.number > ?2 AND s.number <= ?3 "
constexpr const char* kSessions = MEMORY_SESSIONS_OF "ORDER BY s.number";
constexpr const char* kSeenSessions =
    MEMORY_SESSIONS_OF MEMORY_SESSION_SEEN_BY("?4", "?5", "?6") "ORDER BY s.number";
constexpr int64_t kMostMs = int64_t{1} << 53;  // of a time in a file
constexpr int kMaxExports = 2;
constexpr size_t kPageRows = 256, kPageBytes = 1 << 20;  // of a page; one row more than the bytes
constexpr size_t kItemBytes = 1000;                      // of an item without its texts, about
constexpr size_t kMaxRevisionBytes = 8 << 20;  // of one row, which an import reads as one element

// Reads the newest ones that fit; returns them oldest first.
Status ReadRevisions(Database& database, const char* sql, ExportedRow& row) {
  ASSIGN_OR_RETURN(Statement read, database.Prepare(sql));
  read.Bind(row.row.id);
  size_t bytes = 0;
  RETURN_IF_ERROR(read.ForEachRow([&](const Statement& at) {
    Revision old{at.Int(0),  at.Int(1),  at.Int(2),  at.Text(3),
                 at.Text(4), at.Text(5), at.Text(6), TagsOf(at.Text(7))};
    bytes += old.title.size() + old.content.size() + 1000;
    row.revisions.push_back(std::move(old));
    return bytes <= kMaxRevisionBytes;
  }));
  std::reverse(row.revisions.begin(), row.revisions.end());
  return {};
}

// What a row weighs in a page, in bytes.
size_t WeightOf(const api::Session& session) { return session.summary.size() + kItemBytes; }
size_t WeightOf(const ExportedRow& row) {
  size_t bytes = row.row.title.size() + row.row.content.size() + kItemBytes;
  for (const Revision& old : row.revisions) bytes += old.title.size() + old.content.size();
  return bytes + row.links.size() * kItemBytes;
}
size_t WeightOf(const Cell& item) { return item.value.size() + kItemBytes; }
size_t WeightOf(const Episode& episode) { return episode.summary.size() + kItemBytes; }
size_t WeightOf(const ExportedTrace& trace) {
  return base::DumpJson(trace.metadata).size() + kItemBytes +
         (trace.original ? trace.original->content.size() : 0);
}
size_t WeightOf(const WholeTrace& whole) {
  return whole.trace.content.size() + base::DumpJson(whole.trace.metadata).size() + kItemBytes +
         (whole.original ? whole.original->content.size() : 0);
}
size_t WeightOf(const std::vector<ExportedEdge>& edges) { return edges.size() * kItemBytes; }
size_t WeightOf(const ConsolidationRun&) { return kItemBytes; }

// The rows of one short snapshot.
template <class Row>
struct Page {
  std::vector<Row> rows;
  size_t bytes = 0;
  int64_t after = std::numeric_limits<int64_t>::min();  // the last key
  bool last = false;
  // Adds a row. → whether there is room for another one.
  bool Add(int64_t key, Row&& row) {
    after = key;
    bytes += WeightOf(row);
    rows.push_back(std::move(row));
    return rows.size() < kPageRows && bytes < kPageBytes;
  }
};

template <class Row>
auto Adding(Page<Row>& page) {
  return [&page](int64_t key, Row&& row) { return page.Add(key, std::move(row)); };
}

class PagedCursor : public ExportCursor {
 public:
  PagedCursor(std::shared_ptr<Database> database, const Reading& reading,
              std::optional<std::string> project, std::shared_ptr<void> place)
      : reading_(reading),
        place_(std::move(place)),
        owned_(std::move(database)),
        database_(*owned_),
        project_(std::move(project)) {}

  Status WalkSessions(const OnRow<api::Session>& on_session) override {
    const char* const sql = reading_.of_store ? kSeenSessions : kSessions;
    return WalkPages<api::Session>("sessions", on_session, [&](Page<api::Session>& page) {
      return ReadNumbered(page, sql, last_session_, [](const Statement& at, api::Session& session) {
        session = SessionAt(at);
        return Result<int64_t>(at.Int(SessionColumns::kNumber));
      });
    });
  }

  Status WalkObservations(bool traces, const OnRow<ExportedRow>& on_row) override {
    const bool with_traces = traces && HasTable(database_, "traces");
    return WalkPages<ExportedRow>("observations", on_row, [&](Page<ExportedRow>& page) {
      return ReadNumbered(page, reading_.rows, *last_id_,
                          [&](const Statement& at, ExportedRow& row) -> Result<int64_t> {
                            row.row = ObservationAt(at);
                            if (row.row.revision_count > 1)
                              RETURN_IF_ERROR(ReadRevisions(database_, reading_.revisions, row));
                            if (with_traces)
                              RETURN_IF_ERROR(ReadTraceOfRow(database_, Traces(), *last_id_, row));
                            return row.row.id;
                          });
    });
  }

  Status WalkCells(const CellKind& kind, const OnRow<Cell>& on_cell) override {
    if (kind.of_agents && reading_.owners.empty()) return {};
    const CellTable& table =
        *std::ranges::find(CellTables(), &kind, [](auto& t) { return &t.kind; });
    return WalkPages<Cell>(table.table, on_cell, [&](Page<Cell>& page) {
      return table.read(database_, {number_, reading_.owners, reading_.now_ms, page.after},
                        [&](int64_t slot, Cell&& cell) {
                          cell.expires_ms = WallExpiryOf(cell);
                          return page.Add(slot, std::move(cell));
                        });
    });
  }

  Status WalkEpisodes(const OnRow<Episode>& on_episode) override {
    return WalkPages<Episode>("episodes", on_episode, [&](Page<Episode>& page) {
      return ReadEpisodes(database_, number_, reading_.of_store, page.after,
                          [&](Episode&& one) { return page.Add(one.id, std::move(one)); });
    });
  }

  Status WalkTraces(const OnRow<ExportedTrace>& on_trace) override {
    return WalkPages<ExportedTrace>("traces", on_trace, [&](Page<ExportedTrace>& page) {
      return ReadExportedTraces(database_, Traces(), page.after, Adding(page));
    });
  }

  Status WalkWholeTraces(bool vectors, const OnRow<WholeTrace>& on_trace) override {
    return WalkPages<WholeTrace>("observations", on_trace, [&](Page<WholeTrace>& page) {
      TraceReading reading = Traces();
      reading.vectors = vectors;
      return ReadWholeTraces(database_, reading, page.after, Adding(page));
    });
  }

  Status WalkEdges(const OnRow<ExportedEdge>& on_edge) override {
    using Edges = std::vector<ExportedEdge>;
    const auto on_edges = [&](const Edges& edges) -> Status {
      for (const ExportedEdge& edge : edges) RETURN_IF_ERROR(on_edge(edge));
      return {};
    };
    return WalkPages<Edges>("trace_edges", on_edges, [&](Page<Edges>& page) {
      return ReadExportedEdges(database_, Traces(), page.after, Adding(page));
    });
  }

  Status WalkRuns(const OnRow<ConsolidationRun>& on_run) override {
    return WalkPages<ConsolidationRun>(
        "consolidation_log", on_run, [&](Page<ConsolidationRun>& page) -> Result<bool> {
          ASSIGN_OR_RETURN(auto runs,
                           ReadRunsAfter(database_, project_, page.after, reading_.viewer));
          for (LoggedRun& one : runs) page.Add(one.number, std::move(one.run));
          return runs.empty();
        });
  }

 private:
  Status InSnapshot(const std::function<Status()>& read) {
    RETURN_IF_ERROR(database_.BeginReading());
    Status done = read();
    Status ended = database_.EndReading();
    return done ? ended : done;
  }

  // Visits the rows that exist when the walk begins, each as of the read of its page. `read` adds
  // rows after `page.after` until the page is full. → whether the end is reached.
  template <class Row, class Read>
  Status WalkPages(const char* table, const OnRow<Row>& on_row, const Read& read) {
    if (!HasTable(database_, table)) return {};
    RETURN_IF_ERROR(InSnapshot([&] { return FindEnds(); }));
    if (project_ && !number_) return {};
    Page<Row> page;
    do {
      page.rows.clear(), page.bytes = 0;
      RETURN_IF_ERROR(InSnapshot([&]() -> Status {
        ASSIGN_OR_RETURN(page.last, read(page));
        return {};
      }));
      for (const Row& row : page.rows) RETURN_IF_ERROR(on_row(row));
    } while (!page.last);
    return {};
  }

  // The project's number, and at the first walk the last rows of all walks.
  Status FindEnds() {
    if (project_) {
      ASSIGN_OR_RETURN(number_, FindProject(database_, *project_));
    }
    if (last_id_) return {};
    ASSIGN_OR_RETURN(Statement read, database_.Prepare("SELECT (SELECT max(number) FROM sessions), "
                                                       "(SELECT max(id) FROM observations)"));
    ASSIGN_OR_RETURN(bool row, read.Step());
    if (row) last_session_ = read.Int(0), last_id_ = read.Int(1);
    return {};
  }

  // Sessions or observations up to number `last`. `fill` → the number of the row.
  template <class Row, class Fill>
  Result<bool> ReadNumbered(Page<Row>& page, const char* sql, int64_t last, const Fill& fill) {
    ASSIGN_OR_RETURN(Statement read, database_.Prepare(sql));
    read.Bind(number_).Bind(page.after).Bind(last);
    if (reading_.of_store) BindViewer(read, reading_.viewer);
    for (;;) {
      ASSIGN_OR_RETURN(const bool more, read.Step());
      if (!more) return true;
      Row row;
      ASSIGN_OR_RETURN(const int64_t number, fill(read, row));
      if (!page.Add(number, std::move(row))) return false;
    }
  }

  // By the wall clock. A copy of ours has such times; those of another file are of its server's
  // clock of expiry, which may be behind the wall clock by all the time that it was off.
  std::optional<int64_t> WallExpiryOf(const Cell& item) const {
    if (!item.expires_ms) return std::nullopt;
    if (reading_.of_store) return *item.expires_ms + reading_.wall_ms - reading_.now_ms;
    const bool sound = item.created_ms >= 0 && item.created_ms < kMostMs && item.ttl_ns >= 0;
    const auto by_ttl = sound ? ExpiryOf(item.created_ms, item.ttl_ns) : std::nullopt;
    return std::max(*item.expires_ms, by_ttl.value_or(*item.expires_ms));
  }

  TraceReading Traces() const {
    return {number_, reading_.of_store, reading_.wall_ms, reading_.strength,
            false,   reading_.viewer};
  }

  const Reading reading_;
  std::shared_ptr<void> place_;            // among the concurrent exports
  const std::shared_ptr<Database> owned_;  // closed with the cursor, its transaction with it
  Database& database_;
  std::optional<std::string> project_;
  std::optional<int64_t> number_;  // of the project
  int64_t last_session_ = 0;
  std::optional<int64_t> last_id_;  // nullopt: before the first walk
};

}  // namespace

std::shared_ptr<ExportCursor> MakeForeignCursor(std::shared_ptr<Database> database) {
  return std::make_shared<PagedCursor>(std::move(database), kForeign, std::nullopt, nullptr);
}

Result<std::shared_ptr<void>> AcquireExportPlace(std::shared_ptr<std::atomic<int>> running) {
  const bool room = ++*running <= kMaxExports;
  std::shared_ptr<void> place(nullptr, [running](void*) { --*running; });
  if (room) return place;
  return Error{Code::kUnavailable,
               "already " + std::to_string(kMaxExports) + " exports are running; try again"};
}

Result<std::shared_ptr<ExportCursor>> Store::OpenExport(const std::optional<std::string>& project,
                                                        const std::optional<Viewer>& viewer,
                                                        std::vector<std::string> owners) {
  ASSIGN_OR_RETURN(std::shared_ptr<void> place, AcquireExportPlace(state_->exports));
  ASSIGN_OR_RETURN(std::shared_ptr<Database> database, state_->connect());
  if (Status kept = state_->KeepAccesses(); !kept)
    base::LogWarn("an export has older times of access", {{"reason", kept.error().message}});
  if (Status kept = state_->traces->KeepRetrievals(); !kept)
    base::LogWarn("an export has earlier retrievals", {{"reason", kept.error().message}});
  Reading live = kLive;
  live.now_ms = state_->cell_clock->NowMs();
  live.of_store = true;
  live.wall_ms = state_->options.clock->NowMs();
  live.strength = state_->options.strength;
  live.viewer = viewer;
  live.owners = std::move(owners);
  return std::shared_ptr<ExportCursor>(
      std::make_shared<PagedCursor>(std::move(database), live, project, std::move(place)));
}

}  // namespace memory
