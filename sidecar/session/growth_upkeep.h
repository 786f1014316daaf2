// Carries a growth plan out: piece by piece, each a commit of its own, so that hooks come in
// between and a stop need not wait. What goes is decided in growth_plan.h.
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
    GrowthLimits limits = {};  // its max_bytes is the setting
    // Size of the volume, asked each round, since volumes grow; 0: not known. Without it, and
    // without a setting, the size is no reason.
    std::function<int64_t()> volume_bytes = nullptr;
  };
  struct Removed {  // by kind; of ended conversations themselves, not of their rows
    int64_t answers = 0, injections = 0, ledgers = 0, conversations = 0, audit = 0, messages = 0;
    int64_t& Of(Growing kind);
  };
  // All must outlive it. `stopping` is asked between pieces.
  GrowthUpkeep(State& state, telemetry::Metrics& metrics, Options options,
               std::function<bool()> stopping);

  // One round on the caller's thread. What is refused is left for the next one.
  Removed Run(int64_t aged_ms, int64_t now_ms);

 private:
  struct Piece {
    int64_t removed = 0;  // of what Removed counts
    bool last = false;    // nothing is left of this cut
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
  std::string behind_ledger_;         // where the next piece of ledgers begins
  std::vector<std::string> waiting_;  // conversations of the present cut; the last comes next
  bool fetched_ = false;              // and whether they were looked for
  bool said_ = false;                 // that nothing more may go
};

}  // namespace sidecar
