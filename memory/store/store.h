// The memory of one tenant; no call takes a tenant. Times of writes come from the caller; expiry
// uses the engine's clock. Independent of the engine: no SQL, no rowids, no match expressions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/api/memory_api.h"
#include "lib/base/result.h"
#include "lib/conversation/routes/host.h"
#include "memory/keeping/items.h"
#include "memory/keeping/shared_items.h"
#include "memory/model/retention.h"
#include "memory/rows/writes.h"
#include "memory/store/consolidation.h"
#include "memory/store/episodes.h"
#include "memory/store/reads.h"
#include "memory/store/traces.h"
#include "memory/store/transfers.h"
#include "memory/store/turns.h"
#include "memory/volume/spool.h"

namespace memory {

// Any thread. Writes return after their commit is synced to disk. Errors: kNotFound, kConflict,
// kFull, kUnavailable (overload, a failed sync, or a read over its time limit), kInvalid.
class Store {
 public:
  virtual ~Store() = default;

  // Creates an unknown session in the observation's project; a session of another project is
  // kConflict. A row has the trust class of its source if known, else user; a row whose topic is
  // written again gets the lower class of both. Without `replace_user` only users change a user's
  // row: an agent gets kDenied, a rule or an import stores a row without the topic.
  virtual base::Result<Saved> Save(const api::NewObservation& observation, const RequestKey& key,
                                   int64_t now_ms) = 0;
  virtual base::Result<api::Observation> Update(int64_t id, const Patch& patch, int64_t now_ms) = 0;
  // Soft or hard; idempotent. kNotFound: the id never existed. A hard delete also removes quotes of
  // the row from summaries and digests of sessions, and erases its words from the file soon after
  // the answer.
  virtual base::Status Delete(int64_t id, bool hard, int64_t now_ms) = 0;
  // Undoes a soft delete. A live row stays as it is. kNotFound: the id never existed, or was
  // erased; kConflict: another row has its topic now, retention hid it, or it is a part of a merged
  // trace.
  virtual base::Result<api::Observation> Restore(int64_t id) = 0;
  // The rows that Restore takes back, the one hidden last first.
  virtual base::Result<std::vector<HiddenRow>> HiddenRows(const Filter& filter) = 0;
  // The texts that quote a row and stay when it is erased, since they are rows of their own; with a
  // viewer those that it sees. `callers`: also those of single callers, such as conversations.
  // Reads the whole store, for at most 5 s.
  virtual base::Result<QuotingPlaces> QuotesOf(int64_t id, const std::optional<Viewer>& viewer,
                                               bool callers) = 0;
  // Idempotent: an existing session of the same project is returned unchanged; of another project:
  // kConflict.
  virtual base::Result<api::Session> StartSession(const std::string& id, const std::string& project,
                                                  const std::string& predecessor,
                                                  int64_t now_ms) = 0;
  virtual base::Result<api::Session> EndSession(const std::string& id, const SessionEnd& end,
                                                int64_t now_ms) = 0;
  // Imports keep ids, times and counts if they are free, never overwrite a row, and restore no row
  // that was deleted here. One transaction per call, one outcome per row: a conflict refuses only
  // its row.
  using ImportOutcomes = std::vector<base::Result<Imported>>;
  virtual base::Result<ImportOutcomes> Import(const std::vector<api::Session>& sessions) = 0;
  virtual base::Result<ImportOutcomes> Import(const std::vector<ExportedRow>& rows,
                                              const ImportOptions& options) = 0;

  virtual base::Result<api::Observation> Get(int64_t id) = 0;
  // An earlier version of a row; session, project, scope and topic key, which revisions do not
  // keep, are the present ones. kNotFound: no such revision, or retention removed it.
  virtual base::Result<api::Observation> GetRevision(int64_t id, int64_t revision) = 0;
  // The newest `limit` revisions before number `before`, oldest first, the present one last; fewer
  // if an answer cannot hold them.
  virtual base::Result<std::vector<Revision>> Revisions(int64_t id, int64_t before = INT64_MAX,
                                                        size_t limit = SIZE_MAX) = 0;
  // False: it is a trace of another user, Agent or conversation. True for missing ids.
  virtual base::Result<bool> IsSeenBy(const Viewer& viewer, int64_t id) = 0;
  virtual base::Result<std::vector<api::Observation>> Recent(
      const Filter& filter) = 0;  // newest change first
  virtual base::Result<std::vector<api::Session>> RecentSessions(
      const std::optional<std::string>& project, size_t limit, const SessionKey& before = {},
      const std::optional<Viewer>& viewer = {}) = 0;
  // Rows that match the text by words, topic key or meaning, best first. `operators`: the text is
  // an FTS5 expression, and only words count, as with `as_of_ms`. Every project finds rows of scope
  // global.
  virtual base::Result<SearchResult> Search(const Filter& filter, const std::string& text,
                                            bool operators) = 0;
  // Like Search, with the neighbours of matches, then by recency; without text by recency only.
  virtual base::Result<SearchResult> Recall(const Filter& filter, const std::string& text) = 0;
  // Sessions with a summary, newest end first; only summaries written until `until_ms`.
  virtual base::Result<std::vector<api::Session>> Summaries(
      const std::optional<std::string>& project, size_t limit, int64_t until_ms = INT64_MAX) = 0;
  // The rows of the same session around a row, in order of time, including it. `around`: instead
  // around this row of the session, which may be deleted, and without it; kInvalid: it is not of
  // the session. With a viewer: of what it sees.
  virtual base::Result<std::vector<api::Observation>> Timeline(
      int64_t id, size_t before, size_t after, std::optional<int64_t> around = {},
      const std::optional<Viewer>& viewer = {}) = 0;
  virtual base::Result<Totals> Count(const std::optional<std::string>& project,
                                     const std::optional<Viewer>& viewer = {}) = 0;
  // A cursor over all rows, or over the rows of a project; with a viewer over what it sees.
  // `owners`, in order: those whose shared memory it reads. At most two at a time (else
  // kUnavailable), on their own connections, so that a slow client blocks no other reader.
  virtual base::Result<std::shared_ptr<ExportCursor>> OpenExport(
      const std::optional<std::string>& project, const std::optional<Viewer>& viewer = {},
      std::vector<std::string> owners = {}) = 0;
  // Exports one file of the engine, with the index, without deleted rows; counts as one of the two.
  virtual base::Result<Spool> Copy(const std::optional<std::string>& project,
                                   const std::optional<Viewer>& viewer = {}) = 0;
  // A spool on the store's volume; counts towards the budget of uploads, like that of Copy.
  virtual base::Result<Spool> NewUpload() = 0;
  // Walks over a file that Copy made, here or elsewhere. kInvalid: any other file. Its rows are not
  // validated.
  virtual base::Result<std::shared_ptr<ExportCursor>> OpenCopy(const std::string& path) = 0;
  // The same for a brain of AgentOS; null: the file is none.
  virtual base::Result<std::shared_ptr<BrainCursor>> OpenBrain(const std::string& path) = 0;

  // Sets a project's own rules durably, with immediate effect; nullopt: those of the options again.
  virtual base::Status SetRetention(const std::string& project, const RetentionRules& rules) = 0;
  virtual base::Result<RetentionRules> Retention(const std::string& project) = 0;  // in force

  // The conversations of one caller (the account within the tenant; empty: anonymous callers). Must
  // not outlive the store.
  virtual std::unique_ptr<conversation::Host> Conversations(const std::string& caller) = 0;
  // Saves the episode and its observation, with the trust class of `source`. Returns the existing
  // episode for the same summary of the same conversation, agent and user, or the same key.
  virtual base::Result<EpisodeSaved> SaveEpisode(const Episode& episode, const api::Source& source,
                                                 const RequestKey& key, int64_t now_ms) = 0;
  // Best first.
  virtual base::Result<std::vector<FoundEpisode>> SearchEpisodes(
      const EpisodeQuestion& question) = 0;
  // The episodes of a conversation, oldest first, up to the limit of an answer.
  virtual base::Result<std::vector<Episode>> EpisodesOf(const std::string& project,
                                                        const std::string& conversation) = 0;
  // Imports episodes after their observations. → for each whether it was stored: existing ones and
  // those without an observation are skipped.
  virtual base::Result<std::vector<bool>> ImportEpisodes(const std::vector<Episode>& episodes) = 0;

  virtual Items& items() = 0;  // lives as long as the store

  virtual SharedItems& shared() = 0;  // lives as long as the store

  virtual Traces& traces() = 0;                // lives as long as the store
  virtual Consolidation& consolidation() = 0;  // lives as long as the store
  virtual Turns& turns() = 0;                  // lives as long as the store

  virtual bool Failed() const = 0;  // a sync failed: the store acknowledges no write any more
};

}  // namespace memory
