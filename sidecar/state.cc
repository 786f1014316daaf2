// Opens state.db: two connections, one that writes and one that reads, over the joined schema.
#include "sidecar/state.h"

#include <utility>

#include "lib/base/file.h"
#include "lib/conversation/conversations.h"
#include "sidecar/journal.h"
#include "sidecar/outbox.h"

namespace sidecar {
namespace {

constexpr int kCacheKib = 512;  // each connection; rows are appended and read once

}  // namespace

base::Result<std::unique_ptr<State>> State::Open(
    const std::string& directory, std::function<void(const base::Error&)> on_sync_failure) {
  RETURN_IF_ERROR(base::MakeDirectories(directory));
  const std::string path = directory + "/state.db";
  ASSIGN_OR_RETURN(auto writer, sqlite::Database::Open(path, {.access = sqlite::Access::kWriter,
                                                              .cache_kib = kCacheKib}));
  // A step that was released never changes; later ones are added behind it.
  const std::string first = std::string(conversation::kSchema) + kOutboxSchema + kJournalSchema;
  RETURN_IF_ERROR(sqlite::Migrate(writer, {first.c_str(), kOutboxCauseStep}));
  ASSIGN_OR_RETURN(auto reader, sqlite::Database::Open(path, {.access = sqlite::Access::kReader,
                                                              .cache_kib = kCacheKib}));
  return std::unique_ptr<State>(
      new State(std::move(writer), std::move(reader), std::move(on_sync_failure)));
}

State::State(sqlite::Database writer, sqlite::Database reader,
             std::function<void(const base::Error&)> on_sync_failure)
    : reader_(std::move(reader)) {
  sqlite::Writer::Options options;
  options.on_sync_failure = std::move(on_sync_failure);
  writer_ = std::make_unique<sqlite::Writer>(std::move(writer), std::move(options));
}

}  // namespace sidecar
