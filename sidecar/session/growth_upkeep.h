// Executes a growth plan (growth_plan.h) piece by piece, each piece one commit, so that hooks and a
// stop wait for one piece at most.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lib/telemetry/metrics.h"
#include "sidecar/growth/growth_plan.h"
#include "sidecar/state/state.h"

namespace sidecar {

class GrowthUpkeep {
 public:
  struct Options {
    GrowthLimits limits = {};  // max_bytes: the setting, see StateLimit
    // Size of the volume, read each round, since volumes grow; 0: unknown, and without a setting
    // nothing is evicted by size.
    std::function<int64_t()> volume_bytes = nullptr;
  };
  struct Removed {  // by kind; a conversation counts once, without its rows
    int64_t answers = 0, injections = 0, ledgers = 0, conversations = 0, audit = 0, messages = 0;
    int64_t& Of(EvictionClass kind);
  };
  // All arguments outlive it. `stopping` is called between pieces.
  GrowthUpkeep(State& state, telemetry::Metrics& metrics, Options options,
               std::function<bool()> stopping);

  // One round on the caller's thread. A failed piece is retried in the next round.
  Removed Run(int64_t aged_ms, int64_t now_ms);

 private:
  struct Piece {
    int64_t removed = 0;  // in the units of Removed
    bool last = false;    // no row of this cut is left
  };
  base::Result<Piece> Remove(const Cut& cut);
  base::Result<Piece> RemoveSome(base::Result<int64_t> (*remove)(sqlite::Database&, const Cut&),
                                 const Cut& cut);
  base::Result<Piece> RemoveLedgers(const Cut& cut);
  base::Result<Piece> RemoveConversation(const Cut& cut);
  base::Result<Piece> RemoveMessages(const Cut& cut);
  GrowthLimits Limits() const;
  void ShowSize(const GrowthLimits& limits);

  State& state_;
  telemetry::Metrics& metrics_;
  const Options options_;
  const std::function<bool()> stopping_;
  std::string after_ledger_;          // the `after` of the next piece of ledgers
  std::vector<std::string> waiting_;  // conversations of the current cut; the last comes next
  bool fetched_ = false;              // whether `waiting_` was read
  bool warned_ = false;               // the log has a warning that the file exceeds its limit
};

}  // namespace sidecar
