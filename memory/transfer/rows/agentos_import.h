// An import of AgentOS' rows in batches: whole traces, edges, conversations and messages; what has
// no place here is kept as it came. Memory is bounded: edges that come before their traces wait in
// a file, other ids of traces are kept up to a number.
#pragma once

#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/conversation/routes/conversation_import.h"
#include "memory/store/store.h"

namespace memory {

// One thread; all outlive it.
class AgentOsImport {
 public:
  // A row that is not taken: what it is, the how manieth of its kind, and why.
  using OnRefused = std::function<void(const char* kind, size_t index, const base::Error& why)>;
  // A trace that was taken or skipped, of this class of trust.
  using OnTaken = std::function<void(Imported::Outcome outcome, const std::string& origin)>;
  // Lowers an origin to what the sender may say.
  using HoldOrigin = std::function<void(std::string& origin)>;
  // Keeps an element of an array as it came: it has no place here.
  using Keep = std::function<base::Status(const std::string& array, const base::Json& element)>;

  AgentOsImport(Store& store, const ImportOptions& options, TraceContext context,
                conversation::Host& conversations)
      : store_(store),
        options_(options),
        context_(std::move(context)),
        conversations_(conversations) {}
  void Tell(OnRefused on_refused, OnTaken on_taken, HoldOrigin hold, Keep keep) {
    on_refused_ = std::move(on_refused);
    on_taken_ = std::move(on_taken);
    hold_ = std::move(hold);
    keep_ = std::move(keep);
  }

  static bool IsArray(const std::string& name);  // one of AgentOS' JSON
  // An element of one of these arrays. Errors end the import: they are the store's.
  base::Status Take(const std::string& array, base::Json element);
  base::Status Refuse(const std::string& array, const base::Error& why);
  base::Status Flush();   // what waits for the next commit
  base::Status Finish();  // the edges that wait, too: behind the last row
  // Counts of what was new: imported_traces, imported_edges, imported_conversations,
  // imported_messages, of kinds that came.
  void AddTo(base::Json& report) const;
  bool any() const { return any_; }
  int64_t traces() const { return new_traces_; }
  int64_t skipped() const { return skipped_; }  // beside traces
  // What is not taken, and what to do about it: a line each.
  std::vector<std::string> Notes() const;

 private:
  base::Status TakeTrace(base::Json element);
  base::Status TakeEdge(base::Json element);
  base::Status KeepForLater(const base::Json& edge);
  base::Status TakeKept();
  base::Status BeginTraces();
  base::Status EndTraces();
  base::Status FlushTraces();
  base::Status FlushEdges();
  base::Status FlushRows();
  std::string IdHere(const std::string& id) const;
  bool full() const;

  Store& store_;
  const ImportOptions options_;
  const TraceContext context_;
  conversation::ConversationImport conversations_;
  OnRefused on_refused_;
  OnTaken on_taken_;
  HoldOrigin hold_;
  Keep keep_;
  bool any_ = false, edges_wait_ = true, ids_left_out_ = false;
  std::optional<Spool> early_edges_;
  std::unordered_map<std::string, std::string> other_ids_;  // there → here
  struct TraceBatch {
    std::shared_ptr<const std::vector<WholeTrace>> traces;
    std::future<base::Result<std::vector<TraceTaken>>> taken;
  };
  std::vector<WholeTrace> traces_;
  std::deque<TraceBatch> under_way_;
  std::vector<ExportedEdge> edges_;
  std::vector<base::Json> edges_given_as_;       // each as it came
  std::vector<conversation::ArrivingRow> rows_;  // conversations and messages
  std::vector<size_t> edge_places_, row_places_;
  size_t bytes_ = 0, trace_bytes_ = 0;
  size_t traces_given_ = 0, edges_given_ = 0, conversations_given_ = 0, messages_given_ = 0;
  int64_t new_traces_ = 0, new_edges_ = 0, new_conversations_ = 0, new_messages_ = 0, skipped_ = 0;
};

}  // namespace memory
