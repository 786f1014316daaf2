// Saves, changes and deletes observations. Every call is one item on the writer's thread: its reads
// and writes are one transaction, so that no two writers race.
#include "lib/base/json/json.h"
#include "memory/model/dedup.h"
#include "memory/model/slots.h"
#include "memory/model/words.h"
#include "memory/sqlite/removal/deletions.h"
#include "memory/sqlite/removal/erase_quotes.h"
#include "memory/sqlite/store/state.h"
#include "memory/sqlite/tables/keys.h"
#include "memory/sqlite/tables/retired.h"
#include "memory/sqlite/tables/rows.h"
#include "memory/sqlite/tables/twins.h"
#include "memory/sqlite/tables/vectors.h"
#include "memory/sqlite/tables/waiting.h"
#include "memory/sqlite/writing/saving.h"

namespace memory {

using api::Observation;
using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sqlite::Database;
using sqlite::Statement;

namespace {

// The window for summaries written during the scan: clocks of callers may differ by as much.
constexpr int64_t kWrittenMeanwhileMs = 60'000;

}  // namespace

Result<Saved> SqliteStore::Save(const api::NewObservation& observation, const RequestKey& key,
                                int64_t now_ms) {
  RETURN_IF_ERROR(state_->AdmitGrowth());
  const Saving saving(observation, state_->Facts(observation.title, observation.content),
                      state_->salt, state_->options.dedup_window_ms, now_ms);
  const KeyOfCaller kept(key, saving.made, state_->salt);
  const int64_t kept_ms = state_->options.idempotency_ms;
  return state_->writer->Run<Saved>([&](Database& database) -> Result<Saved> {
    if (!key.key.empty()) {
      ASSIGN_OR_RETURN(std::optional<Saved> answer, FindAnswer(database, kept, now_ms - kept_ms));
      if (answer) return std::move(*answer);
    }
    ASSIGN_OR_RETURN(const Saved saved, SaveInside(database, saving));
    if (!key.key.empty()) RETURN_IF_ERROR(KeepAnswer(database, kept, saved, now_ms, kept_ms));
    return saved;
  });
}

Result<Observation> SqliteStore::Update(int64_t id, const Patch& patch, int64_t now_ms) {
  RETURN_IF_ERROR(state_->AdmitGrowth());
  return state_->writer->Run<Observation>([&](Database& database) {
    return ChangeInside(
        database, id, patch,
        [&](const std::string& title, const std::string& content) {
          return state_->Facts(title, content);
        },
        now_ms);
  });
}

Status SqliteStore::Delete(int64_t id, bool hard, int64_t now_ms) {
  std::vector<int64_t> quoting;  // sessions
  if (hard) {
    ASSIGN_OR_RETURN(quoting, FindQuoting(state_->readers, id));
  }
  auto take_away = [&](Database& database) -> Status {
    ASSIGN_OR_RETURN(std::optional<Place> place, FindRow(database, id));
    if (!place) {
      ASSIGN_OR_RETURN(Statement read, database.Prepare("SELECT 1 FROM tombstones WHERE id = ?1"));
      read.Bind(id);
      ASSIGN_OR_RETURN(bool was, read.Step());
      return was ? Status() : Status(NoSuchRow(id));
    }
    if (!hard) return HideInside(database, state_->salt, place->slot, now_ms);
    RETURN_IF_ERROR(RemoveFromIndex(database, place->slot));
    RETURN_IF_ERROR(NoteDeletion(database, state_->salt, place->slot));
    RETURN_IF_ERROR(EraseQuotes(database, id, quoting, now_ms - kWrittenMeanwhileMs));
    RETURN_IF_ERROR(state_->eraser.Ask(database, place->slot >> kRangeBits));
    ASSIGN_OR_RETURN(Statement remove,
                     database.Prepare("DELETE FROM observations WHERE slot = ?1"));
    RETURN_IF_ERROR(remove.Bind(place->slot).Run());
    ASSIGN_OR_RETURN(Statement forget, database.Prepare("DELETE FROM revisions WHERE id = ?1"));
    RETURN_IF_ERROR(forget.Bind(id).Run());
    ASSIGN_OR_RETURN(Statement mark, database.Prepare("INSERT INTO tombstones VALUES(?1, ?2)"));
    return mark.Bind(id).Bind(now_ms).Run();
  };
  return state_->writer->RunAny(take_away, sqlite::Writer::Room::kGives);
}

}  // namespace memory
