// Decodes, hands over, encodes. An event that we do not know is answered {}: an agent newer than we
// are must not be disturbed.
#include "sidecar/hooks.h"

#include <utility>

#include "lib/telemetry/trace.h"

namespace sidecar {

http::Response Hooks::Handle(const http::Request& request) {
  auto answer = Answer(request);
  if (answer) return http::JsonResponse(200, *answer);
  metrics_.Count("agent_memory_sidecar_hooks_refused_total",
                 {{"reason", base::CodeName(answer.error().code)}});
  return http::ErrorResponse(answer.error());
}

base::Result<base::Json> Hooks::Answer(const http::Request& request) {
  ASSIGN_OR_RETURN(const base::Json body, base::ParseJson(request.body));
  ASSIGN_OR_RETURN(api::HookEvent event, api::DecodeHookEvent(body));
  if (event.kind == api::HookEvent::Kind::kOther) return base::Json::object();
  metrics_.Count("agent_memory_sidecar_hooks_total", {{"event", event.name}});
  api::HookEvent named;  // the answer only needs the name
  named.kind = event.kind;
  named.name = event.name;
  const auto trace = telemetry::ParseTraceparent(request.headers.Get("traceparent").value_or(""));
  ASSIGN_OR_RETURN(const api::HookAnswer answer, turn_.Take(std::move(event), trace));
  return api::EncodeHookAnswer(named, answer);
}

}  // namespace sidecar
