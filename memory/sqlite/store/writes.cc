// Saves and changes observations. Every call is one item on the writer's thread: its reads
// and writes are one transaction, so that no two writers race.
#include "memory/keeping/keys.h"
#include "memory/keeping/retelling.h"
#include "memory/model/words.h"
#include "memory/sqlite/store/state.h"
#include "memory/sqlite/tables/keys.h"
#include "memory/sqlite/tables/rows.h"
#include "memory/sqlite/writing/observation_rows.h"

namespace memory {

using api::Observation;
using base::Result;
using sql::Database;

Result<Saved> Store::Save(const api::NewObservation& observation, const RequestKey& key,
                          int64_t now_ms) {
  RETURN_IF_ERROR(state_->AdmitGrowth());
  Saving saving(observation, state_->Facts(observation.title, observation.content), state_->salt,
                state_->options.dedup_window_ms, now_ms);
  if (MayRetell(saving.made)) saving.said.emplace(saving.made.title, saving.made.content);
  const KeyOfCaller kept(key, saving.made, state_->salt, state_->options.idempotency_ms);
  return state_->writer->Run<Saved>([&](Database& database) -> Result<Saved> {
    SqliteAnswers answers(database);
    ASSIGN_OR_RETURN(std::optional<Saved> answer, FindAnswer(answers, kept, now_ms));
    if (answer) return std::move(*answer);
    ASSIGN_OR_RETURN(const Saved saved, SaveInside(database, saving));
    RETURN_IF_ERROR(KeepAnswer(answers, kept, saved, now_ms));
    return saved;
  });
}

Result<Observation> Store::Update(int64_t id, const Patch& patch, int64_t now_ms) {
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

}  // namespace memory
