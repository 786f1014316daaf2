// Decodes, hands over, encodes. An event that we do not know is answered {}: an agent newer than we
// are must not be disturbed.
#include "sidecar/hooks.h"

#include <utility>

#include "lib/telemetry/trace.h"

namespace sidecar {
namespace {

// What is large of an event is moved, for a hook's memory is its body times its copies.
base::Json Taken(base::Json& body, const char* field) {
  if (!body.is_object() || !body.contains(field)) return nullptr;
  return std::exchange(body[field], nullptr);
}

}  // namespace

http::Response Hooks::Handle(const http::Request& request) {
  auto answer = Answer(request);
  if (answer) return http::JsonResponse(200, *answer);
  metrics_.Count("agent_memory_sidecar_hooks_refused_total",
                 {{"reason", base::CodeName(answer.error().code)}});
  return http::ErrorResponse(answer.error());
}

base::Result<base::Json> Hooks::Answer(const http::Request& request) {
  ASSIGN_OR_RETURN(base::Json body, base::ParseJson(request.body));
  base::Json input = Taken(body, "tool_input"), response = Taken(body, "tool_response");
  ASSIGN_OR_RETURN(api::HookEvent event, api::DecodeHookEvent(body));
  body = nullptr;
  if (event.kind == api::HookEvent::Kind::kOther) return base::Json::object();
  event.tool_input = std::move(input);
  event.tool_response = std::move(response);
  metrics_.Count("agent_memory_sidecar_hooks_total", {{"event", event.name}});
  api::HookEvent named;  // the answer only needs the name
  named.kind = event.kind;
  named.name = event.name;
  const auto trace = telemetry::ParseTraceparent(request.headers.Get("traceparent").value_or(""));
  ASSIGN_OR_RETURN(const api::HookAnswer answer, turn_.Take(std::move(event), trace));
  return api::EncodeHookAnswer(named, answer);
}

}  // namespace sidecar
