// The memory of one tenant: what is kept, and what is found. No call takes a tenant. Times of
// writes come from the caller; the engine's clock says what is over. No engine shows here: no SQL,
// no rowids, no match text.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/api/memory_api.h"
#include "lib/base/result.h"
#include "lib/conversation/routes/host.h"
#include "memory/model/retention.h"
#include "memory/store/consolidation.h"
#include "memory/store/episodes.h"
#include "memory/store/items.h"
#include "memory/store/reads.h"
#include "memory/store/shared_items.h"
#include "memory/store/traces.h"
#include "memory/store/transfers.h"
#include "memory/store/turns.h"
#include "memory/store/writes.h"
#include "memory/volume/spool.h"

namespace memory {

// Any thread. Writes return after their commit is on the disk. Errors: kNotFound, kConflict, kFull,
// kUnavailable (overloaded, a sync failed, or a read took longer than it may), kInvalid.
class Store {
 public:
  virtual ~Store() = default;

  // An unknown session is made in the observation's project; one of another project is kConflict. A
  // row's origin is its source's when that is a known class, else user. A row whose topic is
  // written again has the lower class of both from then on. A user's row is not changed by others
  // without `replace_user`: an agent is told so (kDenied), what a rule or an import brings becomes
  // a row without the topic.
  virtual base::Result<Saved> Save(const api::NewObservation& observation, const RequestKey& key,
                                   int64_t now_ms) = 0;
  virtual base::Result<api::Observation> Update(int64_t id, const Patch& patch, int64_t now_ms) = 0;
  // Soft or hard, in any order and number; kNotFound for an id that never was. A hard delete also
  // takes quotes of the row out of the summaries there are, and has all its words erased soon after
  // it was answered.
  virtual base::Status Delete(int64_t id, bool hard, int64_t now_ms) = 0;
  // Idempotent: an existing session of the same project is returned unchanged; of another project:
  // kConflict.
  virtual base::Result<api::Session> StartSession(const std::string& id, const std::string& project,
                                                  const std::string& predecessor,
                                                  int64_t now_ms) = 0;
  virtual base::Result<api::Session> EndSession(const std::string& id, const SessionEnd& end,
                                                int64_t now_ms) = 0;
  // Imports keep ids, times and counts where they are free, never overwrite a row, and restore no
  // row that was deleted here. One transaction per call, one outcome per row: a conflict refuses
  // its row alone.
  using ImportOutcomes = std::vector<base::Result<Imported>>;
  virtual base::Result<ImportOutcomes> Import(const std::vector<api::Session>& sessions) = 0;
  virtual base::Result<ImportOutcomes> Import(const std::vector<ExportedRow>& rows,
                                              const ImportOptions& options) = 0;

  virtual base::Result<api::Observation> Get(int64_t id) = 0;
  // The row as it was: what a revision does not keep (session, project, scope, topic key) is
  // today's. kNotFound: there is no such revision, or retention removed it.
  virtual base::Result<api::Observation> GetRevision(int64_t id, int64_t revision) = 0;
  // Those before number `before`, oldest first, the present one last: the newest `limit` of them,
  // or as many as an answer holds.
  virtual base::Result<std::vector<Revision>> Revisions(int64_t id, int64_t before = INT64_MAX,
                                                        size_t limit = SIZE_MAX) = 0;
  // False: it is a trace of another user, Agent or conversation. What is not there is seen.
  virtual base::Result<bool> IsSeenBy(const Viewer& viewer, int64_t id) = 0;
  virtual base::Result<std::vector<api::Observation>> Recent(
      const Filter& filter) = 0;  // newest change first
  virtual base::Result<std::vector<api::Session>> RecentSessions(
      const std::optional<std::string>& project, size_t limit, const SessionKey& before = {}) = 0;
  // Rows that hold a word of the text (or its topic key) or mean what it means, best first.
  // `operators`: the text is an FTS5 expression, and words alone count, as with `as_of_ms`. Rows of
  // scope global are found from every project.
  virtual base::Result<SearchResult> Search(const Filter& filter, const std::string& text,
                                            bool operators) = 0;
  // As Search, with the neighbours of matches, filled up by recency; without text by recency alone.
  virtual base::Result<SearchResult> Recall(const Filter& filter, const std::string& text) = 0;
  // Sessions with a summary, newest end first; only summaries written until `until_ms`.
  virtual base::Result<std::vector<api::Session>> Summaries(
      const std::optional<std::string>& project, size_t limit, int64_t until_ms = INT64_MAX) = 0;
  // The rows of the same session around one, in order of time; itself included. `around`: beside
  // this row of the session instead, which may be deleted, and without it; kInvalid: it is none.
  virtual base::Result<std::vector<api::Observation>> Timeline(
      int64_t id, size_t before, size_t after, std::optional<int64_t> around = {}) = 0;
  virtual base::Result<Totals> Count(const std::optional<std::string>& project) = 0;
  // A cursor over all rows, or over the rows of a project. At most two at a time (else
  // kUnavailable), on connections of their own, so that a slow client blocks no other reader.
  virtual base::Result<std::shared_ptr<ExportCursor>> OpenExport(
      const std::optional<std::string>& project) = 0;
  // The same as one file of the engine, with the index, without deleted rows; counts as one of the
  // two.
  virtual base::Result<Spool> Copy(const std::optional<std::string>& project) = 0;
  // On the store's volume; it counts for the budget of uploads, as what Copy makes.
  virtual base::Result<Spool> NewUpload() = 0;
  // Walks over a file that Copy made, here or elsewhere. kInvalid: it is anything else. Its rows
  // may still be what no store would keep.
  virtual base::Result<std::shared_ptr<ExportCursor>> OpenCopy(const std::string& path) = 0;
  // The same of a brain of AgentOS; null: the file is none.
  virtual base::Result<std::shared_ptr<BrainCursor>> OpenBrain(const std::string& path) = 0;

  // A project's own rules, in force at once; none: those of the options again. Durable.
  virtual base::Status SetRetention(const std::string& project, const RetentionRules& rules) = 0;
  virtual base::Result<RetentionRules> Retention(const std::string& project) = 0;  // in force

  // The conversations of one caller, the account within the tenant; empty: of all that have no
  // name. Lives no longer than the store.
  virtual std::unique_ptr<conversation::Host> Conversations(const std::string& caller) = 0;
  // Saves the episode and its observation, of the class of `source`. The same summary of the same
  // conversation again is the first one, and so is what a key stands for.
  virtual base::Result<EpisodeSaved> SaveEpisode(const Episode& episode, const api::Source& source,
                                                 const RequestKey& key, int64_t now_ms) = 0;
  // Best first.
  virtual base::Result<std::vector<FoundEpisode>> SearchEpisodes(
      const EpisodeQuestion& question) = 0;
  // Of a conversation, oldest first, as many as an answer holds.
  virtual base::Result<std::vector<Episode>> EpisodesOf(const std::string& project,
                                                        const std::string& conversation) = 0;
  // Behind the import of their observations; → for each whether it was taken: not one that is here,
  // nor one whose observation is not.
  virtual base::Result<std::vector<bool>> ImportEpisodes(const std::vector<Episode>& episodes) = 0;

  virtual Items& items() = 0;  // lives as long as the store

  virtual SharedItems& shared() = 0;  // lives as long as the store

  virtual Traces& traces() = 0;                // lives as long as the store
  virtual Consolidation& consolidation() = 0;  // lives as long as the store
  virtual Turns& turns() = 0;                  // lives as long as the store

  virtual bool Failed() const = 0;  // a sync failed: no write is acknowledged any more
};

}  // namespace memory
