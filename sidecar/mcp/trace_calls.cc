// Turns arguments into calls of traces, and answers into the fields of the output schema. Without
// stored text the text is the same JSON.
#include "sidecar/mcp/trace_calls.h"

#include <utility>
#include <vector>

#include "sidecar/mcp/tool_text.h"
#include "sidecar/recall/prompt.h"
#include "sidecar/service/traces.h"

namespace sidecar {
namespace {

using base::Json;
using TraceAnswer = base::Result<ToolAnswer>;

base::Result<Json> AskServer(const ToolContext& context, const char* method, std::string path,
                             Json body = nullptr) {
  return ReadAnswer(context.memory.Ask(
      context.call, TraceCall(context.policy, method, std::move(path), std::move(body))));
}

// A missing field means that the answer is not of a memory server.
base::Error NoField(const char* field) {
  return {base::Code::kUnavailable, std::string("the answer of the memory server has no ") + field};
}

// The fields of the server's answer that are in the output schema.
TraceAnswer Promised(const base::Result<Json>& answer, const std::vector<const char*>& fields) {
  if (!answer) return answer.error();
  Json structured = Json::object();
  for (const char* field : fields) {
    const Json* value = base::At(*answer, {field});
    if (value == nullptr || value->is_structured()) return NoField(field);
    structured[field] = value->is_string() ? Json(InertRecord(value->get<std::string>())) : *value;
  }
  std::string text = base::DumpJson(structured);
  return ToolAnswer{std::move(structured), std::move(text)};
}

// The arguments without the id, which is in the path.
Json Behind(const Json& arguments) {
  Json body = arguments;
  body.erase("traceId");
  return body;
}

}  // namespace

TraceAnswer AddTraceCall(const ToolContext& context, const Json& arguments) {
  return Promised(AskServer(context, "POST", "/traces", arguments), {"traceId"});
}

TraceAnswer UpdateTraceCall(const ToolContext& context, const Json& arguments) {
  Json patch = Behind(arguments);
  if (patch.empty())
    return base::Error{base::Code::kInvalid, "give at least one of content and tags"};
  return Promised(AskServer(context, "PATCH", TracePath(arguments.at("traceId")), std::move(patch)),
                  {"updated"});
}

TraceAnswer DeleteTraceCall(const ToolContext& context, const Json& arguments) {
  return Promised(
      AskServer(context, "DELETE", TracePath(arguments.at("traceId")), Behind(arguments)),
      {"deleted"});
}

TraceAnswer MergeTracesCall(const ToolContext& context, const Json& arguments) {
  return Promised(AskServer(context, "POST", "/traces/merge", arguments),
                  {"mergedTraceId", "sourcesDeleted"});
}

TraceAnswer SearchTracesCall(const ToolContext& context, const Json& arguments) {
  ASSIGN_OR_RETURN(const Json found, AskServer(context, "POST", kSearchTracesPath, arguments));
  const Json* rows = base::At(found, {"results"});
  if (rows == nullptr || !rows->is_array()) return NoField("results");
  Json results = TraceRows(*rows);
  std::string text = results.empty() ? "Nothing in memory matches." : TracesText(*rows);
  const std::string notes = SearchNotes(base::StringAt(arguments, {"query"}), *rows);
  if (!notes.empty()) text += "\n" + notes;
  return ToolAnswer{{{"results", std::move(results)}}, std::move(text)};
}

TraceAnswer ReflectCall(const ToolContext& context, const Json& arguments) {
  auto counts = Promised(AskServer(context, "POST", "/traces/reflect", arguments),
                         {"pruned", "merged", "derived", "compacted", "durationMs"});
  if (counts && arguments.value("dryRun", false))
    counts->text += "\nA dry run: nothing was changed.";
  return counts;
}

TraceAnswer RehydrateCall(const ToolContext& context, const Json& arguments) {
  auto found = AskServer(context, "GET", TracePath(arguments.at("traceId"), "/original"));
  if (!found && found.error().code == base::Code::kNotFound)  // an unknown trace has no original
    found = Json{{"verbatimContent", nullptr}, {"archivedAt", nullptr}};
  auto original = Promised(found, {"verbatimContent", "archivedAt"});
  if (original && original->structured["verbatimContent"].is_string())
    original->text = OriginalText(base::StringAt(*found, {"verbatimContent"}));
  return original;
}

}  // namespace sidecar
