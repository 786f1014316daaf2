// Walking over a snapshot of everything.
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

constexpr int kMaxExports = 2;

class SnapshotCursor : public ExportCursor {
 public:
  SnapshotCursor(std::atomic<int>& open, std::unique_ptr<Reader> reader,
                 std::optional<std::string> project)
      : open_(open), reader_(std::move(reader)), project_(std::move(project)) {}
  ~SnapshotCursor() override { --open_; }

  Status Walk(const std::function<Status(const api::Session&)>& on_session,
              const std::function<Status(const api::Observation&)>& on_observation) override {
    Database& database = reader_->database;
    RETURN_IF_ERROR(database.Execute("BEGIN"));
    std::optional<int64_t> number;
    if (project_) {
      ASSIGN_OR_RETURN(number, FindProject(database, *project_));
      if (!number) return {};
    }
    auto bind = [&](Statement& read) {
      if (number)
        read.Bind(*number);
      else
        read.BindNull();
    };
    ASSIGN_OR_RETURN(Statement sessions,
                     database.Prepare(MEMORY_SELECT_SESSION
                                      "WHERE (?1 IS NULL OR s.project = ?1) ORDER BY s.number"));
    bind(sessions);
    for (;;) {
      ASSIGN_OR_RETURN(bool row, sessions.Step());
      if (!row) break;
      RETURN_IF_ERROR(on_session(SessionAt(sessions)));
    }
    ASSIGN_OR_RETURN(
        Statement rows,
        database.Prepare(MEMORY_SELECT_OBSERVATION
                         "WHERE o.deleted_ms IS NULL AND (?1 IS NULL OR o.project = ?1) "
                         "ORDER BY o.id"));
    bind(rows);
    for (;;) {
      ASSIGN_OR_RETURN(bool row, rows.Step());
      if (!row) return {};
      RETURN_IF_ERROR(on_observation(ObservationAt(rows)));
    }
  }

 private:
  std::atomic<int>& open_;
  std::unique_ptr<Reader> reader_;  // closed with the cursor, its transaction with it
  std::optional<std::string> project_;
};

}  // namespace

Result<std::shared_ptr<ExportCursor>> Store::OpenExport(const std::optional<std::string>& project) {
  if (++state_->exports > kMaxExports) {
    --state_->exports;
    return Error{Code::kUnavailable,
                 "already " + std::to_string(kMaxExports) + " exports are running; try again"};
  }
  Result<std::unique_ptr<Reader>> reader = OpenReader(state_->path);
  if (!reader) {
    --state_->exports;
    return reader.error();
  }
  return std::shared_ptr<ExportCursor>(
      std::make_shared<SnapshotCursor>(state_->exports, std::move(*reader), project));
}

}  // namespace memory
