// Takes rows of AgentOS into the store in batches: whole traces, edges, conversations and messages.
// Rows of other arrays are kept as they came. Memory is bounded: edges that come before their
// traces wait in a file, and up to 200,000 ids are mapped.
#pragma once

#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/conversation/routes/conversation_transfer.h"
#include "memory/store/store.h"
#include "memory/transfer/rows/import_report.h"

namespace memory {

// One thread; `store`, `conversations` and `report` outlive it.
class AgentOsImport {
 public:
  // Keeps an element of an array that has no place here.
  using Keep = std::function<base::Status(const std::string& array, const base::Json& element)>;

  AgentOsImport(Store& store, const ImportOptions& options, bool administrator,
                TraceContext context, conversation::Host& conversations, ImportReport& report,
                Keep keep)
      : store_(store),
        options_(options),
        administrator_(administrator),
        context_(std::move(context)),
        conversations_(conversations),
        report_(report),
        keep_(std::move(keep)) {}

  static bool IsArray(const std::string& name);  // one of AgentOS' JSON
  // An element of one of these arrays, or the error of one that cannot be read. Returns errors of
  // the store, which end the import.
  base::Status Take(const std::string& array, base::Result<base::Json> element);
  base::Status Finish();  // after the last element: commits all, also edges that wait
  // Adds imported_traces, imported_edges, imported_conversations and imported_messages, of kinds
  // that came, and what was left out.
  void AddTo(base::Json& report) const;
  bool any() const { return any_; }
  int64_t traces() const { return counts_[0].imported; }

 private:
  struct Count {
    const char* array;
    const char* kind;  // of an element, in the report
    size_t given = 0;
    int64_t imported = 0;
  };
  struct TraceBatch {
    std::shared_ptr<const std::vector<WholeTrace>> traces;
    std::future<base::Result<std::vector<TraceTaken>>> taken;
  };
  Count* CountOf(const std::string& array);
  base::Status TakeTrace(base::Json element, const GivenPlace& place);
  base::Status TakeEdge(base::Json element, GivenPlace place);
  base::Status KeepForLater(const base::Json& edge);
  base::Status TakeEarlyEdges();
  base::Status BeginTraces();
  base::Status EndTraces();
  base::Status Flush();
  base::Status FlushEdges();
  base::Status FlushMessages();
  std::string IdHere(const std::string& id) const;

  Store& store_;
  const ImportOptions options_;
  const bool administrator_;
  const TraceContext context_;
  conversation::ConversationImport conversations_;
  ImportReport& report_;
  const Keep keep_;
  Count counts_[4] = {{"traces", "trace"},
                      {"edges", "edge"},
                      {"conversations", "conversation"},
                      {"messages", "message"}};
  bool any_ = false, edges_wait_ = true, ids_left_out_ = false;
  std::optional<Spool> early_edges_;
  std::unordered_map<std::string, std::string> other_ids_;  // there → here
  std::vector<WholeTrace> traces_;
  size_t trace_bytes_ = 0;
  std::deque<TraceBatch> under_way_;
  Batch<ExportedEdge> edges_{"edge"};
  std::vector<base::Json> given_edges_;                   // each as it came
  Batch<conversation::ArrivingRow> messages_{"message"};  // and conversations, in their order
  size_t message_bytes_ = 0;
};

}  // namespace memory
