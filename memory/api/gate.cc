// Checks identity, role and budget, then opens the tenant's store: in this order, so that an
// unknown caller creates no tenant.
#include "memory/api/gate.h"

#include "lib/api/memory_api.h"
#include "lib/http/server/cross_origin_guard.h"

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

// The budget that a request charges; empty: none. Deletes free space and are always admitted. The
// backlog of an outbox and imports have their own budgets, so that they do not delay present
// writes.
std::string BudgetOf(const Request& request) {
  if (request.method == "GET" || request.method == "DELETE") return "";
  if (request.path == "/import") return "import";
  return request.headers.Get(api::kReplayHeader) ? "replay" : "writes";
}

}  // namespace

std::optional<Response> Gate::OverBudget(const Caller& caller, const Request& request) const {
  const std::string budget = budgets_ ? BudgetOf(request) : "";
  if (budget.empty()) return std::nullopt;
  const int64_t wait_ms = budgets_->Consume(caller.tenant + "/" + caller.account + "/" + budget);
  if (wait_ms == 0) return std::nullopt;
  metrics_.Count("agent_memory_server_quota_refusals_total", {{"budget", budget}});
  const std::string who =
      caller.account.empty() ? "callers without a token" : "this ServiceAccount";
  const std::string seconds = std::to_string((wait_ms + 999) / 1000);
  const WriteBudgets::Limits& limits = budgets_->limits();
  Response response = http::JsonResponse(
      429, {{"error", "quota-writes: " + who + " may write " + std::to_string(limits.per_minute) +
                          " times a minute (quota-burst: " + std::to_string(limits.burst) +
                          " at once), and the budget of " + budget +
                          " is used up; send it again in " + seconds + " s"},
            {"code", "over_quota"}});
  response.headers.Set("Retry-After", seconds);
  return response;
}

std::optional<Response> Gate::RefuseAtHead(const Request& request) const {
  if (!identities_ || http::IsHealthRoute(request)) return std::nullopt;
  const auto refused = identities_->RefusedAtOnce(request.headers);
  return refused ? std::optional(Refusal(*refused)) : std::nullopt;
}

Response Gate::Pass(const Request& request, const Handler& handler) const {
  Caller caller{kEverybody, "", Role::kAgent};
  if (identities_ && http::IsHealthRoute(request))
    return http::JsonResponse(200, {{"status", "ok"}});
  if (identities_) {
    Identified who = identities_->Identify(request.headers);
    if (who.status != 200) return Refusal(who);
    caller = std::move(who.caller);
  }
  if (!Permits(caller.role, request.method))
    return Refusal({403, {}, "without a token memories can be read here, not changed"});
  if (auto refused = OverBudget(caller, request)) return *std::move(refused);
  auto store = engine_.Open(caller.tenant);
  if (!store) return http::ErrorResponse(store.error());
  const bool administrator = !identities_ || (!caller.account.empty() && !caller.of_pod);
  Response response = handler(
      Api{**store, clock_, metrics_, caller.account, administrator, caller.tenant, shared_access_},
      request);
  // A streamed answer is written after this returns: the response holds the store open.
  if (response.stream) {
    response.stream = [held = *store, write = std::move(response.stream)](
                          http::BodyWriter& writer) { return write(writer); };
  }
  return response;
}

}  // namespace memory
