// Identity, then role, then the tenant's store: in this order, so that nothing is made for
// strangers.
#include "memory/gate.h"

namespace memory {

using http::Request;
using http::Response;

namespace {

Response Refusal(const Identified& who) {
  const char* code = who.status == 401 ? "unauthenticated" : "denied";
  if (who.status == 503) code = base::CodeName(base::Code::kUnavailable);
  Response response = http::JsonResponse(who.status, {{"error", who.message}, {"code", code}});
  if (who.status == 401) response.headers.Set("WWW-Authenticate", "Bearer realm=\"agent-memory\"");
  if (who.status == 503) response.headers.Set("Retry-After", "1");
  return response;
}

}  // namespace

Response Gate::Pass(const Request& request, ApiHandler handler) const {
  Caller caller{kEverybody, "", Role::kAgent};
  if (identities_) {
    Identified who = identities_->Identify(request.headers);
    if (who.status != 200) return Refusal(who);
    caller = std::move(who.caller);
  }
  if (!Permits(caller.role, request.method))
    return Refusal({403, {}, "without a token memories can be read here, not changed"});
  auto store = tenants_.Take(caller.tenant);
  if (!store) return http::ErrorResponse(store.error());
  Response response = handler(Api{**store, clock_, metrics_}, request);
  // A streamed answer is written after this returns: the store stays open until then.
  if (response.stream) {
    response.stream = [held = *store, write = std::move(response.stream)](
                          http::BodyWriter& writer) { return write(writer); };
  }
  return response;
}

}  // namespace memory
