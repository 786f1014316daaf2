// Batches like the importer's; ids are mapped where a trace has another one here.
#include "memory/transfer/rows/agentos_import.h"

#include <algorithm>
#include <utility>

#include "lib/base/json/stored.h"
#include "lib/base/text/text.h"
#include "memory/api/json_elements.h"
#include "memory/api/traces/whole_traces.h"
#include "memory/transfer/rows/agentos_rows.h"

namespace memory {

using base::Json;
using base::Result;
using base::Status;

namespace {

constexpr size_t kRowsAtOnce = 256, kBytesAtOnce = 1 << 20;
// The end of a statement costs SQLite what its savepoint changed before: few traces share one, and
// several such batches a sync. The next ones are read meanwhile.
constexpr size_t kTracesAtOnce = 64, kTraceBatches = 4, kTraceBytesAtOnce = kBytesAtOnce / 4;
constexpr size_t kMostOtherIds = 200'000;
constexpr std::string_view kTaken[] = {"traces", "edges", "conversations", "messages"};
constexpr std::string_view kKept[] = {"documents", "chunks", "images", "nodes"};
// What a brain did there is its log, and no undo can be made of it.
constexpr const char* kLog = "consolidation_log";

}  // namespace

bool AgentOsImport::IsArray(const std::string& name) {
  return base::IsOneOf(name, kTaken) || base::IsOneOf(name, kKept) || name == kLog;
}

AgentOsImport::Count* AgentOsImport::CountOf(const std::string& array) {
  return std::ranges::find_if(counts_, [&](const Count& one) { return array == one.array; });
}

Status AgentOsImport::Take(const std::string& array, Result<Json> element) {
  any_ = true;
  if (array == kLog) return {};
  if (base::IsOneOf(array, kKept)) {
    if (element) return keep_(array, *element);
    report_.Refuse(array.c_str(), {0, Json()}, element.error());
    return {};
  }
  if (array == "edges" && element && edges_wait_) return KeepForLater(*element);
  Count& count = *CountOf(array);
  GivenPlace place{count.given++, Json()};
  const bool trace = array == "traces";
  if (trace) edges_wait_ = false;
  if (trace && element && IsDeletedThere(*element)) {
    report_.Skip();
    return {};
  }
  const Status clean = element ? CheckTexts(*element) : element.error();
  if (!clean) {
    report_.Refuse(count.kind, place, clean.error());
    return {};
  }
  if (trace) return TakeTrace(std::move(*element), place);
  if (array == "edges") return TakeEdge(std::move(*element), std::move(place));
  message_bytes_ += base::DumpJson(*element).size();
  const bool message = array == "messages";
  messages_.Add({message, message ? MessageOfAgentOs(std::move(*element))
                                  : ConversationOfAgentOs(std::move(*element))},
                std::move(place));
  return messages_.rows.size() < kRowsAtOnce && message_bytes_ < kBytesAtOnce ? Status() : Flush();
}

Status AgentOsImport::TakeTrace(Json element, const GivenPlace& place) {
  Result<WholeTrace> whole = DecodeWholeTrace(TraceOfAgentOs(std::move(element)), context_);
  if (!whole) {
    report_.Refuse("trace", place, whole.error());
    return {};
  }
  HoldOrigin(whole->trace.source.origin, options_, administrator_);
  trace_bytes_ += whole->trace.content.size() + base::WeightOf(whole->trace.metadata) +
                  base::WeightOf(whole->trace.emotions) +
                  (whole->original ? whole->original->content.size() : 0);
  traces_.push_back(std::move(*whole));
  const bool full = traces_.size() >= kTracesAtOnce || trace_bytes_ >= kTraceBytesAtOnce;
  return full ? BeginTraces() : Status();
}

Status AgentOsImport::TakeEdge(Json element, GivenPlace place) {
  Result<ExportedEdge> edge = DecodeGraphEdge(EdgeOfAgentOs(element));
  if (!edge) {
    report_.Refuse("edge", place, edge.error());
    return {};
  }
  edges_.Add(std::move(*edge), std::move(place));
  given_edges_.push_back(std::move(element));
  return edges_.rows.size() < kRowsAtOnce ? Status() : Flush();
}

Status AgentOsImport::KeepForLater(const Json& edge) {
  if (!early_edges_) {
    ASSIGN_OR_RETURN(Spool spool, store_.NewUpload());
    early_edges_.emplace(std::move(spool));
  }
  return early_edges_->Append(base::DumpJson(edge) + "\n");
}

Status AgentOsImport::TakeEarlyEdges() {
  edges_wait_ = false;
  if (!early_edges_) return {};
  std::string open;
  for (;;) {
    ASSIGN_OR_RETURN(const std::string piece, early_edges_->Read());
    if (piece.empty()) return {};
    open += piece;
    size_t first = 0;
    for (size_t end; (end = open.find('\n', first)) != open.npos; first = end + 1) {
      ASSIGN_OR_RETURN(Json edge,
                       base::ParseJson(std::string_view(open).substr(first, end - first)));
      RETURN_IF_ERROR(Take("edges", std::move(edge)));
    }
    open.erase(0, first);
  }
}

Status AgentOsImport::Flush() {
  RETURN_IF_ERROR(BeginTraces());
  while (!under_way_.empty()) RETURN_IF_ERROR(EndTraces());
  RETURN_IF_ERROR(FlushEdges());
  return FlushMessages();
}

Status AgentOsImport::Finish() {
  RETURN_IF_ERROR(Flush());
  RETURN_IF_ERROR(TakeEarlyEdges());
  return Flush();
}

// What waits is on its way then, behind at most kTraceBatches - 1 others.
Status AgentOsImport::BeginTraces() {
  if (traces_.empty()) return {};
  if (under_way_.size() >= kTraceBatches) RETURN_IF_ERROR(EndTraces());
  auto traces = std::make_shared<const std::vector<WholeTrace>>(std::exchange(traces_, {}));
  trace_bytes_ = 0;
  under_way_.push_back({traces, store_.traces().Import(traces, options_)});
  return {};
}

// The first batch that is under way.
Status AgentOsImport::EndTraces() {
  TraceBatch batch = std::move(under_way_.front());
  under_way_.pop_front();
  ASSIGN_OR_RETURN(const auto taken, batch.taken.get());
  for (size_t i = 0; i < taken.size(); ++i) {
    const Trace& trace = (*batch.traces)[i].trace;
    const std::string& id = trace.id;
    CountOf("traces")->imported += taken[i].outcome == Imported::kNew;
    report_.Count(taken[i].outcome, trace.source.origin);
    if (id.empty() || taken[i].id.empty() || taken[i].id == id) continue;
    if (other_ids_.size() < kMostOtherIds)
      other_ids_.insert_or_assign(id, taken[i].id);
    else
      ids_left_out_ = true;
  }
  return {};
}

std::string AgentOsImport::IdHere(const std::string& id) const {
  const std::string ours = ForeignTraceId(id);
  const auto found = other_ids_.find(ours);
  return found == other_ids_.end() ? ours : found->second;
}

Status AgentOsImport::FlushEdges() {
  if (edges_.rows.empty()) return {};
  for (ExportedEdge& edge : edges_.rows) {
    edge.from = IdHere(edge.from);
    edge.edge.to = IdHere(edge.edge.to);
  }
  ASSIGN_OR_RETURN(const auto taken, store_.traces().Import(edges_.rows));
  for (size_t i = 0; i < taken.size(); ++i) {
    if (taken[i] == EdgeTaken::kNoTrace)  // of a node, or of a trace that was not taken
      RETURN_IF_ERROR(keep_("edges", given_edges_[i]));
    else if (taken[i] == EdgeTaken::kFull)
      report_.Refuse(
          "edge", edges_.places[i],
          {base::Code::kFull, "trace " + edges_.rows[i].from + " has " +
                                  std::to_string(kMaxTraceEdges) + " edges, which is the limit"});
    else
      edges_.Count(i, IsNew(taken[i]), report_);
  }
  edges_.Clear();
  given_edges_.clear();
  return {};
}

Status AgentOsImport::FlushMessages() {
  if (messages_.rows.empty()) return {};
  ASSIGN_OR_RETURN(const auto outcomes, conversations_.Import(messages_.rows));
  for (size_t i = 0; i < outcomes.size(); ++i) {
    Count& count = *CountOf(messages_.rows[i].message ? "messages" : "conversations");
    if (!outcomes[i])
      report_.Refuse(count.kind, messages_.places[i], outcomes[i].error());
    else if (*outcomes[i])
      ++count.imported;
    else
      report_.Skip();
  }
  messages_.Clear();
  message_bytes_ = 0;
  return {};
}

void AgentOsImport::AddTo(Json& report) const {
  for (const Count& count : counts_) {
    if (count.given == 0) continue;
    const bool edges = std::string_view(count.array) == "edges";
    report[std::string("imported_") + count.array] = edges ? edges_.imported : count.imported;
  }
  if (ids_left_out_)
    report["errors"].push_back("more than " + std::to_string(kMostOtherIds) +
                               " traces have other ids here: edges of those beyond were left out; "
                               "import in parts");
}

}  // namespace memory
