// The memory of one tenant: what is kept, and what is found. No call takes a tenant. Times of
// writes come from the caller; the clock of the options says what is over. What is behind it
// (SQLite now) shows nowhere here: no SQL, no rowids, no match text.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "lib/api/memory_api.h"
#include "lib/base/process/clock.h"
#include "lib/base/result.h"
#include "memory/model/quota.h"
#include "memory/model/retention.h"
#include "memory/volume/spool.h"

namespace memory {

class ResidentBudget;
class SpaceGuard;

struct StoreOptions {
  int64_t dedup_window_ms = 15 * 60 * 1000;
  int64_t idempotency_ms = 7 * 24 * 3'600'000LL;  // how long keys are kept
  int64_t query_deadline_ms = 250;                // then a search answers with what it has
  int64_t read_timeout_ms = 5000;                 // then any read ends, with kUnavailable
  size_t readers = 4;                             // connections that read, at most
  size_t write_queue = 1024;                      // writes that may wait; more are refused
  // Memory for the words of the projects that are asked most; 0: everything is found on the disk.
  // Stores of one `index_budget` share what it has; null: a store has `index_bytes` of its own.
  size_t index_bytes = 8 << 20;
  std::shared_ptr<ResidentBudget> index_budget;
  bool index_at_once = false;  // before the first answer instead of in the background: for tests
  std::chrono::milliseconds index_idle{20};     // without writes: new rows go into the file's index
  std::chrono::milliseconds index_wait{2000};   // of a search for that; then it goes without them
  RetentionRules retention;                     // of projects without rules of their own
  int64_t keep_used_ms = 7 * 24 * 3'600'000LL;  // what was used since is not removed
  int64_t deleted_ms = 30 * 24 * 3'600'000LL;   // deleted and hidden rows stay so long
  // Says what is over, rows and reads; outlives the store.
  const base::Clock* clock = &base::SystemClock();
  // A read was ended or refused: by "read-timeout" or "readers". Any thread.
  std::function<void(const char* limit)> on_read_cut_off;
  // A sync failed: nothing is acknowledged from then on; the program must end. May be called again.
  std::function<void(const base::Error&)> on_sync_failure;
  // A call met damage in the file of this path; it was answered with an error. Any thread.
  std::function<void(const std::string& path, const base::Error&)> on_damage;
  // From a hard delete until its words begin to be erased from the file, so that many deletes share
  // the work, and who was told how many are done.
  std::chrono::milliseconds erase_after{10'000};
  std::function<void(int64_t deletes)> on_erased;
  // Of the file's log. Readers that hold a longer one are ended, where they can be, and writes are
  // refused with kUnavailable until it is short again. 0: no limit.
  int64_t max_log_bytes = 64 << 20;
  TenantQuota quota;  // beyond it only deletes are taken
  // Keeps room on the volume: writes that need some ask it, deletes do not. Outlives the store;
  // null: nobody is asked.
  SpaceGuard* space = nullptr;
  // For uploads and copies of all stores of a volume; null: they are not bounded.
  std::shared_ptr<SpoolBudget> spools;
};

// An Idempotency-Key and whose it is: the same key of another caller is another key.
struct RequestKey {
  RequestKey(const char* of) : key(of) {}
  RequestKey(std::string of, std::string whose = "")
      : key(std::move(of)), caller(std::move(whose)) {}
  std::string key, caller;  // an empty key: none; an empty caller: who is not known by name
};

// What a POST became.
struct Saved {
  int64_t id = 0;
  std::string action;  // created, updated, deduplicated
  int64_t revision_count = 1, duplicate_count = 0;
  bool replayed = false;    // the answer of an earlier call with the same key
  bool key_reused = false;  // the key came before with another body: `id`'s; nothing was done
};

// Only what is set changes.
struct Patch {
  std::optional<std::string> type, title, content;
  std::optional<std::vector<std::string>> tags;
  std::string writer = api::kOriginUser;  // the row gets the lower of its trust class and this one
  bool replace_user = false;              // as api::NewObservation has it
};

struct SessionEnd {
  std::string summary;  // empty: keep the one there is
  int64_t message_count = 0;
  bool interim = false;                // write the summary, leave the session open
  std::optional<std::string> project;  // kNotFound for a session of another one
};

// Where lists by recency go on: behind a row, a session (by its start; "": the newest).
struct RowKey {
  int64_t ms = 0, id = 0;
};
struct SessionKey {
  int64_t ms = INT64_MAX;
  std::string id;
};

// Unset fields do not filter; values that nothing has match nothing.
struct Filter {
  std::optional<std::string> project, type, scope;
  std::optional<int64_t>
      as_of_ms;                  // Search and Recall: rows as they were then; deleted ones are gone
  std::optional<RowKey> before;  // Recent: only rows behind this one, by updated_ms and id
  size_t limit = 10;
  // Nobody waits any more: Search and Recall end early, as partial, Recent with kUnavailable.
  std::stop_token stop;
};

struct Found {
  api::Observation row;
  double rank = 0;                 // −score: < 0 for a match, lower is better; 0: by recency
  const char* method = "recency";  // or "fts5_bm25"
};

struct SearchResult {
  std::vector<Found> rows;
  bool partial = false;  // cut at the deadline, or stopped
};

struct Totals {
  int64_t sessions = 0, observations = 0;
  std::vector<std::string> projects;  // as first written, sorted
};

struct Revision {
  int64_t revision = 0, replaced_ms = 0, written_ms = 0;  // replaced 0: the present one
  std::string type, title, content, origin;
  std::vector<std::string> tags;
};

// What one round of retention did.
struct Swept {
  int64_t lapsed = 0, capped = 0;     // rows that were hidden
  int64_t restored = 0;               // rows that were over and, by other rules, are not
  int64_t purged = 0, revisions = 0;  // hidden and deleted rows, and earlier texts, removed
  int64_t keys = 0;                   // Idempotency-Keys forgotten
  int64_t over_cap = 0;               // rows above a cap that stay, since they were used
};

// An observation with what it said before, oldest first.
struct ExportedRow {
  api::Observation row;
  std::vector<Revision> revisions;
};

enum class Imported {
  kNew,
  kSkipped,
  kSkippedDeleted,
  kRaised,  // it was here, of class import, and is a user's now
};

struct ImportOptions {
  bool dedup = true;        // a row that is here under another id is skipped, not made again
  bool unite_tags = false;  // a row that is here already gets the tags of the one that comes
  bool vouched = false;     // rows of class import are a user's, also those that are here already
  bool restore = false;     // what somebody deleted here comes back; else kSkippedDeleted
  // When rows without a time are from. Such a row is the same as one that differs in its time
  // alone.
  int64_t now_ms = 0;
};

// A walk over what a store keeps, once, in many short snapshots. It may outlive its Store.
class ExportCursor {
 public:
  virtual ~ExportCursor() = default;
  // Sessions, then observations, in the order they were made; an error of a callback ends the walk.
  // Of a row's earlier texts those beyond 8 MiB are left out, oldest first.
  virtual base::Status Walk(
      const std::function<base::Status(const api::Session&)>& on_session,
      const std::function<base::Status(const ExportedRow&)>& on_observation) = 0;
};

// Any thread. Writes return after their commit is on the disk. Errors: kNotFound, kConflict, kFull,
// kUnavailable (overloaded, a sync failed, or a read took longer than it may), kInvalid.
class Store {
 public:
  // Opens or makes the file; migrates it.
  static base::Result<std::unique_ptr<Store>> Open(const std::string& path, StoreOptions options);
  ~Store();

  // An unknown session is made in the observation's project;
  // one of another project is kConflict. A row's origin is its source's when that is a known class,
  // else user. A row whose topic is written again has the lower class of both from then on. A
  // user's row is not changed by others without `replace_user`: an agent is told so (kDenied), what
  // a rule or an import brings becomes a row without the topic.
  base::Result<Saved> Save(const api::NewObservation& observation, const RequestKey& key,
                           int64_t now_ms);
  base::Result<api::Observation> Update(int64_t id, const Patch& patch, int64_t now_ms);
  // Soft or hard, in any order and number; kNotFound for an id that never was. A hard delete also
  // takes quotes of the row out of the summaries there are, and has all its words erased (see
  // eraser.h) soon after it was answered.
  base::Status Delete(int64_t id, bool hard, int64_t now_ms);
  // An existing session of the same project is answered as it is; of another: kConflict.
  base::Result<api::Session> StartSession(const std::string& id, const std::string& project,
                                          const std::string& predecessor, int64_t now_ms);
  base::Result<api::Session> EndSession(const std::string& id, const SessionEnd& end,
                                        int64_t now_ms);
  // Keep ids, times and counts where they are free; never overwrite, and bring back nothing that
  // somebody deleted. One transaction a call, an outcome a row: a row that clashes is refused
  // alone.
  using ImportOutcomes = std::vector<base::Result<Imported>>;
  base::Result<ImportOutcomes> Import(const std::vector<api::Session>& sessions);
  base::Result<ImportOutcomes> Import(const std::vector<ExportedRow>& rows,
                                      const ImportOptions& options);

  base::Result<api::Observation> Get(int64_t id);
  // The row as it was: what a revision does not keep (session, project, scope, topic key) is
  // today's. kNotFound: there is no such revision, or retention removed it.
  base::Result<api::Observation> GetRevision(int64_t id, int64_t revision);
  // Those before number `before`, oldest first, the present one last: the newest `limit` of them,
  // or as many as an answer holds.
  base::Result<std::vector<Revision>> Revisions(int64_t id, int64_t before = INT64_MAX,
                                                size_t limit = SIZE_MAX);
  base::Result<std::vector<api::Observation>> Recent(const Filter& filter);  // newest change first
  base::Result<std::vector<api::Session>> RecentSessions(const std::optional<std::string>& project,
                                                         size_t limit,
                                                         const SessionKey& before = {});
  // Rows that hold a word of the text (or its topic key), best first. `operators`: the text is an
  // FTS5 expression. Rows of scope global are found from every project.
  base::Result<SearchResult> Search(const Filter& filter, const std::string& text, bool operators);
  // As Search, with the neighbours of matches, filled up by recency; without text by recency alone.
  base::Result<SearchResult> Recall(const Filter& filter, const std::string& text);
  // Sessions with a summary, newest end first; only summaries written until `until_ms`.
  base::Result<std::vector<api::Session>> Summaries(const std::optional<std::string>& project,
                                                    size_t limit, int64_t until_ms = INT64_MAX);
  // The rows of the same session around one, in order of time; itself included. `around`: beside
  // this row of the session instead, which may be deleted, and without it; kInvalid: it is none.
  base::Result<std::vector<api::Observation>> Timeline(int64_t id, size_t before, size_t after,
                                                       std::optional<int64_t> around = {});
  base::Result<Totals> Count(const std::optional<std::string>& project);
  // For walking over everything, or over what a project wrote. At most two at a time, on
  // connections of their own, so that a slow reader of an export takes nobody's place:
  // kUnavailable.
  base::Result<std::shared_ptr<ExportCursor>> OpenExport(const std::optional<std::string>& project);
  // The same as one file, with the index, without what is deleted; counts as one of the two.
  base::Result<Spool> Copy(const std::optional<std::string>& project);
  base::Result<Spool> NewSpool();   // on the store's volume
  base::Result<Spool> NewUpload();  // which counts for the budget, as what Copy makes

  // A project's own rules, in force at once; none: those of the options again. Durable.
  base::Status SetRetention(const std::string& project, const RetentionRules& rules);
  base::Result<RetentionRules> Retention(const std::string& project);  // in force
  // One round: hides what is past its time (reads leave that out already) or over a cap, removes
  // what is hidden or deleted long enough. In small batches; ends early when told to. One thread.
  base::Result<Swept> Sweep(std::stop_token stop);
  // Writes down which rows were read or found; a crash forgets what was not.
  base::Status KeepUses();
  size_t CountUses() const;  // that are not written down

  base::Status ProbeWrite();  // ok: a write would succeed now
  bool Failed() const;        // a sync failed
  size_t QueuedWrites() const;
  struct IndexFigures {
    size_t bytes = 0, projects = 0;  // whose words are in memory
    int64_t served = 0, missed = 0;  // questions answered from there, and not
  };
  IndexFigures Indexes() const;
  base::Status CheckIntegrity();  // of tables and index, while writes wait; long
  // The same for the background, of a large file on a copy that is made in steps, so that nobody
  // waits and no log grows; the index is looked at in the copy of the tables before it. Damage is
  // kInternal. `stop` ends them early, with kTimeout or kUnavailable. kFull: no room for the copy.
  base::Status CheckTables(std::stop_token stop);
  base::Status CheckIndex(std::stop_token stop);
  base::Status RebuildIndex();  // from the rows, which are the truth; writes wait. kFull
  struct Used {
    int64_t rows = 0, bytes = 0;  // as TenantQuota counts them
    int64_t log_bytes = 0;        // that are not in the file yet, when there are many
  };
  Used Usage() const;
  int64_t DueErasures() const;  // hard deletes whose words may still be in the file
  const std::string& path() const;
  void CloseIdleReaders();  // connections that read nothing for a minute
  void Close();             // finishes the writes that wait

 private:
  struct State;
  struct Round;
  void NoteUse(const std::vector<Found>& rows);
  base::Result<Spool> CopyInSteps(const std::stop_token& stop);
  base::Status CheckTablesInPlace(std::stop_token stop);
  explicit Store(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Walks over a file that Copy made, here or elsewhere. kInvalid: it is anything else. Its rows may
// still be what no store would keep.
base::Result<std::shared_ptr<ExportCursor>> OpenForeign(const std::string& path);

}  // namespace memory
