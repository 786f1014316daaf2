// Walking over a snapshot of everything.
#include "memory/store_export.h"

#include <algorithm>

#include "memory/store_rows.h"
#include "memory/store_state.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sqlite::Database;
using sqlite::Statement;

namespace {

// What a walk reads.
struct Reading {
  const char *rows, *revisions;
};
#define MEMORY_OF_PROJECT "AND (?1 IS NULL OR o.project = ?1) ORDER BY o.id"
#define MEMORY_REVISIONS                                                                         \
  "SELECT revision, replaced_ms, written_ms, type, title, content, origin, tags FROM revisions " \
  "WHERE id = ?1 "
constexpr Reading kLive = {
    MEMORY_SELECT_OBSERVATION "WHERE " MEMORY_LIVE MEMORY_OF_PROJECT, MEMORY_REVISIONS
    "AND replaced_ms > (SELECT kept_since(o.project, o.scope, o.type) FROM observations o WHERE "
    "o.id = ?1) ORDER BY revision DESC"};
// Of a file from elsewhere, where our clock and rules mean nothing.
constexpr Reading kForeign = {MEMORY_SELECT_OBSERVATION
                              "WHERE o.deleted_ms IS NULL " MEMORY_OF_PROJECT,
                              MEMORY_REVISIONS "ORDER BY revision DESC"};
constexpr int kMaxExports = 2;
constexpr size_t kMaxRevisionBytes = 8 << 20;  // of one row: an import takes it as one element

// Newest first, as many as fit; handed on oldest first.
Status ReadRevisions(Database& database, const char* sql, ExportedRow& row) {
  ASSIGN_OR_RETURN(Statement read, database.Prepare(sql));
  read.Bind(row.row.id);
  for (size_t bytes = 0; bytes <= kMaxRevisionBytes;) {
    ASSIGN_OR_RETURN(bool more, read.Step());
    if (!more) break;
    Revision old{read.Int(0),  read.Int(1),  read.Int(2),  read.Text(3),
                 read.Text(4), read.Text(5), read.Text(6), TagsOf(read.Text(7))};
    bytes += old.title.size() + old.content.size() + 1000;
    row.revisions.push_back(std::move(old));
  }
  std::reverse(row.revisions.begin(), row.revisions.end());
  return {};
}

class SnapshotCursor : public ExportCursor {
 public:
  SnapshotCursor(Database database, const Reading& reading, std::optional<std::string> project,
                 std::shared_ptr<void> place)
      : reading_(reading),
        place_(std::move(place)),
        database_(std::move(database)),
        project_(std::move(project)) {}

  Status Walk(const std::function<Status(const api::Session&)>& on_session,
              const std::function<Status(const ExportedRow&)>& on_observation) override {
    RETURN_IF_ERROR(database_.Execute("BEGIN"));
    std::optional<int64_t> number;
    if (project_) {
      ASSIGN_OR_RETURN(number, FindProject(database_, *project_));
      if (!number) return {};
    }
    auto bind = [&](Statement& read) {
      if (number)
        read.Bind(*number);
      else
        read.BindNull();
    };
    ASSIGN_OR_RETURN(Statement sessions,
                     database_.Prepare(MEMORY_SELECT_SESSION
                                       "WHERE (?1 IS NULL OR s.project = ?1) ORDER BY s.number"));
    bind(sessions);
    for (;;) {
      ASSIGN_OR_RETURN(bool row, sessions.Step());
      if (!row) break;
      RETURN_IF_ERROR(on_session(SessionAt(sessions)));
    }
    ASSIGN_OR_RETURN(Statement rows, database_.Prepare(reading_.rows));
    bind(rows);
    for (;;) {
      ASSIGN_OR_RETURN(bool more, rows.Step());
      if (!more) return {};
      ExportedRow row{ObservationAt(rows), {}};
      if (row.row.revision_count > 1)
        RETURN_IF_ERROR(ReadRevisions(database_, reading_.revisions, row));
      RETURN_IF_ERROR(on_observation(row));
    }
  }

 private:
  const Reading reading_;
  std::shared_ptr<void> place_;  // among the exports that may run at a time
  Database database_;            // closed with the cursor, its transaction with it
  std::optional<std::string> project_;
};

}  // namespace

std::shared_ptr<ExportCursor> MakeForeignCursor(Database database) {
  return std::make_shared<SnapshotCursor>(std::move(database), kForeign, std::nullopt, nullptr);
}

Result<std::shared_ptr<void>> TakeExportPlace(std::shared_ptr<std::atomic<int>> running) {
  const bool room = ++*running <= kMaxExports;
  std::shared_ptr<void> place(nullptr, [running](void*) { --*running; });
  if (room) return place;
  return Error{Code::kUnavailable,
               "already " + std::to_string(kMaxExports) + " exports are running; try again"};
}

Result<std::shared_ptr<ExportCursor>> Store::OpenExport(const std::optional<std::string>& project) {
  ASSIGN_OR_RETURN(std::shared_ptr<void> place, TakeExportPlace(state_->exports));
  ASSIGN_OR_RETURN(Database database, Database::Open(state_->path, state_->Reading()));
  RETURN_IF_ERROR(Lifetimes::Teach(state_->lifetimes, database));
  return std::shared_ptr<ExportCursor>(
      std::make_shared<SnapshotCursor>(std::move(database), kLive, project, std::move(place)));
}

}  // namespace memory
