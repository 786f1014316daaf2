// Batches as the importer has them; ids are mapped where a trace has another one here.
#include "memory/transfer/rows/agentos_import.h"

#include <algorithm>

#include "lib/base/json/stored.h"
#include "memory/api/json_elements.h"
#include "memory/api/traces/whole_traces.h"
#include "memory/transfer/rows/agentos_rows.h"
#include "memory/transfer/rows/checked_texts.h"

namespace memory {

using base::Error;
using base::Json;
using base::Result;
using base::Status;

namespace {

constexpr size_t kRowsAtOnce = 256, kBytesAtOnce = 1 << 20;
// The end of a statement costs SQLite what its savepoint changed before: few traces share one, and
// several such batches a sync. The next ones are read meanwhile.
constexpr size_t kTracesAtOnce = 64, kTraceBatches = 4, kTraceBytesAtOnce = kBytesAtOnce / 4;
constexpr size_t kMostOtherIds = 200'000;
constexpr const char* kKept[] = {"documents", "chunks", "images", "nodes"};

template <class Names>
bool IsOneOf(const Names& names, const std::string& name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace

bool AgentOsImport::IsArray(const std::string& name) {
  constexpr const char* kTaken[] = {"traces", "edges", "conversations", "messages",
                                    "consolidation_log"};
  return IsOneOf(kTaken, name) || IsOneOf(kKept, name);
}

Status AgentOsImport::Take(const std::string& array, Json element) {
  any_ = true;
  if (array == "traces") return TakeTrace(std::move(element));
  if (array == "edges") return TakeEdge(std::move(element));
  if (array == "conversations" || array == "messages") {
    const bool message = array == "messages";
    const size_t index = message ? messages_given_++ : conversations_given_++;
    if (const Status clean = CheckTexts(element); !clean) {
      on_refused_(message ? "message" : "conversation", index, clean.error());
      return {};
    }
    bytes_ += base::DumpJson(element).size();
    rows_.push_back({message, message ? MessageOfAgentOs(std::move(element))
                                      : ConversationOfAgentOs(std::move(element))});
    row_places_.push_back(index);
    return full() ? Flush() : Status();
  }
  // What a brain did there is its log, and no undo can be made of it.
  return array == "consolidation_log" ? Status() : keep_(array, element);
}

Status AgentOsImport::Refuse(const std::string& array, const Error& why) {
  any_ = true;
  if (array == "traces") on_refused_("trace", traces_given_++, why);
  if (array == "edges") on_refused_("edge", edges_given_++, why);
  if (array == "conversations") on_refused_("conversation", conversations_given_++, why);
  if (array == "messages") on_refused_("message", messages_given_++, why);
  if (IsOneOf(kKept, array)) on_refused_(array.c_str(), 0, why);
  return {};
}

Status AgentOsImport::TakeTrace(Json element) {
  const size_t index = traces_given_++;
  edges_wait_ = false;
  element = TraceOfAgentOs(std::move(element));
  if (IsDeletedThere(element)) {
    ++skipped_;
    return {};
  }
  const Status clean = CheckTexts(element);
  Result<WholeTrace> whole = clean ? DecodeWholeTrace(element, context_) : clean.error();
  if (!whole) {
    on_refused_("trace", index, whole.error());
    return {};
  }
  hold_(whole->trace.source.origin);
  trace_bytes_ += whole->trace.content.size() + base::WeightOf(whole->trace.metadata) +
                  base::WeightOf(whole->trace.emotions) +
                  (whole->original ? whole->original->content.size() : 0);
  traces_.push_back(std::move(*whole));
  const bool full = traces_.size() >= kTracesAtOnce || trace_bytes_ >= kTraceBytesAtOnce;
  return full ? BeginTraces() : Status();
}

Status AgentOsImport::TakeEdge(Json element) {
  if (edges_wait_) return KeepForLater(element);
  const size_t index = edges_given_++;
  const Status clean = CheckTexts(element);
  Result<ExportedEdge> edge = clean ? DecodeGraphEdge(EdgeOfAgentOs(element)) : clean.error();
  if (!edge) {
    on_refused_("edge", index, edge.error());
    return {};
  }
  edges_.push_back(std::move(*edge));
  edges_given_as_.push_back(std::move(element));
  edge_places_.push_back(index);
  return full() ? Flush() : Status();
}

Status AgentOsImport::KeepForLater(const Json& edge) {
  if (!early_edges_) {
    ASSIGN_OR_RETURN(Spool spool, store_.NewUpload());
    early_edges_.emplace(std::move(spool));
  }
  return early_edges_->Append(base::DumpJson(edge) + "\n");
}

Status AgentOsImport::TakeKept() {
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
      RETURN_IF_ERROR(TakeEdge(std::move(edge)));
    }
    open.erase(0, first);
  }
}

bool AgentOsImport::full() const {
  return edges_.size() >= kRowsAtOnce || rows_.size() >= kRowsAtOnce || bytes_ >= kBytesAtOnce;
}

Status AgentOsImport::Flush() {
  RETURN_IF_ERROR(FlushTraces());
  RETURN_IF_ERROR(FlushEdges());
  RETURN_IF_ERROR(FlushRows());
  bytes_ = 0;
  return {};
}

Status AgentOsImport::Finish() {
  RETURN_IF_ERROR(Flush());
  RETURN_IF_ERROR(TakeKept());
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
    new_traces_ += taken[i].outcome == Imported::kNew;
    on_taken_(taken[i].outcome, trace.source.origin);
    if (id.empty() || taken[i].id.empty() || taken[i].id == id) continue;
    if (other_ids_.size() < kMostOtherIds)
      other_ids_.insert_or_assign(id, taken[i].id);
    else
      ids_left_out_ = true;
  }
  return {};
}

Status AgentOsImport::FlushTraces() {
  RETURN_IF_ERROR(BeginTraces());
  while (!under_way_.empty()) RETURN_IF_ERROR(EndTraces());
  return {};
}

std::string AgentOsImport::IdHere(const std::string& id) const {
  const std::string ours = ForeignTraceId(id);
  const auto found = other_ids_.find(ours);
  return found == other_ids_.end() ? ours : found->second;
}

Status AgentOsImport::FlushEdges() {
  if (edges_.empty()) return {};
  for (ExportedEdge& edge : edges_) {
    edge.from = IdHere(edge.from);
    edge.edge.to = IdHere(edge.edge.to);
  }
  ASSIGN_OR_RETURN(const auto taken, store_.traces().Import(edges_));
  for (size_t i = 0; i < taken.size(); ++i) {
    new_edges_ += taken[i] == EdgeTaken::kNew;
    skipped_ += taken[i] == EdgeTaken::kKnown;
    // Of a node, or of a trace that was not taken.
    if (taken[i] == EdgeTaken::kNoTrace) RETURN_IF_ERROR(keep_("edges", edges_given_as_[i]));
    if (taken[i] == EdgeTaken::kFull)
      on_refused_(
          "edge", edge_places_[i],
          {base::Code::kFull, "trace " + edges_[i].from + " has " + std::to_string(kMaxTraceEdges) +
                                  " edges, which is the limit"});
  }
  edges_.clear();
  edges_given_as_.clear();
  edge_places_.clear();
  return {};
}

Status AgentOsImport::FlushRows() {
  if (rows_.empty()) return {};
  ASSIGN_OR_RETURN(const auto outcomes, conversations_.Take(rows_));
  for (size_t i = 0; i < outcomes.size(); ++i) {
    const bool message = rows_[i].message;
    if (!outcomes[i])
      on_refused_(message ? "message" : "conversation", row_places_[i], outcomes[i].error());
    else
      ++(!*outcomes[i] ? skipped_ : message ? new_messages_ : new_conversations_);
  }
  rows_.clear();
  row_places_.clear();
  return {};
}

void AgentOsImport::AddTo(Json& report) const {
  if (traces_given_ > 0) report["imported_traces"] = new_traces_;
  if (edges_given_ > 0) report["imported_edges"] = new_edges_;
  if (conversations_given_ > 0) report["imported_conversations"] = new_conversations_;
  if (messages_given_ > 0) report["imported_messages"] = new_messages_;
}

std::vector<std::string> AgentOsImport::Notes() const {
  std::vector<std::string> notes;
  if (ids_left_out_) {
    notes.push_back("more than " + std::to_string(kMostOtherIds) +
                    " traces have other ids here: edges of those beyond were left out; import in "
                    "parts");
  }
  return notes;
}

}  // namespace memory
