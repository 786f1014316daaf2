// One pass over the traces of a project.
#include "memory/sqlite/consolidation/sketches.h"

#include <algorithm>
#include <unordered_set>

#include "lib/base/limits/byte_budget.h"
#include "memory/model/slots.h"
#include "memory/sqlite/ranking/near_rows.h"
#include "memory/sqlite/tables/live.h"
#include "memory/sqlite/tables/rows.h"

namespace memory {

using base::Result;
using sql::Database;
using sql::Statement;

namespace {

constexpr size_t kMostPairs = 50'000;  // of a context in a run; the next run has the others
// Of a trace beside its vector: the sketch, its places in maps of the run, and its part of the
// plan.
constexpr size_t kBytesOfSketch = 600;
constexpr size_t kChargedAtOnce = 256;  // sketches

// Charges the sketches of a run.
class SketchCharge {
 public:
  explicit SketchCharge(size_t bytes_of_one) : bytes_(bytes_of_one) {}

  // False: a run may have no more of them.
  Result<bool> Add() {
    if (charge_ == nullptr || charge_->budget() == nullptr || count_++ % kChargedAtOnce != 0)
      return true;
    const size_t most = charge_->budget()->largest() / 2;
    if ((count_ + kChargedAtOnce) * bytes_ > most) return false;
    if (charge_->TryAdd(kChargedAtOnce * bytes_)) return true;
    return base::Error{base::Code::kUnavailable,
                       "memory-budget: other requests hold the memory that a run over these traces "
                       "needs; ask again"};
  }

 private:
  base::ByteCharge* const charge_ = base::ByteCharge::OfThisThread();
  const size_t bytes_;
  size_t count_ = 0;
};

#define MEMORY_SELECT_SKETCHES                                                               \
  "SELECT t.slot, o.type, t.scope, t.scope_id, t.strength, t.accessed_ms, t.retrievals, "    \
  "t.remind_ms, o.hash, o.created_ms, o.origin, v.vector FROM traces t JOIN observations o " \
  "ON o.slot = t.slot LEFT JOIN vectors v ON v.slot = t.slot AND v.model = ?2 WHERE t.slot " \
  "BETWEEN ?1 AND ?3 AND NOT (" MEMORY_PINNED ") AND " MEMORY_LIVE "ORDER BY t.slot "

}  // namespace

Result<Sketches> ReadSketches(Database& database, const TraceContext& context,
                              const std::string& writer, int64_t model, size_t dimensions,
                              SketchOrder order, size_t most) {
  Sketches read;
  ASSIGN_OR_RETURN(const auto project, FindProject(database, context.project));
  if (!project) return read;
  ASSIGN_OR_RETURN(Statement rows, database.Prepare(order == SketchOrder::kOldestFirst
                                                        ? MEMORY_SELECT_SKETCHES
                                                        : MEMORY_SELECT_SKETCHES "DESC"));
  rows.Bind(*project << kRangeBits).Bind(model).Bind(((*project + 1) << kRangeBits) - 1);
  SketchCharge charge(kBytesOfSketch + dimensions);
  RETURN_IF_ERROR(rows.ForEachRow([&](const Statement& row) -> Result<bool> {
    TraceSketch one;
    one.slot = row.Int(0);
    one.kind = row.Text(1);
    one.scope = row.Text(2);
    const bool own = row.Text(3) == context.ScopeId(one.scope);
    if (!own || (row.Text(10) == api::kOriginUser && writer != api::kOriginUser)) return true;
    ASSIGN_OR_RETURN(const bool room, charge.Add());
    read.partial = !room || read.traces.size() >= most;
    if (read.partial) return false;
    one.strength = {row.Real(4), row.Int(5), row.Int(6)};
    if (!row.IsNull(7)) one.remind_ms = row.Int(7);
    one.hash = row.Text(8);
    one.created_ms = row.Int(9);
    read.traces.push_back(std::move(one));
    if (dimensions == 0) return true;
    const std::string bytes = row.Text(11);
    const auto vector = AsVector(bytes);
    read.vectors.resize(read.traces.size() * dimensions);
    if (vector.size() == dimensions)
      std::copy(vector.begin(), vector.end(),
                read.vectors.end() - static_cast<std::ptrdiff_t>(dimensions));
    return true;
  }));
  std::unordered_set<int64_t> own;
  for (const TraceSketch& one : read.traces) own.insert(one.slot);
  // Only pairs of the context count, however many others have.
  ASSIGN_OR_RETURN(Statement pairs,
                   database.Prepare("SELECT low, high, times FROM trace_pairs WHERE low BETWEEN ?1 "
                                    "AND ?2 ORDER BY low, high"));
  pairs.Bind(*project << kRangeBits).Bind(((*project + 1) << kRangeBits) - 1);
  RETURN_IF_ERROR(pairs.ForEachRow([&](const Statement& row) {
    if (!own.contains(row.Int(0)) || !own.contains(row.Int(1))) return true;
    read.pairs.emplace_back(row.Int(0), row.Int(1));
    read.times.push_back(row.Int(2));
    return read.pairs.size() < kMostPairs;
  }));
  return read;
}

}  // namespace memory
