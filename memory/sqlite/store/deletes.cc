// Deletes observations and undoes soft deletes. A hard delete takes what merges left behind the row
// with it; a part in each transaction, so that no write waits long.
#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/base/limits/answer_charge.h"
#include "memory/keeping/deletions.h"
#include "memory/model/slots.h"
#include "memory/sqlite/removal/erase_quotes.h"
#include "memory/sqlite/removal/hidden_parts.h"
#include "memory/sqlite/store/state.h"
#include "memory/sqlite/tables/retired.h"
#include "memory/sqlite/tables/rows.h"
#include "memory/sqlite/tables/viewer.h"
#include "memory/sqlite/tables/waiting.h"
#include "memory/sqlite/writing/observation_rows.h"
#include "memory/store/answer_limit.h"

namespace memory {

using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

namespace {

constexpr size_t kErasedAtOnce = 16;  // rows of one transaction
// The window for summaries written during the scan: clocks of callers may differ by as much.
constexpr int64_t kWrittenMeanwhileMs = 60'000;

Status RunOnNumber(Database& database, const char* sql, int64_t number) {
  ASSIGN_OR_RETURN(Statement run, database.Prepare(sql));
  return run.Bind(number).Run();
}

struct Erasure {
  StoreState& state;
  const int64_t id, now_ms;

  Status Write(const std::function<Status(Database&)>& change) {
    return state.writer->RunAny(change, sql::Writer::Space::kFrees);
  }

  // Rows with many edges to them, a part of the edges at once.
  Status Unlink(int64_t one) {
    for (bool done = false; !done;) {
      RETURN_IF_ERROR(Write([&](Database& database) -> Status {
        ASSIGN_OR_RETURN(const auto place, FindRow(database, one));
        done = !place;
        if (done) return {};
        ASSIGN_OR_RETURN(done, LeadEdgesOn(database, place->slot));
        return {};
      }));
    }
    return {};
  }

  // A hidden part that came back meanwhile stays.
  Status Remove(Database& database, int64_t one) {
    ASSIGN_OR_RETURN(const auto place, FindRow(database, one));
    SqliteObservations rows(database);
    if (!place) return one == id ? WasThere(rows, id) : Status();
    if (one != id && place->live) return {};
    RETURN_IF_ERROR(LeadEdgesOn(database, place->slot));
    RETURN_IF_ERROR(RemoveFromIndex(database, place->slot));
    RETURN_IF_ERROR(NoteDeletion(rows.deletions(), state.salt, place->slot));
    RETURN_IF_ERROR(state.RequestErasure(database, place->slot));
    RETURN_IF_ERROR(RunOnNumber(database, "DELETE FROM observations WHERE slot = ?1", place->slot));
    RETURN_IF_ERROR(RunOnNumber(database, "DELETE FROM revisions WHERE id = ?1", one));
    ASSIGN_OR_RETURN(Statement mark, database.Prepare("INSERT INTO tombstones VALUES(?1, ?2)"));
    return mark.Bind(one).Bind(now_ms).Run();
  }

  // The row goes last: after an error the call can be repeated.
  Status Run() {
    std::vector<int64_t> ids, linked;
    {
      ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(state.readers));
      ASSIGN_OR_RETURN(ids, FindHiddenParts(snapshot.database(), id));
      ids.push_back(id);
      for (const int64_t one : ids) {
        ASSIGN_OR_RETURN(const bool many, HasManyEdges(snapshot.database(), one));
        if (many) linked.push_back(one);
      }
    }
    for (const int64_t one : linked) RETURN_IF_ERROR(Unlink(one));
    for (size_t first = 0; first < ids.size(); first += kErasedAtOnce) {
      const auto part = std::span(ids).subspan(first, std::min(kErasedAtOnce, ids.size() - first));
      ASSIGN_OR_RETURN(const auto quoting, FindQuoting(state.readers, part));
      RETURN_IF_ERROR(Write([&](Database& database) -> Status {
        ASSIGN_OR_RETURN(const auto digests,
                         EraseQuotes(database, part, quoting, now_ms - kWrittenMeanwhileMs,
                                     [&](const std::string& title, const std::string& content) {
                                       return state.Facts(title, content);
                                     }));
        for (const int64_t slot : digests) RETURN_IF_ERROR(state.RequestErasure(database, slot));
        for (const int64_t one : part) RETURN_IF_ERROR(Remove(database, one));
        return {};
      }));
    }
    return {};
  }
};

}  // namespace

Status Store::Delete(int64_t id, bool hard, int64_t now_ms) {
  Erasure erasure{*state_, id, now_ms};
  if (hard) return erasure.Run();
  return erasure.Write([&](Database& database) {
    SqliteObservations rows(database);
    return HideObservation(rows, id, state_->salt, now_ms);
  });
}

Result<api::Observation> Store::Restore(int64_t id) {
  RETURN_IF_ERROR(state_->AdmitGrowth());
  return state_->writer->Run<api::Observation>([&](Database& database) {
    SqliteObservations rows(database);
    return ShowObservation(rows, id, state_->salt, state_->liveness->NowMs());
  });
}

Result<std::vector<HiddenRow>> StoreReads::HiddenRows(const Filter& filter) {
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(state_->readers, filter.stop));
  Database& database = snapshot.database();
  std::optional<int64_t> project;
  if (filter.project) {
    ASSIGN_OR_RETURN(project, FindProject(database, *filter.project));
    if (!project) return std::vector<HiddenRow>();
  }
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare(
          "SELECT o.slot, o.deleted_ms FROM observations o WHERE "
          "(CAST(?1 AS BIGINT) IS NULL OR o.project = ?1) AND (CAST(?2 AS TEXT) IS NULL OR o.type "
          "= "
          "?2) AND (CAST(?3 AS TEXT) IS NULL OR o.scope = ?3) AND " MEMORY_HIDDEN MEMORY_SEEN_BY(
              "?5", "?6", "?7") "ORDER BY o.deleted_ms DESC, o.id DESC LIMIT ?4"));
  read.Bind(project).Bind(filter.type).Bind(filter.scope);
  BindViewer(read.Bind(static_cast<int64_t>(filter.limit)), filter.viewer);
  std::vector<HiddenRow> rows;
  base::AnswerCharge charge;
  size_t bytes = 0;
  RETURN_IF_ERROR(read.ForEachRow([&](const Statement& at) -> Result<bool> {
    ASSIGN_OR_RETURN(api::Observation row, ReadRow(database, at.Int(0)));
    bytes += AnswerBytes(row);
    RETURN_IF_ERROR(charge.Add(AnswerBytes(row)));
    rows.push_back({std::move(row), at.Int(1)});
    return bytes <= kAnswerBytes;
  }));
  return rows;
}

Result<QuotingPlaces> StoreReads::QuotesOf(int64_t id, const std::optional<Viewer>& viewer,
                                           bool callers) {
  constexpr std::chrono::seconds kLongest{5};
  const auto end = std::chrono::steady_clock::now() + kLongest;
  return FindPlaces(
      state_->readers, id, viewer, callers && !viewer,
      std::chrono::duration_cast<std::chrono::milliseconds>(end.time_since_epoch()).count());
}

}  // namespace memory
