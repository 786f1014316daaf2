// Consolidation over a store's writer and readers. One run at a time per tenant.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "lib/base/process/clock.h"
#include "lib/sql/writer.h"
#include "memory/sqlite/consolidation/run_log.h"
#include "memory/sqlite/reading/snapshot.h"
#include "memory/sqlite/traces/trace_writes.h"
#include "memory/store/consolidation.h"
#include "memory/store/embedder.h"

namespace memory {

class SqliteConsolidation final : public Consolidation {
 public:
  // All outlive it.
  struct Parts {
    sql::Writer& writer;
    ReaderPool& readers;
    const base::Clock& clock;
    TraceWriting writing;
    std::function<base::Status()> admit;            // before a write that consumes space
    std::function<base::Status()> keep_retrievals;  // persists retrievals counted in memory
    const Embedder* embedder = nullptr;             // null: merges only equal texts
    ConsolidationRules rules;
    bool derives = false;  // each run asks for insights
    int64_t pending = 0;   // CountRunsToDerive of the file
  };
  explicit SqliteConsolidation(Parts parts) : parts_(std::move(parts)), pending_(parts_.pending) {}

  base::Result<ConsolidationRun> Reflect(const TraceContext& context, bool dry_run,
                                         const std::string& writer) override;
  base::Result<std::vector<ConsolidationRun>> Runs(const TraceContext& context,
                                                   size_t limit) override;
  base::Result<std::optional<ConsolidationCounts>> Undo(const TraceContext& context,
                                                        const std::string& run) override;
  base::Result<std::optional<Original>> Rehydrate(const TraceContext& context,
                                                  const std::string& trace) override;
  bool AnyToDerive() const override { return pending_ > 0; }
  base::Result<std::optional<DeriveWork>> NextToDerive() override;
  base::Status Derived(const DeriveWork& work, const DerivedInsights& derived) override;
  base::Status Sweep();  // removes originals that nobody read for long

 private:
  struct Round;
  int64_t NowMs() const { return parts_.clock.NowMs(); }
  base::Result<bool> UndoOne(sql::Database& database, const std::string& run,
                             const ConsolidationAction& action);
  base::Result<bool> PutInsight(sql::Database& database, const DeriveWork& work,
                                const DerivedInsight& insight, int64_t now_ms);
  const Parts parts_;
  std::atomic<bool> running_{false};
  std::atomic<int64_t> active_{0};  // the number of the run that changes traces now
  std::atomic<int64_t> pending_;    // runs that wait for insights
  std::string last_derived_;        // whose run was the last; of the one thread that asks for them
};

}  // namespace memory
