// The store of one tenant as one SQLite file: the calls of store.h and those of the engine.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "memory/sqlite/store/options.h"
#include "memory/sqlite/store/remote_gaps.h"
#include "memory/store/engine.h"
#include "memory/store/store.h"

namespace memory {

class SqliteStore final : public Store {
 public:
  // Opens or makes the file; migrates it.
  static base::Result<std::unique_ptr<SqliteStore>> Open(const std::string& path,
                                                         StoreOptions options);
  ~SqliteStore() override;

  base::Result<Saved> Save(const api::NewObservation& observation, const RequestKey& key,
                           int64_t now_ms) override;
  base::Result<api::Observation> Update(int64_t id, const Patch& patch, int64_t now_ms) override;
  base::Status Delete(int64_t id, bool hard, int64_t now_ms) override;
  base::Result<api::Observation> Restore(int64_t id) override;
  base::Result<std::vector<HiddenRow>> HiddenRows(const Filter& filter) override;
  base::Result<QuotingPlaces> QuotesOf(int64_t id, const std::optional<Viewer>& viewer,
                                       bool callers) override;
  base::Result<api::Session> StartSession(const std::string& id, const std::string& project,
                                          const std::string& predecessor, int64_t now_ms) override;
  base::Result<api::Session> EndSession(const std::string& id, const SessionEnd& end,
                                        int64_t now_ms) override;
  base::Result<ImportOutcomes> Import(const std::vector<api::Session>& sessions) override;
  base::Result<ImportOutcomes> Import(const std::vector<ExportedRow>& rows,
                                      const ImportOptions& options) override;
  base::Result<api::Observation> Get(int64_t id) override;
  base::Result<api::Observation> GetRevision(int64_t id, int64_t revision) override;
  base::Result<std::vector<Revision>> Revisions(int64_t id, int64_t before = INT64_MAX,
                                                size_t limit = SIZE_MAX) override;
  base::Result<bool> IsSeenBy(const Viewer& viewer, int64_t id) override;
  base::Result<std::vector<api::Observation>> Recent(const Filter& filter) override;
  base::Result<std::vector<api::Session>> RecentSessions(
      const std::optional<std::string>& project, size_t limit, const SessionKey& before = {},
      const std::optional<Viewer>& viewer = {}) override;
  base::Result<SearchResult> Search(const Filter& filter, const std::string& text,
                                    bool operators) override;
  base::Result<SearchResult> Recall(const Filter& filter, const std::string& text) override;
  base::Result<std::vector<api::Session>> Summaries(const std::optional<std::string>& project,
                                                    size_t limit,
                                                    int64_t until_ms = INT64_MAX) override;
  base::Result<std::vector<api::Observation>> Timeline(
      int64_t id, size_t before, size_t after, std::optional<int64_t> around = {},
      const std::optional<Viewer>& viewer = {}) override;
  base::Result<Totals> Count(const std::optional<std::string>& project,
                             const std::optional<Viewer>& viewer = {}) override;
  base::Result<std::shared_ptr<ExportCursor>> OpenExport(
      const std::optional<std::string>& project, const std::optional<Viewer>& viewer = {},
      std::vector<std::string> owners = {}) override;
  base::Result<Spool> Copy(const std::optional<std::string>& project,
                           const std::optional<Viewer>& viewer = {}) override;
  base::Result<Spool> NewUpload() override;
  base::Result<std::shared_ptr<ExportCursor>> OpenCopy(const std::string& path) override;
  base::Result<std::shared_ptr<BrainCursor>> OpenBrain(const std::string& path) override;
  base::Status SetRetention(const std::string& project, const RetentionRules& rules) override;
  base::Result<RetentionRules> Retention(const std::string& project) override;
  std::unique_ptr<conversation::Host> Conversations(const std::string& caller) override;
  Items& items() override;
  base::Result<EpisodeSaved> SaveEpisode(const Episode& episode, const api::Source& source,
                                         const RequestKey& key, int64_t now_ms) override;
  base::Result<std::vector<FoundEpisode>> SearchEpisodes(const EpisodeQuestion& question) override;
  base::Result<std::vector<Episode>> EpisodesOf(const std::string& project,
                                                const std::string& conversation) override;
  base::Result<std::vector<bool>> ImportEpisodes(const std::vector<Episode>& episodes) override;
  SharedItems& shared() override;
  Traces& traces() override;
  Consolidation& consolidation() override;
  Turns& turns() override;

  // One round of retention: hides rows that expired (which reads skip already) or exceed a cap, and
  // removes rows that were hidden or deleted long ago. In small batches; `stop` ends it. One
  // thread.
  base::Result<Swept> Sweep(std::stop_token stop);
  // Persists which rows were read or found; a crash loses unpersisted uses.
  base::Status KeepUses();
  size_t CountUses() const;  // not persisted
  // Persists which working memory was read, with a delay.
  base::Status KeepFieldsIfDue();

  // One short background step: adds vectors to some rows without one of the embedder. False: none
  // is left. Called by the sweeping thread.
  base::Result<bool> FillVectors();

  // The same: cuts the words of some rows or items of an earlier version anew (tables/uncut.h).
  // Searches find all rows meanwhile.
  base::Result<bool> CutWords();
  int64_t UncutRows() const;  // and items; 0 before the first step

  // The rows for one request to the remote model; and their vectors in the same order. The request
  // runs between both calls, without the store.
  base::Result<RemoteBatch> NextRemoteBatch(int64_t model);
  base::Status PutRemoteVectors(const RemoteBatch& batch, int64_t model,
                                const std::vector<std::vector<int8_t>>& vectors);
  size_t RemoteGapCount() const;

  base::Status ProbeWrite();  // ok: a write would succeed now
  bool Failed() const override;
  size_t QueuedWrites() const;
  struct IndexFigures {
    size_t bytes = 0, projects = 0;  // of resident indexes
    int64_t served = 0, missed = 0;  // queries answered by them, and not
  };
  IndexFigures Indexes() const;
  base::Status CheckIntegrity();  // of tables and index; blocks writes for long
  // The same in the background: a large file is checked on a copy made in steps, so that no write
  // waits and the WAL stays short; the check of the index uses the copy of the tables check.
  // kInternal: corruption. `stop` ends them with kTimeout or kUnavailable. kFull: no space for the
  // copy.
  base::Status CheckTables(std::stop_token stop);
  base::Status CheckIndex(std::stop_token stop);
  base::Status RebuildIndex();  // from the rows; blocks writes. kFull
  struct Used {
    int64_t rows = 0, bytes = 0;  // as TenantQuota counts them
    int64_t log_bytes = 0;        // of a long WAL that is not checkpointed
  };
  Used Usage() const;
  int64_t DueErasures() const;  // hard deletes whose words may be in the file
  const std::string& path() const;
  void CloseIdleReaders();  // connections that were idle for a minute
  void Close();             // finishes queued writes

 private:
  struct State;
  struct Round;
  struct Erasure;
  class CallersConversations;
  void NoteUse(const std::vector<Found>& rows);
  base::Result<Spool> NewSpool();  // beside the file; outside of the budget
  base::Result<Spool> CopyInSteps(const std::stop_token& stop);
  base::Status CheckTablesInPlace(std::stop_token stop);
  explicit SqliteStore(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Store::OpenCopy without a store.
base::Result<std::shared_ptr<ExportCursor>> OpenForeign(const std::string& path);

}  // namespace memory
