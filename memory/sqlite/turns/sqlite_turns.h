// The turns of a store's file over its writer and its readers.
#pragma once

#include <atomic>
#include <functional>

#include "lib/base/guarded.h"
#include "lib/base/process/clock.h"
#include "lib/sqlite/writer.h"
#include "memory/sqlite/reading/snapshot.h"
#include "memory/store/turns.h"

namespace memory {

base::Result<int64_t> CountPendingTurns(sqlite::Database& database);

class SqliteTurns final : public Turns {
 public:
  // All outlive it.
  struct Parts {
    sqlite::Writer& writer;
    ReaderPool& readers;
    const base::Clock& clock;
    int64_t pending;                      // CountPendingTurns of the file
    std::function<base::Status()> admit;  // before a write that consumes space
  };
  explicit SqliteTurns(Parts parts) : parts_(std::move(parts)), pending_(parts_.pending) {}

  base::Result<TurnAccepted> Accept(const Turn& turn, const RequestKey& key) override;
  base::Result<std::optional<TurnState>> Find(const TraceContext& context,
                                              const std::string& id) override;
  bool AnyPending() const override { return pending_ > 0; }
  base::Result<std::optional<PendingTurn>> Next() override;
  base::Result<TurnsDue> Finish(const PendingTurn& turn, const base::Json& facts,
                                int64_t reflect_tokens) override;
  base::Status Fail(const PendingTurn& turn, const std::string& reason,
                    int64_t most_tries) override;
  base::Result<std::optional<std::string>> Retry(const TraceContext& context,
                                                 const std::string& id) override;
  base::Status Sweep();  // removes turns that were done long ago

 private:
  base::Status RefuseBeyondLimit() const;
  base::Status RefuseBeyondShare(sqlite::Database& database, const std::string& owner) const;
  base::Result<std::optional<std::string>> NextOwner(sqlite::Database& database);
  const Parts parts_;
  std::atomic<int64_t> pending_;
  base::Guarded<std::string> last_owner_;  // whose turn was the last
};

}  // namespace memory
