// Decodes requests, dispatches methods, encodes results.
#include "sidecar/mcp/endpoint.h"

#include <utility>

#include "lib/base/text/inert.h"
#include "lib/base/text/text.h"
#include "sidecar/mcp/arguments.h"
#include "sidecar/mcp/revision.h"

namespace sidecar {
namespace {

using base::Json;
using MessageKind = McpMessage::Kind;

// Fits a content of 50,000 characters in any JSON escaping.
constexpr size_t kMaxMessageBytes = 1 << 20;
constexpr size_t kMostOfBatch = 32;  // messages
constexpr const char* kBatchesMark = "-batches";  // in the names of sessions that have them

RpcError Failure(int code, std::string message) { return {code, std::move(message), nullptr}; }

// True if the header lists this media type or a range that contains it, or is absent.
bool Accepts(const http::Request& request, std::string_view type) {
  const auto accept = request.headers.Get("Accept");
  if (!accept) return true;
  const std::string range = std::string(type.substr(0, type.find('/'))) + "/*";
  for (const std::string& part : base::Split(*accept, ',')) {
    const std::string media =
        base::FoldCase(base::Trim(std::string_view(part).substr(0, part.find(';'))));
    if (media == type || media == range || media == "*/*") return true;
  }
  return false;
}

bool IsJson(const http::Request& request) {
  const std::string type = request.headers.Get("Content-Type").value_or("");
  const std::string_view media = std::string_view(type).substr(0, type.find(';'));
  return base::FoldCase(base::Trim(media)) == "application/json";
}

// Writes JSON if the client accepts it, else a stream of one event.
http::Response Written(const http::Request& request, int status, const Json& message) {
  if (status != 200 || Accepts(request, "application/json")) {
    return http::JsonResponse(status, message);
  }
  auto answer = http::TextResponse(200, "event: message\ndata: " + base::DumpJson(message) + "\n\n",
                                   "text/event-stream");
  answer.headers.Set("Cache-Control", "no-cache");
  answer.headers.Set("X-Accel-Buffering", "no");
  return answer;
}

http::Response Refused(const http::Request& request, int status, const Json& id,
                       const RpcError& error) {
  return Written(request, status, RpcFailure(id, error));
}

Json ToolFailure(const std::string& why) {
  return {{"content", {{{"type", "text"}, {"text", base::Inert(why)}}}}, {"isError", true}};
}

Json ToolSuccess(ToolAnswer answer, bool exact) {
  // Some clients show the model the text, others only the JSON: both contain the fence.
  if (!exact) answer.structured["text"] = answer.text;
  return {{"content", {{{"type", "text"}, {"text", std::move(answer.text)}}}},
          {"structuredContent", std::move(answer.structured)},
          {"isError", false}};
}

// Takes one of the slots for concurrent calls, if one is free.
class Slot {
 public:
  Slot(std::atomic<size_t>& running, size_t most)
      : running_(running), taken_(running_.fetch_add(1) < most) {}
  ~Slot() { running_.fetch_sub(1); }
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;
  bool taken() const { return taken_; }

 private:
  std::atomic<size_t>& running_;
  const bool taken_;
};

const McpTool* FindTool(const std::string& name) {
  for (const McpTool& tool : McpTools()) {
    if (name == tool.name) return &tool;
  }
  return nullptr;
}

// A list of messages in a session of the revision that has batches, which later ones took away.
bool MayBeBatch(const http::Request& request) {
  const std::string session = request.headers.Get(kSessionHeader).value_or("");
  const auto version = request.headers.Get(kVersionHeader);  // its clients send none
  return session.ends_with(kBatchesMark) && (!version || version == kOldestSessionRevision) &&
         base::Trim(request.body).starts_with('[');
}

http::Response Busy(const http::Request& request, const Json& id) {
  auto answer =
      Refused(request, 503, id, Failure(kInternalError, "too many tool calls at once: try again"));
  answer.headers.Set("Retry-After", "1");
  return answer;
}

}  // namespace

McpEndpoint::McpEndpoint(const PolicyWatch& policies, AgentMemory& memory,
                         const WorkingMemory& conversations, const base::Clock& clock, size_t calls)
    : policies_(policies),
      memory_(memory),
      conversations_(conversations),
      sessions_(clock, {}),
      calls_(calls) {}

std::vector<http::Route> McpEndpoint::Routes() {
  http::Route post{"POST", "/mcp", [this](const http::Request& r) { return Post(r); },
                   kMaxMessageBytes};
  post.waits = true;  // tools call the memory server
  return {std::move(post), {"DELETE", "/mcp", [this](const http::Request& r) { return End(r); }}};
}

http::Response McpEndpoint::Post(const http::Request& request) {
  if (!IsJson(request)) {
    return Refused(request, 415, nullptr,
                   Failure(kInvalidRequest, "Content-Type must be application/json"));
  }
  if (!Accepts(request, "application/json") && !Accepts(request, "text/event-stream")) {
    return Refused(
        request, 406, nullptr,
        Failure(kInvalidRequest, "Accept must list application/json and text/event-stream"));
  }
  if (MayBeBatch(request)) return Batch(request);
  McpReading reading = ReadMcpMessage(request.body);
  if (reading.error) return Refused(request, 400, reading.message.id, *reading.error);
  const McpMessage& message = reading.message;
  if (IsStateless(message, request.headers)) return Stateless(request, message);
  if (message.method == "initialize") return Begin(request, message);
  return InSession(request, message);
}

// Each message is answered as if it had come alone; the answers are a list, in the order of the
// messages.
http::Response McpEndpoint::Batch(const http::Request& request) {
  const auto messages = base::ParseJson(request.body);
  if (!messages)
    return Refused(request, 400, nullptr, Failure(kParseError, messages.error().message));
  if (messages->empty() || messages->size() > kMostOfBatch) {
    return Refused(request, 400, nullptr,
                   Failure(kInvalidRequest, "a batch has 1 to " + std::to_string(kMostOfBatch) +
                                                " messages, this one has " +
                                                std::to_string(messages->size())));
  }
  Json answers = Json::array();
  for (const Json& message : *messages) {
    if (base::StringAt(message, {"method"}) == "initialize") {
      answers.push_back(RpcFailure(message.value("id", Json()),
                                   Failure(kInvalidRequest, "initialize is no part of a batch")));
      continue;
    }
    http::Request one = request;
    one.body = base::DumpJson(message);
    one.headers.Set("Accept", "application/json");
    const http::Response answer = InSessionOf(one);
    // What refuses the session refuses the batch.
    if (answer.status == 404 || answer.status == 503) return answer;
    if (answer.body.empty()) continue;
    if (auto json = base::ParseJson(answer.body)) answers.push_back(*std::move(json));
  }
  return answers.empty() ? http::EmptyResponse(202) : Written(request, 200, answers);
}

http::Response McpEndpoint::InSessionOf(const http::Request& request) {
  McpReading reading = ReadMcpMessage(request.body);
  if (reading.error) return Refused(request, 400, reading.message.id, *reading.error);
  return InSession(request, reading.message);
}

http::Response McpEndpoint::Stateless(const http::Request& request, const McpMessage& message) {
  if (message.kind == MessageKind::kResponse) {
    return Refused(request, 400, nullptr,
                   Failure(kInvalidRequest, "nothing was asked that this could answer"));
  }
  if (message.kind == MessageKind::kNotification) {
    // The revision defines no notifications over HTTP; any that arrive have no effect.
    const std::string version = request.headers.Get(kVersionHeader).value_or(kStatelessRevision);
    if (version == kStatelessRevision) return http::EmptyResponse(202);
    return Refused(request, 400, nullptr,
                   {kUnsupportedVersion,
                    "this protocol version is not served",
                    {{"supported", {kStatelessRevision}}, {"requested", version}}});
  }
  if (auto refused = RefuseStateless(message, request.headers)) {
    const int status = StatusOfRpc(refused->code, true);
    return Refused(request, status, message.id, *refused);
  }
  Outcome outcome;
  bool cacheable = true;
  if (message.method == "server/discover") {
    outcome.result = DiscoverResult(Instructions());
  } else if (message.method == "tools/list") {
    outcome = List();
  } else if (message.method == "tools/call") {
    outcome = Call(request, message);
    cacheable = false;
  } else {
    outcome.error =
        Failure(kMethodNotFound, "there is no method " + base::Ellipsize(message.method, 100));
  }
  if (outcome.busy) return Busy(request, message.id);
  if (outcome.error) {
    return Refused(request, StatusOfRpc(outcome.error->code, true), message.id, *outcome.error);
  }
  return Written(request, 200,
                 RpcResult(message.id, StatelessResult(std::move(outcome.result), cacheable)));
}

http::Response McpEndpoint::Begin(const http::Request& request, const McpMessage& message) {
  const std::string asked = base::StringAt(message.params, {"protocolVersion"});
  if (message.kind != MessageKind::kRequest || asked.empty()) {
    return Refused(request, 400, message.id,
                   Failure(kInvalidParams, "initialize is a request with params.protocolVersion"));
  }
  const std::string revision = AgreedRevision(asked);
  http::Response answer =
      Written(request, 200, RpcResult(message.id, InitializeResult(revision, Instructions())));
  answer.headers.Set(kSessionHeader, sessions_.Begin(revision == kOldestSessionRevision ? kBatchesMark : ""));
  return answer;
}

http::Response McpEndpoint::InSession(const http::Request& request, const McpMessage& message) {
  const auto name = request.headers.Get(kSessionHeader);
  if (!name) {
    return Refused(request, 400, message.id,
                   Failure(kInvalidRequest,
                           std::string(kSessionHeader) + " is required: begin with initialize"));
  }
  // The header may name another revision than initialize agreed on, since all session revisions are
  // served alike. Unserved revisions never come here (IsStateless).
  if (!sessions_.Touch(*name)) {
    return Refused(request, 404, message.id,
                   Failure(kInvalidRequest, "no such session: begin again with initialize"));
  }
  // Ignores initialized, cancelled, and responses, since this server sends no requests.
  if (message.kind != MessageKind::kRequest) return http::EmptyResponse(202);
  Outcome outcome;
  if (message.method == "ping") {
    outcome.result = Json::object();
  } else if (message.method == "tools/list") {
    outcome = List();
  } else if (message.method == "tools/call") {
    outcome = Call(request, message);
  } else {
    outcome.error =
        Failure(kMethodNotFound, "there is no method " + base::Ellipsize(message.method, 100));
  }
  if (outcome.busy) return Busy(request, message.id);
  if (outcome.error) {
    return Refused(request, StatusOfRpc(outcome.error->code, false), message.id, *outcome.error);
  }
  return Written(request, 200, RpcResult(message.id, std::move(outcome.result)));
}

http::Response McpEndpoint::End(const http::Request& request) {
  const auto name = request.headers.Get(kSessionHeader);
  if (!name) {
    return Refused(request, 400, nullptr,
                   Failure(kInvalidRequest, std::string(kSessionHeader) + " is required"));
  }
  if (sessions_.End(*name)) return http::EmptyResponse(204);
  return Refused(request, 404, nullptr, Failure(kInvalidRequest, "no such session"));
}

McpEndpoint::Outcome McpEndpoint::List() const {
  const auto policy = policies_.Current();
  if (!policy) return {nullptr, Failure(kInternalError, "no policy is in force yet")};
  Json tools = Json::array();
  for (const McpTool& tool : McpTools()) {
    if (IsOffered(tool, policy->policy)) tools.push_back(DescribeTool(tool));
  }
  return {{{"tools", std::move(tools)}}, std::nullopt};
}

McpEndpoint::Outcome McpEndpoint::Call(const http::Request& request, const McpMessage& message) {
  const auto policy = policies_.Current();
  if (!policy) return {nullptr, Failure(kInternalError, "no policy is in force yet")};
  const std::string name = base::StringAt(message.params, {"name"});
  const McpTool* tool = FindTool(name);
  if (tool == nullptr) {
    return {nullptr, Failure(kInvalidParams, "there is no tool " + base::Ellipsize(name, 100))};
  }
  if (!IsOffered(*tool, policy->policy)) {
    return {nullptr, Failure(kInvalidParams, "the policy of this agent does not offer " + name)};
  }
  const Json arguments = message.params.value("arguments", Json::object());
  if (!arguments.is_object()) {
    return {nullptr, Failure(kInvalidParams, "params.arguments must be an object")};
  }
  Slot slot(running_, calls_);
  if (!slot.taken()) return {nullptr, std::nullopt, true};
  // Errors that a model can correct are results; only broken requests are errors of the protocol.
  auto checked = CheckArguments(tool->input.schema, arguments);
  if (!checked) return {ToolFailure(checked.error().message), std::nullopt};
  auto answer = tool->call({memory_, conversations_, CallOf(request, policy), *tool}, *checked);
  if (!answer) return {ToolFailure(answer.error().message), std::nullopt};
  return {ToolSuccess(std::move(*answer), tool->exact), std::nullopt};
}

std::string McpEndpoint::Instructions() const {
  const auto policy = policies_.Current();
  return policy ? McpInstructions(policy->policy) : "";
}

}  // namespace sidecar
