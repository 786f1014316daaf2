// The memory of one tenant; no call takes a tenant. Times of writes come from the caller; expiry
// uses the engine's clock. Declares no SQL, no rowids, no match expressions: the engine that is
// linked defines the calls (memory/sqlite/store).
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
#include "memory/keeping/turns.h"
#include "memory/model/retention.h"
#include "memory/rows/writes.h"
#include "memory/store/consolidation.h"
#include "memory/store/episodes.h"
#include "memory/store/reads.h"
#include "memory/store/traces.h"
#include "memory/store/transfers.h"
#include "memory/volume/spool.h"

namespace memory {

// Any thread. Writes return after their commit is synced to disk. Errors: kNotFound, kConflict,
// kFull, kUnavailable (overload, a failed sync, or a read over its time limit), kInvalid.
class Store : public StoreReads {
 public:
  // Creates an unknown session in the observation's project; a session of another project is
  // kConflict. A row has the trust class of its source if known, else user; a row whose topic is
  // written again gets the lower class of both. Without `replace_user` only users change a user's
  // row: an agent gets kDenied, a rule or an import stores a row without the topic.
  base::Result<Saved> Save(const api::NewObservation& observation, const RequestKey& key,
                           int64_t now_ms);
  base::Result<api::Observation> Update(int64_t id, const Patch& patch, int64_t now_ms);
  // Soft or hard; idempotent. kNotFound: the id never existed. A hard delete also removes quotes of
  // the row from summaries and digests of sessions, and erases its words from the file soon after
  // the answer.
  base::Status Delete(int64_t id, bool hard, int64_t now_ms);
  // Undoes a soft delete. A live row stays as it is. kNotFound: the id never existed, or was
  // erased; kConflict: another row has its topic now, retention hid it, or it is a part of a merged
  // trace.
  base::Result<api::Observation> Restore(int64_t id);
  // Idempotent: an existing session of the same project is returned unchanged; of another project:
  // kConflict.
  base::Result<api::Session> StartSession(const std::string& id, const std::string& project,
                                          const std::string& predecessor, int64_t now_ms);
  base::Result<api::Session> EndSession(const std::string& id, const SessionEnd& end,
                                        int64_t now_ms);
  // Imports keep ids, times and counts if they are free, never overwrite a row, and restore no row
  // that was deleted here. One transaction per call, one outcome per row: a conflict refuses only
  // its row.
  using ImportOutcomes = std::vector<base::Result<Imported>>;
  base::Result<ImportOutcomes> Import(const std::vector<api::Session>& sessions);
  base::Result<ImportOutcomes> Import(const std::vector<ExportedRow>& rows,
                                      const ImportOptions& options);

  // A cursor over all rows, or over the rows of a project; with a viewer over what it sees.
  // `owners`, in order: those whose shared memory it reads. At most two at a time (else
  // kUnavailable), on their own connections, so that a slow client blocks no other reader.
  base::Result<std::shared_ptr<ExportCursor>> OpenExport(const std::optional<std::string>& project,
                                                         const std::optional<Viewer>& viewer = {},
                                                         std::vector<std::string> owners = {});
  // Exports one file of the engine, with the index, without deleted rows; counts as one of the two.
  base::Result<Spool> Copy(const std::optional<std::string>& project,
                           const std::optional<Viewer>& viewer = {});
  // A spool on the store's volume; counts towards the budget of uploads, like that of Copy.
  base::Result<Spool> NewUpload();
  // Walks over a file that Copy made, here or elsewhere. kInvalid: any other file. Its rows are not
  // validated.
  base::Result<std::shared_ptr<ExportCursor>> OpenCopy(const std::string& path);
  // The same for a brain of AgentOS; null: the file is none.
  base::Result<std::shared_ptr<BrainCursor>> OpenBrain(const std::string& path);

  // Sets a project's own rules durably, with immediate effect; nullopt: those of the options again.
  base::Status SetRetention(const std::string& project, const RetentionRules& rules);
  base::Result<RetentionRules> Retention(const std::string& project);  // in force

  // The conversations of one caller (the account within the tenant; empty: anonymous callers). Must
  // not outlive the store.
  std::unique_ptr<conversation::Host> Conversations(const std::string& caller);
  // Saves the episode and its observation, with the trust class of `source`. Returns the existing
  // episode for the same summary of the same conversation, agent and user, or the same key.
  base::Result<EpisodeSaved> SaveEpisode(const Episode& episode, const api::Source& source,
                                         const RequestKey& key, int64_t now_ms);
  // Best first.
  base::Result<std::vector<FoundEpisode>> SearchEpisodes(const EpisodeQuestion& question);
  // The episodes of a conversation, oldest first, up to the limit of an answer.
  base::Result<std::vector<Episode>> EpisodesOf(const std::string& project,
                                                const std::string& conversation);
  // Imports episodes after their observations. → for each whether it was stored: existing ones and
  // those without an observation are skipped.
  base::Result<std::vector<bool>> ImportEpisodes(const std::vector<Episode>& episodes);

  Items& items();  // lives as long as the store

  KeptCells& cells(const CellKind& kind);  // lives as long as the store

  Traces& traces();                // lives as long as the store
  Consolidation& consolidation();  // lives as long as the store
  Turns& turns();                  // lives as long as the store

  bool Failed() const;  // a sync failed: the store acknowledges no write any more

 protected:
  using StoreReads::StoreReads;
  ~Store() = default;
};

}  // namespace memory
