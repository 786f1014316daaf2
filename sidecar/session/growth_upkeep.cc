// A piece only deletes rows, which works on a full volume, too.
#include "sidecar/session/growth_upkeep.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/base/process/log.h"
#include "sidecar/growth/growth_tables.h"
#include "sidecar/growth/pruning.h"
#include "sidecar/tables/audit_log.h"

namespace sidecar {
namespace {

using base::Result;
using Space = State::Space;

constexpr int kMostPieces = 400;  // in a round, once a minute

}  // namespace

int64_t& GrowthUpkeep::Removed::Of(EvictionClass kind) {
  switch (kind) {
    case EvictionClass::kAnswers:
      return answers;
    case EvictionClass::kInjections:
      return injections;
    case EvictionClass::kLedgers:
      return ledgers;
    case EvictionClass::kConversations:
      return conversations;
    case EvictionClass::kAudit:
      return audit;
    case EvictionClass::kMessages:
      break;
  }
  return messages;
}

GrowthUpkeep::GrowthUpkeep(State& state, telemetry::Metrics& metrics, Options options,
                           std::function<bool()> stopping)
    : state_(state),
      metrics_(metrics),
      options_(std::move(options)),
      stopping_(std::move(stopping)) {}

GrowthUpkeep::Removed GrowthUpkeep::Run(int64_t aged_ms, int64_t now_ms) {
  const GrowthLimits limits = Limits();
  GrowthPlan plan(limits, aged_ms, now_ms);
  Removed removed;
  fetched_ = false;
  for (int pieces = 0; pieces < kMostPieces && !stopping_(); ++pieces) {
    const auto used = state_.Read([](sqlite::Database& db) { return db.UsedBytes(); });
    const auto cut = used ? plan.Next(*used) : std::nullopt;
    if (!cut) break;
    const auto piece = Remove(*cut);
    if (!piece) {
      base::LogWarn("rows to evict could not be deleted; the next round retries",
                    {{"what", NameOf(cut->kind)}, {"reason", piece.error().message}});
      break;
    }
    removed.Of(cut->kind) += piece->removed;
    metrics_.Count("agent_memory_sidecar_forgotten_total",
                   {{"what", NameOf(cut->kind)}, {"reason", NameOf(cut->reason)}},
                   static_cast<double>(piece->removed));
    if (!piece->last) continue;
    plan.SetExhausted(*cut);
    fetched_ = false;
  }
  ShowSize(limits);
  return removed;
}

GrowthLimits GrowthUpkeep::Limits() const {
  GrowthLimits limits = options_.limits;
  if (options_.volume_bytes)
    limits.max_bytes = StateLimit(limits.max_bytes, options_.volume_bytes());
  return limits;
}

Result<GrowthUpkeep::Piece> GrowthUpkeep::Remove(const Cut& cut) {
  switch (cut.kind) {
    case EvictionClass::kAnswers:
      return RemoveSome(RemoveAnswers, cut);
    case EvictionClass::kInjections:
      return RemoveSome(RemoveInjections, cut);
    case EvictionClass::kLedgers:
      return RemoveLedgers(cut);
    case EvictionClass::kConversations:
      return RemoveConversation(cut);
    case EvictionClass::kAudit:
      return RemoveSome(RemoveReadAudit, cut);
    case EvictionClass::kMessages:
      break;
  }
  return RemoveMessages(cut);
}

Result<GrowthUpkeep::Piece> GrowthUpkeep::RemoveSome(Result<int64_t> (*remove)(sqlite::Database&,
                                                                               const Cut&),
                                                     const Cut& cut) {
  ASSIGN_OR_RETURN(
      const int64_t removed,
      state_.Write<int64_t>([&](sqlite::Database& db) { return remove(db, cut); }, Space::kFrees));
  return Piece{removed, removed == 0};
}

Result<GrowthUpkeep::Piece> GrowthUpkeep::RemoveLedgers(const Cut& cut) {
  ASSIGN_OR_RETURN(
      const LedgerPiece piece,
      state_.Write<LedgerPiece>(
          [&](sqlite::Database& db) { return RemoveUnknownLedgers(db, cut, after_ledger_); },
          Space::kFrees));
  after_ledger_ = piece.last ? "" : piece.next;
  return Piece{piece.removed, piece.last};
}

// Removes a piece of the conversation's rows, and finally the conversation.
Result<GrowthUpkeep::Piece> GrowthUpkeep::RemoveConversation(const Cut& cut) {
  if (waiting_.empty() || !fetched_) {
    ASSIGN_OR_RETURN(
        waiting_, state_.Read([&](sqlite::Database& db) { return EndedConversations(db, cut); }));
    std::ranges::reverse(waiting_);
    fetched_ = true;
    if (waiting_.empty()) return Piece{0, true};
  }
  const std::string& id = waiting_.back();
  const int64_t before_ms = cut.reason == Cut::Reason::kAge ? cut.before_ms : INT64_MAX;
  ASSIGN_OR_RETURN(const int64_t rows, state_.Write<int64_t>(
                                           [&](sqlite::Database& db) {
                                             return PruneRows(db, id, before_ms, kRowsOfAPiece);
                                           },
                                           Space::kFrees));
  if (rows > 0) return Piece{};
  ASSIGN_OR_RETURN(
      const bool gone,
      state_.Write<bool>([&](sqlite::Database& db) { return PruneConversation(db, id, before_ms); },
                         Space::kFrees));
  waiting_.pop_back();
  return Piece{gone, false};
}

Result<GrowthUpkeep::Piece> GrowthUpkeep::RemoveMessages(const Cut& cut) {
  if (!fetched_) {
    ASSIGN_OR_RETURN(waiting_,
                     state_.Read([](sqlite::Database& db) { return LongConversations(db); }));
    fetched_ = true;
  }
  if (waiting_.empty()) return Piece{0, true};
  const std::string& id = waiting_.back();
  ASSIGN_OR_RETURN(
      const int64_t removed,
      state_.Write<int64_t>([&](sqlite::Database& db) { return RemoveOldMessages(db, cut, id); },
                            Space::kFrees));
  if (removed == 0) waiting_.pop_back();
  return Piece{removed, false};
}

void GrowthUpkeep::ShowSize(const GrowthLimits& limits) {
  const auto used = state_.Read([](sqlite::Database& db) { return db.UsedBytes(); });
  const auto totals = state_.Read([](sqlite::Database& db) { return GrowthTotals(db); });
  const auto audit = state_.Read([](sqlite::Database& db) { return ReadAuditStatus(db); });
  if (!used || !totals || !audit) return;
  metrics_.SetGauge("agent_memory_sidecar_audit_unread", static_cast<double>(audit->unread));
  metrics_.SetGauge("agent_memory_sidecar_state_bytes", static_cast<double>(*used));
  metrics_.SetGauge("agent_memory_sidecar_state_limit_bytes",
                    static_cast<double>(limits.max_bytes));
  for (const auto& [kind, total] : *totals) {
    metrics_.SetGauge("agent_memory_sidecar_kept_rows", static_cast<double>(total.rows),
                      {{"what", kind}});
    metrics_.SetGauge("agent_memory_sidecar_kept_bytes", static_cast<double>(total.bytes),
                      {{"what", kind}});
  }
  const bool over = limits.max_bytes > 0 && *used > limits.max_bytes && !stopping_();
  if (over && !warned_) {
    base::LogWarn(
        "state.db exceeds its share of the volume, and its remaining rows may not be deleted",
        {{"bytes", *used}, {"limit", limits.max_bytes}});
  }
  warned_ = over;
}

}  // namespace sidecar
