// Adds, changes, deletes and reads traces.
#include "memory/sqlite/traces/sqlite_traces.h"

#include "lib/base/limits/answer_charge.h"
#include "memory/model/dedup.h"
#include "memory/model/slots.h"
#include "memory/sqlite/tables/live.h"
#include "memory/sqlite/tables/rows.h"
#include "memory/sqlite/traces/trace_edges.h"
#include "memory/sqlite/traces/trace_import.h"
#include "memory/sqlite/traces/trace_transfer.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

namespace {

constexpr int64_t kDueMs = kDueDays * 86'400'000;

Status CheckWriter(const TraceRow& row, const TraceWriter& writer) {
  if (MayChange(row.row.source.origin, writer.origin, writer.replace_user)) return {};
  return Error{Code::kDenied, "a user wrote trace " + row.id +
                                  "; an agent hides it only with replace_user "
                                  "(memory.allowAdmin of the Agent)"};
}

}  // namespace

Result<std::optional<TraceRow>> SqliteTraces::Read(Database& database, int64_t slot) const {
  ASSIGN_OR_RETURN(auto row, ReadTrace(database, slot));
  if (!row) return row;
  const Retrieval noted = retrievals_.With([&](const Retrievals& mine) {
    const auto found = mine.traces.find(slot);
    return found == mine.traces.end() ? Retrieval() : found->second;
  });
  if (noted.times > 0) {
    row->strength = Retrieved(row->strength, KindOf(row->row), row->remind_ms, noted.times,
                              noted.last_ms, parts_.writing.strength);
  }
  return row;
}

Result<std::optional<TraceRow>> SqliteTraces::FindOwn(Database& database,
                                                      const TraceContext& context,
                                                      const std::string& id) {
  ASSIGN_OR_RETURN(auto row, FindTrace(database, id));
  if (!row || !row->live || !IsVisible(*row, context)) return std::optional<TraceRow>();
  return row;
}

Result<TraceAdded> SqliteTraces::Add(const TraceContext& context, const NewTrace& trace) {
  RETURN_IF_ERROR(parts_.admit());
  Saving saving = SavingOf(trace, context, parts_.writing, NowMs());
  return parts_.writer.Run<TraceAdded>([&](Database& database) -> Result<TraceAdded> {
    ASSIGN_OR_RETURN(const auto duplicate,
                     FindDuplicateTrace(database, trace, saving.asked.hash, context));
    if (duplicate) return TraceAdded{duplicate->id, false};
    ASSIGN_OR_RETURN(const TraceRow row, InsertTrace(database, context, trace, saving));
    return TraceAdded{row.id, true};
  });
}

Result<bool> SqliteTraces::Update(const TraceContext& context, const std::string& id,
                                  const TraceChange& change) {
  RETURN_IF_ERROR(parts_.admit());
  Patch patch;
  patch.content = change.content;
  patch.tags = change.tags;
  patch.writer = change.writer.origin;
  patch.replace_user = change.writer.replace_user;
  if (change.content) {
    NewTrace text;
    text.content = *change.content;
    patch.title = ObservationOf(text, context.project).title;
  }
  return parts_.writer.Run<bool>([&](Database& database) -> Result<bool> {
    ASSIGN_OR_RETURN(const auto row, FindOwn(database, context, id));
    if (!row) return false;
    RETURN_IF_ERROR(ChangeInside(database, row->row.id, patch, parts_.writing.facts_of, NowMs()));
    return true;
  });
}

Result<bool> SqliteTraces::Delete(const TraceContext& context, const std::string& id,
                                  const std::string& reason, const TraceWriter& writer) {
  bool deleted = false;
  RETURN_IF_ERROR(parts_.writer.RunAny(
      [&](Database& database) -> Status {
        deleted = false;  // the writer may run it twice
        ASSIGN_OR_RETURN(auto row, FindOwn(database, context, id));
        if (!row) return {};
        RETURN_IF_ERROR(CheckWriter(*row, writer));
        row->reason = reason;
        RETURN_IF_ERROR(PutTrace(database, *row));
        RETURN_IF_ERROR(HideInside(database, parts_.writing.salt, row->slot, NowMs()));
        deleted = true;
        return {};
      },
      sql::Writer::Space::kFrees));
  return deleted;
}

Result<TraceMerged> SqliteTraces::Merge(const TraceContext& context,
                                        const std::vector<std::string>& ids,
                                        const std::string& content, const api::Source& source,
                                        const TraceWriter& writer) {
  RETURN_IF_ERROR(parts_.admit());
  return parts_.writer.Run<TraceMerged>([&](Database& database) -> Result<TraceMerged> {
    MergeSources sources;
    for (const std::string& id : ids) {
      ASSIGN_OR_RETURN(const auto own, FindOwn(database, context, id));
      if (!own) return Error{Code::kInvalid, "traceIds: there is no trace " + id};
      RETURN_IF_ERROR(CheckWriter(*own, writer));
      ASSIGN_OR_RETURN(auto row, Read(database, own->slot));
      sources.stored.push_back(*own);
      sources.now.push_back(std::move(*row));
    }
    ASSIGN_OR_RETURN(const TraceRow row, MergeInside(database, context, std::move(sources), content,
                                                     source, parts_.writing, NowMs()));
    return TraceMerged{row.id, static_cast<int64_t>(ids.size())};
  });
}

Result<std::optional<std::vector<std::string>>> SqliteTraces::Unmerge(const TraceContext& context,
                                                                      const std::string& id,
                                                                      const TraceWriter& writer) {
  RETURN_IF_ERROR(parts_.admit());
  using Restored = std::optional<std::vector<std::string>>;
  return parts_.writer.Run<Restored>([&](Database& database) -> Result<Restored> {
    ASSIGN_OR_RETURN(const auto merged, FindOwn(database, context, id));
    if (!merged) return Restored();
    RETURN_IF_ERROR(CheckWriter(*merged, writer));
    ASSIGN_OR_RETURN(auto back, UnmergeInside(database, *merged, parts_.writing.salt, NowMs()));
    if (back.empty())
      return Error{Code::kInvalid, "trace " + id + " was not merged of others that are here"};
    return Restored(std::move(back));
  });
}

Result<std::optional<TraceView>> SqliteTraces::Get(const TraceContext& context,
                                                   const std::string& id, bool even_deleted) {
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(parts_.readers));
  Database& database = snapshot.database();
  ASSIGN_OR_RETURN(const auto found, FindTrace(database, id));
  if (!found || !IsVisible(*found, context) || (!found->live && !even_deleted))
    return std::optional<TraceView>();
  ASSIGN_OR_RETURN(const auto row, Read(database, found->slot));
  TraceView view{TraceOf(*row, parts_.writing.decay_now(), parts_.writing.strength), {}, {}};
  ASSIGN_OR_RETURN(const auto edges, EdgesFrom(database, row->slot));
  for (const EdgeRow& edge : edges) {
    ASSIGN_OR_RETURN(const auto other, ReadTrace(database, edge.to));
    if (other && other->live && IsVisible(*other, context))
      view.edges.push_back({other->id, edge.kind, edge.weight});
  }
  ASSIGN_OR_RETURN(const auto sources, ReadSources(database, row->id));
  for (const TraceRow& source : sources) view.sources.push_back(source.id);
  return std::optional(std::move(view));
}

Result<bool> SqliteTraces::PutEdge(const TraceContext& context, const std::string& from,
                                   const TraceEdge& edge) {
  RETURN_IF_ERROR(parts_.admit());
  return parts_.writer.Run<bool>([&](Database& database) -> Result<bool> {
    ASSIGN_OR_RETURN(const auto one, FindOwn(database, context, from));
    ASSIGN_OR_RETURN(const auto other, FindOwn(database, context, edge.to));
    if (!one || !other) return false;
    RETURN_IF_ERROR(PutTraceEdge(database, one->slot, {other->slot, edge.kind, edge.weight}));
    return true;
  });
}

Result<bool> SqliteTraces::DeleteEdge(const TraceContext& context, const std::string& from,
                                      const std::string& to) {
  return parts_.writer.Run<bool>([&](Database& database) -> Result<bool> {
    ASSIGN_OR_RETURN(const auto one, FindOwn(database, context, from));
    ASSIGN_OR_RETURN(const auto other, FindOwn(database, context, to));
    if (!one || !other) return false;
    return RemoveTraceEdge(database, one->slot, other->slot);
  });
}

// The traces of a list that the context sees, up to `limit`. The list has those of the context
// alone, so that it costs what the context has.
Result<std::vector<Trace>> SqliteTraces::Listed(Database& database, Statement list,
                                                const TraceContext& context, size_t limit) {
  std::vector<Trace> traces;
  base::AnswerCharge charge;
  if (limit == 0) return traces;
  RETURN_IF_ERROR(list.ForEachRow([&](const Statement& row) -> Result<bool> {
    ASSIGN_OR_RETURN(const auto trace, Read(database, row.Int(0)));
    if (trace && trace->live && IsVisible(*trace, context)) {
      RETURN_IF_ERROR(charge.Add(WeightOf(*trace)));
      traces.push_back(TraceOf(*trace, parts_.writing.decay_now(), parts_.writing.strength));
    }
    return traces.size() < limit;
  }));
  return traces;
}

// The live traces of one owner; of observations that are no traces those with a row in `traces`.
// Each is a walk along an index, and the whole is merged from them.
#define MEMORY_OF_OWNER(columns, owner)                                                         \
  "SELECT " columns " FROM traces t CROSS JOIN observations o WHERE o.slot = t.slot AND " owner \
  " AND " MEMORY_LIVE
#define MEMORY_OF_CONTEXT(columns, more)                                       \
  MEMORY_OF_OWNER(columns, "t.scope = 'thread' AND t.scope_id = ?3 AND " more) \
  "UNION " MEMORY_OF_OWNER(columns, "t.scope = 'user' AND t.scope_id = ?4 AND " more) \
  "UNION " MEMORY_OF_OWNER(columns, "t.scope = 'persona' AND t.scope_id = ?5 AND " more) \
  "UNION " MEMORY_OF_OWNER(columns, "t.scope = 'organization' AND t.scope_id = ?6 AND " more) \
  "UNION " MEMORY_OF_OWNER(columns, "t.uuid BETWEEN ?7 AND ?7 || 'g' AND +" more)

namespace {

Statement& BindOwners(Statement& list, const TraceContext& context) {
  list.Bind(context.conversation).Bind(context.user).Bind(context.agent);
  return list.Bind(context.ScopeId(kOrganizationScope)).Bind(kNumberedPrefix);
}

}  // namespace

Result<std::vector<Trace>> SqliteTraces::Newest(const TraceContext& context, size_t limit) {
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(parts_.readers));
  Database& database = snapshot.database();
  ASSIGN_OR_RETURN(const auto project, FindProject(database, context.project));
  if (!project) return std::vector<Trace>();
  ASSIGN_OR_RETURN(Statement find, database.Prepare(MEMORY_OF_CONTEXT(
                                       "t.slot", "t.slot BETWEEN ?1 AND ?2 ") "ORDER BY 1 DESC"));
  find.Bind(*project << kRangeBits).Bind(((*project + 1) << kRangeBits) - 1);
  BindOwners(find, context);
  return Listed(database, std::move(find), context, limit);
}

Result<std::vector<Trace>> SqliteTraces::Due(const TraceContext& context, size_t limit) {
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(parts_.readers));
  ASSIGN_OR_RETURN(Statement find,
                   snapshot.database().Prepare(MEMORY_OF_CONTEXT(
                       "t.slot, t.remind_ms", "t.remind_ms BETWEEN ?1 AND ?2 ") "ORDER BY 2 DESC, "
                                                                                "1 DESC"));
  const int64_t now_ms = NowMs();
  find.Bind(now_ms - kDueMs).Bind(now_ms);
  BindOwners(find, context);
  return Listed(snapshot.database(), std::move(find), context, limit);
}

// In one transaction.
template <class Taken, class Row, class Take>
Result<std::vector<Taken>> SqliteTraces::TakeAll(const std::vector<Row>& rows, const Take& take) {
  RETURN_IF_ERROR(parts_.admit());
  return parts_.writer.Run<std::vector<Taken>>(
      [&](Database& database) -> Result<std::vector<Taken>> {
        std::vector<Taken> all;
        for (const Row& one : rows) {
          ASSIGN_OR_RETURN(Taken taken, take(database, one));
          all.push_back(std::move(taken));
        }
        return all;
      });
}

Result<std::vector<bool>> SqliteTraces::Import(const std::vector<ExportedTrace>& traces) {
  return TakeAll<bool>(traces, ImportTrace);
}

Result<std::vector<EdgeTaken>> SqliteTraces::Import(const std::vector<ExportedEdge>& edges) {
  return TakeAll<EdgeTaken>(edges, ImportEdge);
}

Result<std::vector<EdgeTaken>> SqliteTraces::Import(const std::vector<NumberedEdge>& edges) {
  return TakeAll<EdgeTaken>(edges, ImportNumberedEdge);
}

std::future<Result<std::vector<TraceTaken>>> SqliteTraces::Import(
    std::shared_ptr<const std::vector<WholeTrace>> traces, const ImportOptions& options) {
  struct Batch {
    std::shared_ptr<const std::vector<WholeTrace>> traces;
    std::vector<ArrivingTrace> arriving;
    std::vector<TraceTaken> taken;
  };
  auto batch = std::make_shared<Batch>();
  batch->traces = std::move(traces);
  for (const WholeTrace& whole : *batch->traces)
    batch->arriving.emplace_back(whole, parts_.writing, options);
  std::future<Status> committed;
  if (Status admitted = parts_.admit(); !admitted) {
    std::promise<Status> refused;
    committed = refused.get_future();
    refused.set_value(std::move(admitted));
  } else {
    committed = parts_.writer.Post([this, batch, options](Database& database) -> Status {
      batch->taken.clear();  // the writer may run it twice
      for (const ArrivingTrace& one : batch->arriving) {
        ASSIGN_OR_RETURN(TraceTaken taken,
                         TakeArriving(database, one, parts_.writing.salt, options));
        batch->taken.push_back(std::move(taken));
      }
      return {};
    });
  }
  return std::async(
      std::launch::deferred,
      [batch, committed = std::move(committed)]() mutable -> Result<std::vector<TraceTaken>> {
        RETURN_IF_ERROR(committed.get());
        return std::move(batch->taken);
      });
}

}  // namespace memory
