// Deletes observations. A hard delete takes what merges left behind the row with it; a part in each
// transaction, so that no write waits long.
#include <algorithm>
#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "memory/model/slots.h"
#include "memory/sqlite/removal/deletions.h"
#include "memory/sqlite/removal/erase_quotes.h"
#include "memory/sqlite/removal/hidden_parts.h"
#include "memory/sqlite/store/state.h"
#include "memory/sqlite/tables/rows.h"
#include "memory/sqlite/tables/waiting.h"
#include "memory/sqlite/traces/trace_rows.h"
#include "memory/sqlite/writing/saving.h"

namespace memory {

using base::Result;
using base::Status;
using sqlite::Database;
using sqlite::Statement;

namespace {

constexpr size_t kErasedAtOnce = 16;  // rows of one transaction
// The window for summaries written during the scan: clocks of callers may differ by as much.
constexpr int64_t kWrittenMeanwhileMs = 60'000;

Status RunOnNumber(Database& database, const char* sql, int64_t number) {
  ASSIGN_OR_RETURN(Statement run, database.Prepare(sql));
  return run.Bind(number).Run();
}

// kNotFound: the id never existed.
Status WasThere(Database& database, int64_t id) {
  ASSIGN_OR_RETURN(Statement read, database.Prepare("SELECT 1 FROM tombstones WHERE id = ?1"));
  ASSIGN_OR_RETURN(const bool was, read.Bind(id).Step());
  return was ? Status() : Status(NoSuchRow(id));
}

}  // namespace

struct SqliteStore::Erasure {
  State& state;
  const int64_t id, now_ms;

  Status Write(const std::function<Status(Database&)>& change) {
    return state.writer->RunAny(change, sqlite::Writer::Room::kGives);
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
    if (!place) return one == id ? WasThere(database, id) : Status();
    if (one != id && place->live) return {};
    RETURN_IF_ERROR(LeadEdgesOn(database, place->slot));
    RETURN_IF_ERROR(RemoveFromIndex(database, place->slot));
    RETURN_IF_ERROR(NoteDeletion(database, state.salt, place->slot));
    RETURN_IF_ERROR(state.eraser.Ask(database, place->slot >> kRangeBits));
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
        for (const int64_t slot : digests)
          RETURN_IF_ERROR(state.eraser.Ask(database, slot >> kRangeBits));
        for (const int64_t one : part) RETURN_IF_ERROR(Remove(database, one));
        return {};
      }));
    }
    return {};
  }
};

Status SqliteStore::Delete(int64_t id, bool hard, int64_t now_ms) {
  Erasure erasure{*state_, id, now_ms};
  if (hard) return erasure.Run();
  return erasure.Write([&](Database& database) -> Status {
    ASSIGN_OR_RETURN(const auto place, FindRow(database, id));
    if (!place) return WasThere(database, id);
    RETURN_IF_ERROR(NoteDeletedSince(database, place->slot));
    return HideInside(database, state_->salt, place->slot, now_ms);
  });
}

Result<QuotingPlaces> SqliteStore::QuotesOf(int64_t id, const std::optional<Viewer>& viewer,
                                            bool callers) {
  constexpr std::chrono::seconds kLongest{5};
  const auto end = std::chrono::steady_clock::now() + kLongest;
  return FindPlaces(
      state_->readers, id, viewer, callers && !viewer,
      std::chrono::duration_cast<std::chrono::milliseconds>(end.time_since_epoch()).count());
}

}  // namespace memory
