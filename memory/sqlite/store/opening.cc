// Opens and closes a tenant's file and its connections.
#include <algorithm>

#include "lib/base/process/log.h"
#include "memory/sqlite/ranking/sqlite_candidates.h"
#include "memory/sqlite/store/sqlite_store.h"
#include "memory/sqlite/store/state.h"
#include "memory/sqlite/tables/schema.h"
#include "memory/sqlite/tables/waiting.h"
#include "memory/volume/space_guard.h"

namespace memory {

using base::Result;
using base::Status;

namespace {

// Options of a connection to `path` that reports corruption.
sqlite::Database::Options Watched(sqlite::Access access, const std::string& path,
                                  const StoreOptions& options) {
  sqlite::Database::Options watched;
  watched.access = access;
  if (options.on_damage)
    watched.on_damage = [path, tell = options.on_damage](const base::Error& e) { tell(path, e); };
  return watched;
}

sqlite::Database::Options ReadingOf(const std::string& path, const StoreOptions& options) {
  sqlite::Database::Options reading = Watched(sqlite::Access::kReader, path, options);
  reading.cache_kib = 1024;
  reading.clock = options.clock;
  return reading;
}

Result<std::unique_ptr<sqlite::Database>> Connect(const std::string& path,
                                                  const sqlite::Database::Options& reading,
                                                  const std::shared_ptr<Liveness>& liveness) {
  ASSIGN_OR_RETURN(sqlite::Database connection, sqlite::Database::Open(path, reading));
  RETURN_IF_ERROR(Liveness::RegisterFunction(liveness, connection));
  return std::make_unique<sqlite::Database>(std::move(connection));
}

StoreState::Engine EngineOf(const std::string& path, const StoreOptions& options,
                            const std::shared_ptr<Liveness>& liveness) {
  const sqlite::Database::Options reading = ReadingOf(path, options);
  StoreState::Engine engine;
  engine.candidates = [path]() -> Result<std::unique_ptr<Candidates>> {
    ASSIGN_OR_RETURN(sqlite::Database reader,
                     sqlite::Database::Open(path, {sqlite::Access::kReader, 512}));
    ASSIGN_OR_RETURN(auto candidates, SqliteCandidates::Make(std::move(reader)));
    return std::unique_ptr<Candidates>(std::move(candidates));
  };
  engine.reader = [=]() -> Result<std::unique_ptr<SqlCandidates>> {
    ASSIGN_OR_RETURN(std::unique_ptr<sqlite::Database> connection,
                     Connect(path, reading, liveness));
    ASSIGN_OR_RETURN(auto candidates, SqliteCandidates::Make(std::move(*connection)));
    return std::unique_ptr<SqlCandidates>(std::move(candidates));
  };
  engine.connect = [=]() -> Result<std::shared_ptr<sql::Database>> {
    ASSIGN_OR_RETURN(std::unique_ptr<sqlite::Database> connection,
                     Connect(path, reading, liveness));
    return std::shared_ptr<sql::Database>(std::move(connection));
  };
  return engine;
}

}  // namespace

FileParts::FileParts(const std::string& of, const StoreOptions& options, ResidentIndexes& resident,
                     RemoteGapList& gaps)
    : path(of),
      reading(ReadingOf(of, options)),
      changes(resident, options.remote ? [&gaps](const auto& slots) { gaps.Announce(slots); }
                                       : std::function<void(const std::vector<int64_t>&)>()),
      eraser({path, options.erase_after, options.on_erased, &index_damaged, &resident,
              options.space}) {}

Status FileParts::Index(sqlite::Database& of,
                        const std::function<Status(sqlite::Database&)>& step) {
  if (index_damaged) return {};
  const bool met_before = of.MetDamage();
  Status indexed = step(of);
  if (!indexed && !met_before && of.MetDamage()) index_damaged = true;
  return indexed;
}

SqliteStore::~SqliteStore() { Close(); }

namespace {

// The batch is rolled back and callers may retry, since no sync failed.
Status NotNow(const base::Error& error) {
  const bool full = error.code == base::Code::kFull;
  return base::Error{full ? error.code : base::Code::kUnavailable, error.message};
}

Result<sqlite::Database> OpenAndMigrate(const std::string& path,
                                        const sqlite::Database::Options& writing) {
  ASSIGN_OR_RETURN(sqlite::Database database, sqlite::Database::Open(path, writing));
  if (Status migrated = sqlite::Migrate(database, SchemaSteps()); !migrated)
    return base::Wrap(path, migrated.error());
  return database;
}

// On a full volume SQLite cannot even open the WAL: removing the ballast frees space.
Result<sqlite::Database> OpenWriter(const std::string& path, const StoreOptions& options) {
  sqlite::Database::Options writing = Watched(sqlite::Access::kWriter, path, options);
  writing.on_broken = options.on_sync_failure;  // also while it is opened, before there is a Writer
  Result<sqlite::Database> opened = OpenAndMigrate(path, writing);
  if (opened || !options.space || opened.error().code != base::Code::kFull) return opened;
  options.space->GiveUp();
  return OpenAndMigrate(path, writing);
}

}  // namespace

Result<std::unique_ptr<SqliteStore>> SqliteStore::Open(const std::string& path,
                                                       StoreOptions options) {
  Spool::RemoveLeftovers(path);
  const auto liveness = std::make_shared<Liveness>(*options.clock);
  auto state =
      std::make_unique<StoreState>(path, options, liveness, EngineOf(path, options, liveness));
  FileParts& file = state->file.emplace(path, options, state->resident, state->remote_gaps);
  ASSIGN_OR_RETURN(sqlite::Database database, OpenWriter(path, options));
  RETURN_IF_ERROR(Liveness::RegisterFunction(liveness, database));
  RETURN_IF_ERROR(state->Load(database));
  // Readers open on demand: opens one now to report errors.
  ASSIGN_OR_RETURN(auto reader, state->connect());
  reader.reset();
  file.changes.Watch(database);
  sqlite::Writer::Options writing;
  writing.queue = options.write_queue;
  writing.on_sync_failure = options.on_sync_failure;
  if (SpaceGuard* space = options.space) {
    writing.admit = [space](int64_t reusable_bytes) { return space->Admit(reusable_bytes); };
    writing.on_full = [space] { space->GiveUp(); };
    if (int64_t longest = space->LongestLogBytes(); longest > 0)
      writing.checkpoint_pages =
          static_cast<int>(std::clamp<int64_t>(longest / 4096, 16, writing.checkpoint_pages));
  }
  const auto count = [state = state.get()](sqlite::Database& writer) {
    if (Status counted = state->usage.Read(writer); !counted) {
      base::LogWarn("the usage of a namespace could not be counted; the metrics have older figures",
                    {{"file", state->path}, {"reason", counted.error().message}});
    }
  };
  writing.before_commit = [state = state.get(), count](sqlite::Database& writer) -> Status {
    // Without the version of this change readers would answer from the state before it.
    if (Status told = state->file->changes.Publish(writer); !told) return NotNow(told.error());
    if (Status told = state->file->waiting.Add(writer, state->file->changes.TakeWaiting()); !told)
      return NotNow(told.error());
    count(writer);
    return {};
  };
  writing.answered = [state = state.get()] {
    state->remote_gaps.Commit();
    return state->file->waiting.IsMany();
  };
  writing.after_commit = [state = state.get()](sqlite::Database& writer) -> Status {
    // Pending rows can wait longer: indexing them must not fail a delete on a full volume.
    ASSIGN_OR_RETURN(int64_t reusable, writer.ReusableBytes());
    if (SpaceGuard* space = state->options.space; space && !space->Admit(reusable)) return {};
    return state->file->Index(writer, [state](sqlite::Database& file) {
      return IndexManyWaiting(file, state->file->waiting);
    });
  };
  writing.when_idle = [state = state.get()](sqlite::Database& writer) {
    return state->file->Index(writer, IndexWaiting);
  };
  writing.idle = options.index_idle;
  writing.max_log_bytes = options.max_log_bytes;
  writing.on_log_held = [state = state.get()] { state->file->long_reads.End(); };
  writing.on_log = [state = state.get()](int64_t bytes) { state->usage.SetLog(bytes); };
  writing.chore = [state = state.get(), count](sqlite::Database& writer,
                                               const sqlite::Writer::ChoreCall& call) {
    const bool was_due = state->file->eraser.due() > 0;
    auto next = state->file->eraser.Step(writer, call);
    if (was_due) count(writer);  // a namespace at its quota has no commit that would
    return next;
  };
  auto writer = std::make_unique<sqlite::Writer>(std::move(database), std::move(writing));
  file.writer = writer.get();
  state->Start(std::move(writer));
  return std::unique_ptr<SqliteStore>(new SqliteStore(std::move(state)));
}

int64_t SqliteStore::DueErasures() const { return state_->file->eraser.due(); }

void SqliteStore::Close() {
  state_->resident.Stop();
  KeepAll();
  state_->readers.Close();
  state_->file->writer->Stop();
}

}  // namespace memory
