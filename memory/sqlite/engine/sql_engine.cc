// Rounds hold one store at a time, since a held store cannot be closed for another.
#include "memory/sqlite/engine/sql_engine.h"

#include <utility>

#include "lib/base/process/log.h"
#include "memory/model/embedded_text.h"
#include "memory/store/embedder.h"

namespace memory {

using base::Result;
using base::Status;

namespace {

constexpr size_t kManyUses = 65'536 / 8;  // persisted before the next round
// For vectors of older rows, per second: some thousand rows.
constexpr auto kFillAtOnce = std::chrono::milliseconds(100);
// The pause after vectors that could not be stored, since each request to the model may cost money.
constexpr auto kAfterFailedPut = std::chrono::seconds(10);

}  // namespace

void SqlEngine::ReadFigures(EngineFigures& figures) const {
  const OpenStores::Usage used = stores_->Used();
  figures.open_tenants = static_cast<int64_t>(stores_->Open());
  figures.queued_writes = used.queued_writes;
  figures.rows = used.rows;
  figures.most_rows = used.most_rows;
  figures.most_bytes = used.most_bytes;
  figures.longest_log_bytes = used.longest_log;
  figures.due_erasures = used.due_erasures;
  figures.remote_gaps = used.remote_gaps;
  figures.uncut_rows = used.uncut_rows;
}

bool SqlEngine::Sweep(const std::stop_token& stop,
                      const std::function<void(const Result<Swept>&)>& on_swept) {
  std::string name;
  while (std::shared_ptr<SqlStore> store = stores_->NextOpen(name)) {
    if (stop.stop_requested()) return false;
    on_swept(store->Sweep(stop));
  }
  return true;
}

namespace {

// A share of each second.
void Fill(SqlStore& store, Result<bool> (SqlStore::*step)(), const char* later) {
  const auto until = std::chrono::steady_clock::now() + kFillAtOnce;
  for (;;) {
    const Result<bool> more = (store.*step)();
    if (!more)
      base::Log(base::Level::kDebug, later,
                {{"file", store.path()}, {"reason", more.error().message}});
    if (!more || !*more || std::chrono::steady_clock::now() > until) return;
  }
}

}  // namespace

void SqlEngine::Tidy() {
  std::string name;
  while (std::shared_ptr<SqlStore> store = stores_->NextOpen(name)) {
    store->CloseIdleReaders();
    // Uses that cannot be persisted stay in memory; the next round retries.
    if (store->CountUses() >= kManyUses) (void)store->KeepUses();
    Fill(*store, &SqlStore::CutWords, "the words of rows are cut again later");
    Fill(*store, &SqlStore::FillVectors, "rows get their vectors later");
    (void)store->KeepFieldsIfDue();
  }
}

namespace {

// A failure leaves the gaps listed.
void NoteLater(const std::string& file, const base::Error& error) {
  base::Log(base::Level::kDebug, "rows get their remote vectors later",
            {{"file", file}, {"reason", error.message}});
}

}  // namespace

// Releases the store during the request to the model, so that it can be closed for another.
bool SqlEngine::FillRemoteVectors(const std::stop_token& stop) {
  if (!remote_ || std::chrono::steady_clock::now() < remote_from_) return false;
  bool more = false;
  std::string name;
  while (std::shared_ptr<SqlStore> store = stores_->NextOpen(name)) {
    const Result<int64_t> model = remote_->Model(stop);
    if (!model || stop.stop_requested()) return false;
    const std::string file = store->path();
    const Result<RemoteBatch> batch = store->NextRemoteBatch(*model);
    store.reset();
    if (!batch) {
      NoteLater(file, batch.error());
      continue;
    }
    more = more || batch->more;
    if (batch->rows.empty()) continue;
    std::vector<std::string> texts;
    for (const Vectorless& row : batch->rows) texts.push_back(EmbeddedText(row.title, row.content));
    const auto vectors = remote_->OfRows(texts, stop);
    if (!vectors) return false;
    store = stores_->IfOpen(name);
    if (!store) continue;
    if (Status put = store->PutRemoteVectors(*batch, *model, *vectors); !put) {
      NoteLater(file, put.error());
      remote_from_ = std::chrono::steady_clock::now() + kAfterFailedPut;
      return false;
    }
  }
  return more;
}

std::shared_ptr<Store> SqlEngine::NextOpen(std::string& name) { return stores_->NextOpen(name); }

}  // namespace memory
