// A run reads all sketches in one snapshot, plans, then changes traces in small transactions. Each
// transaction checks again that a trace is still as sketched.
#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/base/process/random.h"
#include "lib/base/text/text.h"
#include "memory/model/gist.h"
#include "memory/model/near_pairs.h"
#include "memory/model/told_apart.h"
#include "memory/sqlite/consolidation/sketches.h"
#include "memory/sqlite/consolidation/sqlite_consolidation.h"
#include "memory/sqlite/tables/waiting.h"
#include "memory/sqlite/traces/archive.h"
#include "memory/sqlite/traces/trace_edges.h"

namespace memory {

using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

namespace {

// Changes in one transaction: few, so that no write waits long and a query applies them to its
// resident index (kCatchUp) instead of searching the file.
constexpr size_t kAtOnce = 8;
constexpr size_t kPairsAtOnce = 50;  // edges are in no index; a commit costs readers caches

// Sets a flag for its lifetime, unless another owner has set it.
class Running {
 public:
  explicit Running(std::atomic<bool>& flag) : flag_(flag), mine_(!flag.exchange(true)) {}
  Running(const Running&) = delete;
  ~Running() {
    if (mine_) flag_ = false;
  }
  bool mine() const { return mine_; }

 private:
  std::atomic<bool>& flag_;
  const bool mine_;
};

// What tells the texts of traces apart, as a digest of each that was asked for.
class ToldApart {
 public:
  ToldApart(Database& database, const Sketches& read) : database_(database), read_(read) {}
  bool IsSo(size_t first, size_t second) { return DigestOf(first) != DigestOf(second); }

 private:
  size_t DigestOf(size_t trace) {
    const auto known = digests_.find(trace);
    if (known != digests_.end()) return known->second;
    size_t digest = trace;  // what cannot be read is like nothing else
    auto content = database_.Prepare("SELECT content FROM observations WHERE slot = ?1");
    if (content) {
      content->Bind(read_.traces[trace].slot);
      const auto found = content->Step();
      if (found && *found)
        digest = std::hash<std::string>()(base::Join(TellingWords(content->Text(0)), " "));
    }
    return digests_[trace] = digest;
  }
  Database& database_;
  const Sketches& read_;
  std::unordered_map<size_t, size_t> digests_;
};

// Skips pairs with a trace that has no vector, and those that a number or a negation tells apart.
NearSource NearOf(const Sketches& read, size_t dimensions, double least, ToldApart& apart) {
  return [&read, &apart, dimensions, least](const PairTaker& taker) {
    PairTaker alike = taker;
    alike.take = [&](size_t first, size_t second) {
      if (!apart.IsSo(first, second)) taker.take(first, second);
    };
    NearPairs(read.vectors, dimensions, least, alike);
  };
}

}  // namespace

struct SqliteConsolidation::Round {
  SqliteConsolidation& self;
  const TraceContext& context;
  const int64_t now_ms;
  int64_t number = 0;
  ConsolidationRun run;

  const TraceWriting& writing() const { return self.parts_.writing; }

  // Calls `change` for each of `list`, several in a transaction. → how many it changed.
  template <class T, class Change>
  Status Each(const std::vector<T>& list, int64_t& count, Change&& change,
              size_t at_once = kAtOnce) {
    for (size_t first = 0; first < list.size(); first += at_once) {
      const auto part = std::span(list).subspan(first, std::min(at_once, list.size() - first));
      RETURN_IF_ERROR(self.parts_.admit());
      int64_t changed = 0;
      RETURN_IF_ERROR(self.parts_.writer.RunAny([&](Database& database) -> Status {
        changed = 0;
        for (const T& one : part) {
          ASSIGN_OR_RETURN(const bool did, change(database, one));
          changed += did;
        }
        // Otherwise each concurrent search asks the writer to index them, and waits for it.
        return changed > 0 ? IndexWaiting(database) : Status();
      }));
      count += changed;
    }
    return {};
  }

  // The trace, if it is still as sketched; else nullopt.
  Result<std::optional<TraceRow>> Unchanged(Database& database, int64_t slot) {
    ASSIGN_OR_RETURN(auto row, ReadTrace(database, slot));
    const bool same = row && row->live && row->row.updated_ms <= now_ms &&
                      row->strength.accessed_ms <= now_ms && IsVisible(*row, context);
    return same ? std::move(row) : std::optional<TraceRow>();
  }

  Result<bool> Prune(Database& database, int64_t slot) {
    ASSIGN_OR_RETURN(auto row, Unchanged(database, slot));
    if (!row) return false;
    row->reason = PrunedBy(run.id);
    RETURN_IF_ERROR(PutTrace(database, *row));
    RETURN_IF_ERROR(HideInside(database, writing().salt, slot, now_ms));
    RETURN_IF_ERROR(NoteAction(database, number, {"prune", slot, 0, {}, {}}));
    return true;
  }

  Result<bool> Merge(Database& database, const std::vector<int64_t>& slots) {
    MergeSources sources;
    std::vector<std::string> texts;
    std::set<std::string> tags;
    std::string text;
    for (int64_t slot : slots) {
      ASSIGN_OR_RETURN(auto row, Unchanged(database, slot));
      if (!row) continue;
      texts.push_back(row->row.content);
      std::string united = UnitedText(texts);
      std::set<std::string> with = tags;
      with.insert(row->row.tags.begin(), row->row.tags.end());
      if (base::CountCharacters(united) > api::kMaxContent || with.size() > kMaxTraceTags) {
        texts.pop_back();
        continue;  // the others may fit
      }
      text = std::move(united);
      tags = std::move(with);
      sources.stored.push_back(std::move(*row));
    }
    if (sources.stored.size() < 2) return false;
    sources.now = sources.stored;
    const api::Source source{"memory_reflect", "", "", sources.now.front().row.source.origin};
    ASSIGN_OR_RETURN(const TraceRow merged, MergeInside(database, context, std::move(sources), text,
                                                        source, writing(), now_ms));
    RETURN_IF_ERROR(NoteAction(database, number, {"merge", merged.slot, 1, {}, {}}));
    return true;
  }

  // Adds both directions between the traces that stand for the pair now; keeps an existing edge of
  // another kind.
  Result<bool> Strengthen(Database& database, const std::pair<int64_t, int64_t>& pair,
                          int64_t times) {
    ASSIGN_OR_RETURN(Statement done,
                     database.Prepare("DELETE FROM trace_pairs WHERE low = ?1 AND high = ?2"));
    RETURN_IF_ERROR(done.Bind(pair.first).Bind(pair.second).Run());
    EdgeEnds ends(database);
    ASSIGN_OR_RETURN(const auto one, ends.Of(pair.first));
    ASSIGN_OR_RETURN(const auto other, ends.Of(pair.second));
    if (!one || !other || *one == *other) return false;
    bool any = false;
    for (const auto& [from, to] : {std::pair{*one, *other}, std::pair{*other, *one}}) {
      ASSIGN_OR_RETURN(const bool did, StrengthenOne(database, from, to, times));
      any = any || did;
    }
    return any;
  }

  Result<bool> StrengthenOne(Database& database, int64_t from, int64_t to, int64_t times) {
    ASSIGN_OR_RETURN(const auto edges, EdgesFrom(database, from));
    const auto old = std::find_if(edges.begin(), edges.end(),
                                  [&](const EdgeRow& edge) { return edge.to == to; });
    const bool known = old != edges.end();
    if (known ? old->kind != kCoactivated : edges.size() >= kMaxTraceEdges) return false;
    std::optional<double> before;
    if (known) before = old->weight;
    const double after = CoactivatedWeight(before.value_or(0), times);
    RETURN_IF_ERROR(PutTraceEdge(database, from, {to, kCoactivated, after}));
    RETURN_IF_ERROR(NoteAction(database, number, {"strengthen", from, to, before, after}));
    return true;
  }

  Result<bool> Compact(Database& database, int64_t slot) {
    ASSIGN_OR_RETURN(const auto row, Unchanged(database, slot));
    if (!row) return false;
    Patch patch;
    patch.type = kSemantic;
    patch.writer = row->row.source.origin;
    patch.replace_user = true;
    std::string gist = GistOf(row->row.content, self.parts_.rules.gist_characters);
    const bool shorter = gist != row->row.content;
    if (shorter) patch.content = std::move(gist);
    ASSIGN_OR_RETURN(const auto now,
                     ChangeInside(database, row->row.id, patch, writing().facts_of, now_ms));
    if (shorter)
      RETURN_IF_ERROR(Archive(database, slot, now.revision_count, row->row.content, now_ms));
    RETURN_IF_ERROR(NoteAction(database, number, {"compact", slot, now.revision_count, {}, {}}));
    return true;
  }

  Status Apply(const ConsolidationPlan& plan, const Sketches& read) {
    for (bool trimmed = false; !trimmed;)
      RETURN_IF_ERROR(self.parts_.writer.RunAny([&](Database& database) -> Status {
        ASSIGN_OR_RETURN(trimmed, TrimRuns(database, context));
        return {};
      }));
    RETURN_IF_ERROR(self.parts_.writer.RunAny([&](Database& database) -> Status {
      ASSIGN_OR_RETURN(number, BeginRun(database, context, run.id, now_ms));
      self.active_ = number;
      return {};
    }));
    RETURN_IF_ERROR(Each(plan.prune, run.counts.pruned,
                         [&](Database& database, int64_t slot) { return Prune(database, slot); }));
    RETURN_IF_ERROR(Each(plan.merge, run.counts.merged,
                         [&](Database& database, const std::vector<int64_t>& slots) {
                           return Merge(database, slots);
                         }));
    std::vector<size_t> pairs(read.pairs.size());
    for (size_t i = 0; i < pairs.size(); ++i) pairs[i] = i;
    RETURN_IF_ERROR(Each(
        pairs, run.counts.strengthened,
        [&](Database& database, size_t i) {
          return Strengthen(database, read.pairs[i], read.times[i]);
        },
        kPairsAtOnce));
    for (const std::vector<int64_t>* slots : {&plan.compact, &plan.compact_unmerged})
      RETURN_IF_ERROR(Each(*slots, run.counts.compacted, [&](Database& database, int64_t slot) {
        return Compact(database, slot);
      }));
    return {};
  }
};

Result<ConsolidationRun> SqliteConsolidation::Reflect(const TraceContext& context, bool dry_run,
                                                      const std::string& writer) {
  const Running running(running_);
  Round round{*this, context, NowMs(), 0, {}};
  round.run.started_ms = round.now_ms;
  round.run.dry_run = dry_run;
  round.run.busy = !running.mine();
  if (round.run.busy) return round.run;
  const int64_t begun_ms = parts_.clock.MonotonicMs();
  RETURN_IF_ERROR(parts_.keep_retrievals());
  const size_t dimensions = parts_.embedder ? parts_.embedder->dimensions() : 0;
  Sketches read;
  {
    ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::BeginUnhurried(parts_.readers));
    ASSIGN_OR_RETURN(read,
                     ReadSketches(snapshot.database(), context, writer,
                                  parts_.embedder ? parts_.embedder->model() : 0, dimensions));
  }
  ConsolidationPlan plan;
  {
    ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::BeginUnhurried(parts_.readers));
    ToldApart apart(snapshot.database(), read);
    plan = PlanConsolidation(read.traces, NearOf(read, dimensions, parts_.rules.merge_above, apart),
                             parts_.writing.decay_now(), parts_.rules, parts_.writing.strength);
  }
  round.run.partial = read.partial;
  ConsolidationCounts& counts = round.run.counts;
  if (dry_run) {
    counts.pruned = static_cast<int64_t>(plan.prune.size());
    counts.merged = static_cast<int64_t>(plan.merge.size());
    counts.strengthened = static_cast<int64_t>(read.pairs.size());
    counts.compacted = static_cast<int64_t>(plan.compact.size());
    round.run.duration_ms = parts_.clock.MonotonicMs() - begun_ms;
    return round.run;
  }
  round.run.id = base::RandomUuid();
  const Status applied = round.Apply(plan, read);
  round.run.duration_ms = parts_.clock.MonotonicMs() - begun_ms;
  if (applied && parts_.derives) round.run.derive = kDerivePending;
  if (round.number > 0) {
    const Status ended = parts_.writer.RunAny([&](Database& database) -> Status {
      if (!round.run.derive.empty())
        RETURN_IF_ERROR(NoteDeriveRequest(database, round.number, context, writer));
      return EndRun(database, round.number, round.run);
    });
    active_ = 0;
    RETURN_IF_ERROR(applied);
    RETURN_IF_ERROR(ended);
    if (parts_.derives) ++pending_;
  }
  RETURN_IF_ERROR(applied);
  return round.run;
}

}  // namespace memory
