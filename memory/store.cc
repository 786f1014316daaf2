// Opening and closing a tenant's file, and its connections.
#include "memory/store.h"

#include <algorithm>

#include "lib/base/check.h"
#include "lib/base/log.h"
#include "memory/space_guard.h"
#include "memory/store_index.h"
#include "memory/store_schema.h"
#include "memory/store_state.h"

namespace memory {

using base::Result;
using base::Status;
using sqlite::Database;

void ReaderPool::Add(std::unique_ptr<Reader> reader) {
  std::lock_guard lock(mutex_);
  if (out_ > 0) --out_;
  idle_.push_back(std::move(reader));
  wake_.notify_all();  // a Close may wait beside a Take
}

std::unique_ptr<Reader> ReaderPool::Take() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return closed_ || !idle_.empty(); });
  if (closed_) return nullptr;
  std::unique_ptr<Reader> reader = std::move(idle_.back());
  idle_.pop_back();
  ++out_;
  return reader;
}

void ReaderPool::Close() {
  std::unique_lock lock(mutex_);
  closed_ = true;
  wake_.notify_all();
  wake_.wait(lock, [this] { return out_ == 0; });
  idle_.clear();
}

Result<std::unique_ptr<Reader>> OpenReader(const std::string& path, ResidentIndexes* resident) {
  Database::Options reading;
  reading.access = sqlite::Access::kReader;
  reading.cache_kib = 1024;
  ASSIGN_OR_RETURN(Database connection, Database::Open(path, reading));
  ASSIGN_OR_RETURN(Ranker ranker, Ranker::Make(connection, resident));
  return std::make_unique<Reader>(Reader{std::move(connection), std::move(ranker)});
}

Result<Snapshot> Snapshot::Begin(ReaderPool& pool) {
  std::unique_ptr<Reader> reader = pool.Take();
  if (!reader) return base::Error{base::Code::kUnavailable, "the program is stopping"};
  Status begun = reader->database.Execute("BEGIN");
  Snapshot snapshot(pool, std::move(reader));
  if (!begun) return begun.error();
  return snapshot;
}

Status Snapshot::Renew() { return reader_->database.Execute("ROLLBACK; BEGIN"); }

Snapshot::~Snapshot() {
  if (!reader_) return;
  reader_->database.SetDeadline(0);
  if (Status ended = reader_->database.Execute("ROLLBACK"); !ended) {
    base::LogError("a snapshot could not be ended", {{"reason", ended.error().message}});
  }
  pool_->Add(std::move(reader_));
}

Store::Store(std::unique_ptr<State> state) : state_(std::move(state)) {}
Store::~Store() { Close(); }

namespace {

// On a full volume not even the log can be opened: the ballast makes the room.
Result<Database> OpenWriter(const std::string& path, SpaceGuard* space) {
  Result<Database> opened = Database::Open(path, {sqlite::Access::kWriter});
  if (opened || !space || opened.error().code != base::Code::kFull) return opened;
  space->GiveUp();
  return Database::Open(path, {sqlite::Access::kWriter});
}

}  // namespace

Result<std::unique_ptr<Store>> Store::Open(const std::string& path, StoreOptions options) {
  Spool::RemoveLeftovers(path);
  auto state = std::make_unique<State>();
  state->options = options;
  state->path = path;
  ASSIGN_OR_RETURN(Database database, OpenWriter(path, options.space));
  if (Status migrated = sqlite::Migrate(database, SchemaSteps()); !migrated) {
    return base::Wrap(path, migrated.error());
  }
  state->resident = std::make_unique<ResidentIndexes>(ResidentIndexes::Options{
      path, options.index_bytes, options.index_bytes_used, options.index_at_once});
  state->resident->Watch(database);
  for (size_t i = 0; i < options.readers; ++i) {
    ASSIGN_OR_RETURN(std::unique_ptr<Reader> reader, OpenReader(path, state->resident.get()));
    state->readers.Add(std::move(reader));
  }
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
  writing.before_commit = [resident = state->resident.get(),
                           space = options.space](Database& writer) -> Status {
    // What waits can wait longer: a delete on a full volume must not fail of it.
    if (!space || space->Admit(0)) RETURN_IF_ERROR(IndexManyWaiting(writer));
    return resident->Publish(writer);
  };
  writing.when_idle = IndexWaiting;
  writing.idle = options.index_idle;
  state->writer = std::make_unique<sqlite::Writer>(std::move(database), std::move(writing));
  return std::unique_ptr<Store>(new Store(std::move(state)));
}

Status Store::ProbeWrite() {
  return state_->writer->RunAny([](Database& database) -> Status {
    ASSIGN_OR_RETURN(
        auto probe, database.Prepare("UPDATE counters SET value = value + 1 WHERE name = 'probe'"));
    return probe.Run();
  });
}

bool Store::Failed() const { return state_->writer->Failed(); }
size_t Store::QueuedWrites() const { return state_->writer->Queued(); }

Store::IndexFigures Store::Indexes() const {
  const ResidentIndexes::Figures figures = state_->resident->Read();
  return {figures.bytes, figures.ranges, figures.served, figures.missed};
}

Status Store::CheckIntegrity() {
  return state_->writer->RunAny(
      [](Database& database) { return database.CheckIntegrity({kFtsTable}); },
      sqlite::Writer::Room::kGives);  // on a full volume, too
}

void Store::Close() {
  state_->resident->Stop();
  state_->readers.Close();
  state_->writer->Stop();
}

}  // namespace memory
