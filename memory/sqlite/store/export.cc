// Reads everything in pages. A page is one short snapshot that ends before its rows are sent: a
// slow client of an export holds no WAL (ADR 0035).
#include "memory/sqlite/store/export.h"

#include <algorithm>
#include <limits>

#include "lib/base/process/log.h"
#include "memory/sqlite/episodes/episode_rows.h"
#include "memory/sqlite/items/item_rows.h"
#include "memory/sqlite/store/state.h"
#include "memory/sqlite/tables/rows.h"
#include "memory/sqlite/tables/viewer.h"
#include "memory/sqlite/traces/trace_transfer.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sqlite::Database;
using sqlite::Statement;

namespace {

// The scope of a walk.
struct Reading {
  const char *rows, *revisions;
  int64_t now_ms = INT64_MIN;  // leaves out items expired then
  bool of_store = false;       // the rules of retention apply
  int64_t wall_ms = 0;         // the time for the strength of traces
  StrengthRules strength = {};
  std::optional<Viewer> viewer = {};  // of a store: of its whole project and of its own traces
};
#define MEMORY_OF_PROJECT \
  "AND (?1 IS NULL OR o.project = ?1) AND o.id > ?2 AND o.id <= ?3 ORDER BY o.id"
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
  "WHERE (?1 IS NULL OR s.project = ?1) AND s.number > ?2 AND s.number <= ?3 "
constexpr const char* kSessions = MEMORY_SESSIONS_OF "ORDER BY s.number";
constexpr const char* kSeenSessions =
    MEMORY_SESSIONS_OF MEMORY_SESSION_SEEN_BY("?4", "?5", "?6") "ORDER BY s.number";
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

size_t BytesOf(const ExportedRow& row) {
  size_t bytes = row.row.title.size() + row.row.content.size() + kItemBytes;
  for (const Revision& old : row.revisions) bytes += old.title.size() + old.content.size();
  bytes += row.links.size() * kItemBytes;
  return bytes;
}

size_t WeightOf(const ExportedTrace& trace) {
  return base::DumpJson(trace.metadata).size() + kItemBytes +
         (trace.original ? trace.original->content.size() : 0);
}
size_t WeightOf(const WholeTrace& whole) {
  return whole.trace.content.size() + base::DumpJson(whole.trace.metadata).size() + kItemBytes +
         (whole.original ? whole.original->content.size() : 0);
}
size_t WeightOf(const std::vector<ExportedEdge>& edges) { return edges.size() * kItemBytes; }

class PagedCursor : public ExportCursor {
 public:
  PagedCursor(Database database, const Reading& reading, std::optional<std::string> project,
              std::shared_ptr<void> place)
      : reading_(reading),
        place_(std::move(place)),
        database_(std::move(database)),
        project_(std::move(project)) {}

  // Visits the rows that exist when the walk begins, each as of the read of its page.
  Status Walk(const std::function<Status(const api::Session&)>& on_session,
              const std::function<Status(const ExportedRow&)>& on_observation) override {
    bool known = true;
    RETURN_IF_ERROR(InSnapshot([&] { return FindEnds(known); }));
    if (!known) return {};
    Page<api::Session> sessions;
    do {
      RETURN_IF_ERROR(InSnapshot([&] { return ReadSessions(sessions); }));
      for (const api::Session& session : sessions.items) RETURN_IF_ERROR(on_session(session));
    } while (!sessions.last);
    Page<ExportedRow> rows;
    do {
      RETURN_IF_ERROR(InSnapshot([&] { return ReadRows(rows); }));
      for (const ExportedRow& row : rows.items) RETURN_IF_ERROR(on_observation(row));
    } while (!rows.last);
    return {};
  }

  Status WalkNotes(const std::function<Status(const api::Session&)>& on_session,
                   const std::function<Status(const ExportedRow&)>& on_observation) override {
    with_traces_ = HasTraces(database_);
    return Walk(on_session, on_observation);
  }

  Status WalkItems(const std::function<Status(const ExportedItem&)>& on_item) override {
    if (!HasItems(database_)) return {};
    Page<ExportedItem> page;
    do {
      RETURN_IF_ERROR(InSnapshot([&] { return ReadItemPage(page); }));
      for (const ExportedItem& item : page.items) RETURN_IF_ERROR(on_item(item));
    } while (!page.last);
    return {};
  }

  Status WalkEpisodes(const std::function<Status(const Episode&)>& on_episode) override {
    if (!HasEpisodes(database_)) return {};
    Page<Episode> page;
    do {
      RETURN_IF_ERROR(InSnapshot([&] { return ReadEpisodePage(page); }));
      for (const Episode& episode : page.items) RETURN_IF_ERROR(on_episode(episode));
    } while (!page.last);
    return {};
  }

  Status WalkTraces(const std::function<Status(const ExportedTrace&)>& on_trace) override {
    if (!HasTraces(database_)) return {};
    return WalkSlots<ExportedTrace>(false, ReadExportedTraces, on_trace);
  }

  Status WalkWholeTraces(bool vectors,
                         const std::function<Status(const WholeTrace&)>& on_trace) override {
    return WalkSlots<WholeTrace>(vectors, ReadWholeTraces, on_trace);
  }

  Status WalkEdges(const std::function<Status(const ExportedEdge&)>& on_edge) override {
    if (!HasTraces(database_)) return {};
    return WalkSlots<std::vector<ExportedEdge>>(
        false, ReadExportedEdges, [&](const std::vector<ExportedEdge>& edges) -> Status {
          for (const ExportedEdge& edge : edges) RETURN_IF_ERROR(on_edge(edge));
          return {};
        });
  }

  Status WalkRuns(const std::function<Status(const ConsolidationRun&)>& on_run) override {
    Page<ConsolidationRun> page;
    do {
      RETURN_IF_ERROR(InSnapshot([&]() -> Status {
        page.Clear();
        ASSIGN_OR_RETURN(const auto runs,
                         ReadRunsAfter(database_, project_, page.after, reading_.viewer));
        page.last = runs.empty();
        for (const LoggedRun& one : runs) {
          page.after = one.number;
          page.items.push_back(one.run);
        }
        return {};
      }));
      for (const ConsolidationRun& run : page.items) RETURN_IF_ERROR(on_run(run));
    } while (!page.last);
    return {};
  }

 private:
  template <class Item>
  struct Page {
    std::vector<Item> items;
    size_t bytes = 0;
    int64_t after = std::numeric_limits<int64_t>::min();  // the last key
    bool last = false;
    void Clear() { items.clear(), bytes = 0; }
    bool full() const { return items.size() >= kPageRows || bytes >= kPageBytes; }
  };

  Status InSnapshot(const std::function<Status()>& read) {
    RETURN_IF_ERROR(database_.Execute("BEGIN"));
    Status done = read();
    Status ended = database_.Execute("ROLLBACK");
    return done ? ended : done;
  }

  Status FindEnds(bool& known) {
    if (project_) {
      ASSIGN_OR_RETURN(number_, FindProject(database_, *project_));
      known = number_.has_value();
      if (!known) return {};
    }
    ASSIGN_OR_RETURN(Statement read, database_.Prepare("SELECT (SELECT max(number) FROM sessions), "
                                                       "(SELECT max(id) FROM observations)"));
    ASSIGN_OR_RETURN(bool row, read.Step());
    if (row) last_session_ = read.Int(0), last_id_ = read.Int(1);
    return {};
  }

  void BindPage(Statement& read, int64_t after, int64_t last) const {
    read.Bind(number_);
    read.Bind(after).Bind(last);
    if (reading_.of_store) BindViewer(read, reading_.viewer);
  }

  Status ReadSessions(Page<api::Session>& page) {
    page.Clear();
    ASSIGN_OR_RETURN(Statement read,
                     database_.Prepare(reading_.of_store ? kSeenSessions : kSessions));
    BindPage(read, page.after, last_session_);
    while (!page.full()) {
      ASSIGN_OR_RETURN(bool more, read.Step());
      page.last = !more;
      if (!more) return {};
      page.items.push_back(SessionAt(read));
      page.after = read.Int(SessionColumns::kNumber);
      page.bytes += page.items.back().summary.size() + kItemBytes;
    }
    return {};
  }

  Status ReadRows(Page<ExportedRow>& page) {
    page.Clear();
    ASSIGN_OR_RETURN(Statement read, database_.Prepare(reading_.rows));
    BindPage(read, page.after, last_id_);
    while (!page.full()) {
      ASSIGN_OR_RETURN(bool more, read.Step());
      page.last = !more;
      if (!more) return {};
      ExportedRow row;
      row.row = ObservationAt(read);
      if (row.row.revision_count > 1)
        RETURN_IF_ERROR(ReadRevisions(database_, reading_.revisions, row));
      if (with_traces_) RETURN_IF_ERROR(ReadTraceOfRow(database_, Traces(), last_id_, row));
      page.after = row.row.id;
      page.bytes += BytesOf(row);
      page.items.push_back(std::move(row));
    }
    return {};
  }

  // False: no such project.
  Result<bool> FindNumber() {
    if (!project_) return true;
    ASSIGN_OR_RETURN(number_, FindProject(database_, *project_));
    return number_.has_value();
  }

  Status ReadEpisodePage(Page<Episode>& page) {
    page.Clear();
    ASSIGN_OR_RETURN(const bool known, FindNumber());
    page.last = !known;
    if (!known) return {};
    ASSIGN_OR_RETURN(page.last, ReadEpisodes(database_, number_, reading_.of_store, page.after,
                                             [&](Episode&& episode) {
                                               page.after = episode.id;
                                               page.bytes += episode.summary.size() + kItemBytes;
                                               page.items.push_back(std::move(episode));
                                               return !page.full();
                                             }));
    return {};
  }

  Status ReadItemPage(Page<ExportedItem>& page) {
    page.Clear();
    ASSIGN_OR_RETURN(const bool known, FindNumber());
    page.last = !known;
    if (!known) return {};
    ASSIGN_OR_RETURN(page.last, ReadItems(database_, number_, reading_.now_ms, page.after,
                                          [&](int64_t slot, ExportedItem&& item) {
                                            page.after = slot;
                                            page.bytes +=
                                                base::DumpJson(item.item.value).size() + kItemBytes;
                                            page.items.push_back(std::move(item));
                                            return !page.full();
                                          }));
    return {};
  }

  TraceReading Traces() const {
    return {number_, reading_.of_store, reading_.wall_ms, reading_.strength,
            false,   reading_.viewer};
  }

  // Rows by slots, page by page.
  template <class Item, class Read, class OnItem>
  Status WalkSlots(bool vectors, const Read& read, const OnItem& on_item) {
    ASSIGN_OR_RETURN(const bool known, FindNumber());
    if (!known) return {};
    TraceReading reading = Traces();
    reading.vectors = vectors;
    Page<Item> page;
    do {
      RETURN_IF_ERROR(InSnapshot([&]() -> Status {
        page.Clear();
        ASSIGN_OR_RETURN(page.last,
                         read(database_, reading, page.after, [&](int64_t slot, Item&& item) {
                           page.after = slot;
                           page.bytes += WeightOf(item);
                           page.items.push_back(std::move(item));
                           return !page.full();
                         }));
        return {};
      }));
      for (const Item& item : page.items) RETURN_IF_ERROR(on_item(item));
    } while (!page.last);
    return {};
  }

  const Reading reading_;
  std::shared_ptr<void> place_;  // among the concurrent exports
  Database database_;            // closed with the cursor, its transaction with it
  std::optional<std::string> project_;
  std::optional<int64_t> number_;  // of the project
  int64_t last_session_ = 0, last_id_ = 0;
  bool with_traces_ = false;
};

}  // namespace

std::shared_ptr<ExportCursor> MakeForeignCursor(Database database) {
  return std::make_shared<PagedCursor>(std::move(database), kForeign, std::nullopt, nullptr);
}

Result<std::shared_ptr<void>> TakeExportPlace(std::shared_ptr<std::atomic<int>> running) {
  const bool room = ++*running <= kMaxExports;
  std::shared_ptr<void> place(nullptr, [running](void*) { --*running; });
  if (room) return place;
  return Error{Code::kUnavailable,
               "already " + std::to_string(kMaxExports) + " exports are running; try again"};
}

Result<std::shared_ptr<ExportCursor>> SqliteStore::OpenExport(
    const std::optional<std::string>& project, const std::optional<Viewer>& viewer) {
  ASSIGN_OR_RETURN(std::shared_ptr<void> place, TakeExportPlace(state_->exports));
  ASSIGN_OR_RETURN(Database database, Database::Open(state_->path, state_->Reading()));
  RETURN_IF_ERROR(Liveness::RegisterFunction(state_->liveness, database));
  if (Status kept = state_->items->KeepAccesses(); !kept)
    base::LogWarn("an export has older times of access", {{"reason", kept.error().message}});
  if (Status kept = state_->traces->KeepRetrievals(); !kept)
    base::LogWarn("an export has earlier retrievals", {{"reason", kept.error().message}});
  Reading live = kLive;
  live.now_ms = state_->items->AgedMs();
  live.of_store = true;
  live.wall_ms = state_->options.clock->NowMs();
  live.strength = state_->options.strength;
  live.viewer = viewer;
  return std::shared_ptr<ExportCursor>(
      std::make_shared<PagedCursor>(std::move(database), live, project, std::move(place)));
}

}  // namespace memory
