// Creates, merges and unmerges traces.
#include "memory/sqlite/traces/trace_writes.h"

#include <algorithm>
#include <set>

#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"
#include "memory/sqlite/removal/deletions.h"
#include "memory/sqlite/tables/rows.h"
#include "memory/sqlite/traces/trace_edges.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using sql::Database;

namespace {

// Each trace has its own observation, also if another one has the same text.
constexpr int64_t kNoWindow = -1;

// The merged fields of the sources. kInvalid: different scopes, or too much for one trace.
Result<NewTrace> Together(const std::vector<TraceRow>& sources, const std::string& content,
                          const api::Source& source, int64_t now_ms, const StrengthRules& rules) {
  NewTrace merged;
  merged.scope = sources.front().scope;
  merged.source = source;
  const TraceRow* strongest = &sources.front();
  std::set<std::string> known;
  double most = -1;
  for (const TraceRow& one : sources) {
    if (one.scope != merged.scope || one.scope_id != sources.front().scope_id) {
      return Error{Code::kInvalid, "traceIds are of two scopes: " + sources.front().id + " is of " +
                                       merged.scope + " \"" + sources.front().scope_id + "\", " +
                                       one.id + " of " + one.scope + " \"" + one.scope_id + "\""};
    }
    if (content.empty()) merged.content += (merged.content.empty() ? "" : "\n") + one.row.content;
    for (const std::string& tag : one.row.tags)
      if (known.insert(tag).second) merged.tags.push_back(tag);
    merged.source.origin = api::LowerOrigin(merged.source.origin, one.row.source.origin);
    const double strength = StrengthAt(one.strength, KindOf(one.row), one.remind_ms, now_ms, rules);
    if (strength > most) most = strength, strongest = &one;
  }
  if (!content.empty()) merged.content = content;
  merged.kind = KindOf(strongest->row);
  merged.remind_ms = strongest->remind_ms;
  merged.emotions = strongest->emotions;
  merged.metadata = strongest->metadata;
  const size_t characters = base::CountCharacters(merged.content);
  if (characters > api::kMaxContent) {
    return Error{Code::kInvalid, "the merged content has " + std::to_string(characters) +
                                     " characters, the limit is " +
                                     std::to_string(api::kMaxContent) + "; give a content"};
  }
  if (merged.tags.size() > kMaxTraceTags) {
    return Error{Code::kInvalid, "the traces have " + std::to_string(merged.tags.size()) +
                                     " tags together, the limit is " +
                                     std::to_string(kMaxTraceTags)};
  }
  return merged;
}

// In one order, whatever a call names first.
std::vector<int64_t> SlotsOf(const std::vector<TraceRow>& rows) {
  std::vector<int64_t> slots;
  for (const TraceRow& row : rows) slots.push_back(row.slot);
  std::sort(slots.begin(), slots.end());
  return slots;
}

// Of which row a merged one was made: it keeps the text also after an unmerge.
base::Status NoteSource(Database& database, int64_t merged, int64_t source) {
  ASSIGN_OR_RETURN(
      sql::Statement note,
      database.Prepare("INSERT INTO trace_sources VALUES(?1, ?2) ON CONFLICT DO NOTHING"));
  return note.Bind(merged).Bind(source).Run();
}

Strength HighestOf(const std::vector<TraceRow>& sources, int64_t now_ms,
                   const StrengthRules& rules) {
  Strength highest{0, now_ms, 0};
  for (const TraceRow& one : sources) {
    highest.value = std::max(
        highest.value, StrengthAt(one.strength, KindOf(one.row), one.remind_ms, now_ms, rules));
    highest.retrievals = std::max(highest.retrievals, one.strength.retrievals);
  }
  return highest;
}

}  // namespace

std::string TraceSessionName(const std::string& scope, const TraceContext& context) {
  if (context.conversation != kDefaultScopeId) return context.conversation;
  const std::string id = context.ScopeId(scope);
  if (id == kDefaultScopeId) return "traces";
  return "traces-" + base::Sha256Hex(scope + "\n" + id).substr(0, 16);
}

Saving SavingOf(const NewTrace& trace, const TraceContext& context, const TraceWriting& writing,
                int64_t now_ms) {
  const api::NewObservation made = ObservationOf(trace, context.project);
  Saving saving(made, writing.facts_of(made.title, made.content), writing.salt, kNoWindow, now_ms);
  if (trace.scope != kOrganizationScope)
    saving.owner = OwnerDigest(writing.salt, trace.scope, context.ScopeId(trace.scope));
  return saving;
}

Result<TraceRow> InsertTrace(Database& database, const TraceContext& context, const NewTrace& trace,
                             Saving& saving) {
  ASSIGN_OR_RETURN(
      saving.made.session_id,
      SessionIdIn(database, TraceSessionName(trace.scope, context), context.project, "traces-"));
  ASSIGN_OR_RETURN(const Saved saved, SaveInside(database, saving));
  ASSIGN_OR_RETURN(const auto place, FindRow(database, saved.id));
  if (!place) return Error{Code::kInternal, "an observation vanished inside its transaction"};
  TraceRow row = RowOf(trace, context, saving.now_ms);
  row.slot = place->slot;
  RETURN_IF_ERROR(PutTrace(database, row));
  return row;
}

Result<TraceRow> MergeInside(Database& database, const TraceContext& context, MergeSources sources,
                             const std::string& content, const api::Source& source,
                             const TraceWriting& writing, int64_t now_ms) {
  ASSIGN_OR_RETURN(const NewTrace merged,
                   Together(sources.now, content, source, now_ms, writing.strength));
  Saving saving = SavingOf(merged, context, writing, now_ms);
  ASSIGN_OR_RETURN(TraceRow row, InsertTrace(database, context, merged, saving));
  row.scope_id = sources.now.front().scope_id;
  row.strength = HighestOf(sources.now, now_ms, writing.strength);
  RETURN_IF_ERROR(PutTrace(database, row));
  RETURN_IF_ERROR(UniteEdges(database, SlotsOf(sources.stored), row.slot));
  for (TraceRow& one : sources.stored) {
    one.merged_into = row.id;
    one.reason.clear();
    RETURN_IF_ERROR(PutTrace(database, one));
    RETURN_IF_ERROR(NoteSource(database, row.slot, one.slot));
    RETURN_IF_ERROR(HideInside(database, writing.salt, one.slot, now_ms));
  }
  return row;
}

Result<bool> IsAsMerged(Database& database, const TraceRow& merged, bool by_edges) {
  if (merged.row.revision_count != 1) return false;
  ASSIGN_OR_RETURN(const auto sources, ReadSources(database, merged.id));
  if (sources.empty()) return false;
  std::set<std::string> tags;
  std::string origin = sources.front().row.source.origin;
  for (const TraceRow& one : sources) {
    tags.insert(one.row.tags.begin(), one.row.tags.end());
    origin = api::LowerOrigin(origin, one.row.source.origin);
  }
  // An import adds tags and raises trust without a revision.
  for (const std::string& tag : merged.row.tags)
    if (!tags.contains(tag)) return false;
  if (origin != merged.row.source.origin) return false;
  if (!by_edges) return true;
  ASSIGN_OR_RETURN(const bool united, AreUnited(database, SlotsOf(sources), merged.slot));
  if (!united) return false;
  ASSIGN_OR_RETURN(const bool linked, IsLinked(database, merged.slot));
  return !linked;
}

Result<std::vector<std::string>> UnmergeInside(Database& database, TraceRow merged,
                                               const std::string& salt, int64_t now_ms) {
  ASSIGN_OR_RETURN(auto sources, ReadSources(database, merged.id));
  std::vector<std::string> back;
  for (TraceRow& one : sources) {
    if (one.reason == kDeletedSince) continue;
    if (one.deleted_ms) {  // else an import restored it
      ASSIGN_OR_RETURN(const bool shown, ShowInside(database, salt, one.slot));
      if (!shown) continue;
    }
    one.merged_into.clear();
    RETURN_IF_ERROR(PutTrace(database, one));
    back.push_back(one.id);
  }
  if (back.empty()) return back;
  merged.reason = "unmerged";
  RETURN_IF_ERROR(PutTrace(database, merged));
  RETURN_IF_ERROR(HideInside(database, salt, merged.slot, now_ms));
  return back;
}

}  // namespace memory
