// Collects counts from state.db, which survive restarts.
#include "sidecar/routes/status_routes.h"

#include <utility>

#include "lib/conversation/conversations.h"
#include "lib/conversation/sqlite/rows.h"
#include "lib/telemetry/instrument.h"
#include "sidecar/outbox/dead_letters.h"
#include "sidecar/state/salvage.h"
#include "sidecar/tables/damaged_rows.h"

namespace sidecar {
namespace {

using base::Json;
using base::Result;

constexpr int64_t kLettersShown = 20;

Json EncodeStatus(const PolicyWatch::Status& standing) {
  Json json = {{"digest", standing.digest},
               {"in_force", !standing.digest.empty()},
               {"matches_file", standing.matches_file},
               {"restored", standing.restored},
               {"reloads", standing.reloads},
               {"rejected", standing.rejected}};
  if (standing.loaded_ms > 0) json["loaded_at"] = base::FormatTime(standing.loaded_ms);
  if (!standing.error.empty()) json["error"] = standing.error;
  return json;
}

Json EncodeSuspension(const std::optional<Suspension>& suspension) {
  if (!suspension) return nullptr;
  return {{"reason", suspension->reason},
          {"message", suspension->message},
          {"since", base::FormatTime(suspension->since_ms)}};
}

Result<Json> EncodeOutbox(sqlite::Database& db) {
  ASSIGN_OR_RETURN(const OutboxTotals totals, ReadTotals(db));
  ASSIGN_OR_RETURN(const auto causes, DeadByCause(db));
  ASSIGN_OR_RETURN(const auto letters, DeadLetters(db, 0, kLettersShown));
  Json shown = Json::array();
  for (const DeadLetter& letter : letters) shown.push_back(EncodeDeadLetter(letter));
  return Json{{"accepted", totals.accepted},     {"delivered", totals.delivered},
              {"pending", totals.pending},       {"dead", totals.dead},
              {"discarded", totals.discarded},   {"pending_bytes", totals.pending_bytes},
              {"dead_bytes", totals.dead_bytes}, {"dead_by_cause", causes},
              {"dead_letters", std::move(shown)}};
}

}  // namespace

StatusRoutes::StatusRoutes(State& state, const PolicyWatch& policies, const Delivery& delivery,
                           const MemoryServers& servers, const RuleCounters& rules,
                           const Activity& activity, telemetry::Metrics& metrics)
    : state_(state),
      policies_(policies),
      delivery_(delivery),
      servers_(servers),
      rules_(rules),
      activity_(activity),
      metrics_(metrics) {}

std::vector<http::Route> StatusRoutes::AgentRoutes() {
  return {{"GET", "/v1/status", [this](const http::Request& request) { return Status(request); }}};
}

std::vector<http::Route> StatusRoutes::AdminRoutes(std::shared_ptr<const base::ByteBudget> budget) {
  auto routes = telemetry::AdminRoutes(
      metrics_, [this] { return Ready(); }, std::move(budget));
  for (http::Route& route : routes) {
    if (route.pattern != "/metrics") continue;
    route.waits = true;
    route.handler = [this, render = route.handler](const http::Request& request) {
      const std::lock_guard one_at_a_time(scrape_);  // no scrape mixes gauges of two refreshes
      RefreshGauges();
      return render(request);
    };
  }
  routes.push_back({"GET", "/v1/policy", [this](const http::Request& r) { return Policy(r); }});
  routes.back().waits = true;
  return routes;
}

http::Response StatusRoutes::Status(const http::Request&) {
  auto status = state_.Read([](sqlite::Database& db) -> Result<Json> {
    ASSIGN_OR_RETURN(Json json, EncodeOutbox(db));
    ASSIGN_OR_RETURN(const auto current, conversation::SqliteRows(db).LastUsed("open", ""));
    ASSIGN_OR_RETURN(json["damages"], Damages(db));
    ASSIGN_OR_RETURN(json["damaged_rows"], CountDamagedRows(db));
    json["session"] = current ? conversation::EncodeConversation(*current) : Json();
    return json;
  });
  if (!status) return http::ErrorResponse(status.error());
  (*status)["policy"] = EncodeStatus(policies_.status());
  (*status)["rules"] = rules_.Encode();
  (*status)["refused"] = static_cast<int64_t>(
      metrics_.Value("agent_memory_sidecar_hooks_refused_total", {{"reason", "full"}}));
  const auto policy = policies_.Current();
  const std::string url = policy ? policy->policy.server_url : "";
  (*status)["memory"] = {{"url", url},
                         {"project", policy ? policy->policy.project : ""},
                         {"reachable", !servers_.IsAway(url)},
                         {"last_status", delivery_.last_status()},
                         {"recall_suspended", servers_.IsSlow(url)}};
  (*status)["suspended"] = EncodeSuspension(delivery_.suspension());
  return http::JsonResponse(200, *status);
}

http::Response StatusRoutes::Policy(const http::Request&) {
  Json json = EncodeStatus(policies_.status());
  const auto policy = policies_.Current();
  json["agent"] = policy ? policy->policy.agent : "";
  json["namespace"] = policy ? policy->policy.agent_namespace : "";
  json["quiet_ms"] = activity_.QuietMs();
  return http::JsonResponse(200, json);
}

base::Status StatusRoutes::Ready() {
  if (state_.Failed()) {
    return base::Error{base::Code::kUnavailable, "state.db could not be synced to the disk"};
  }
  if (!policies_.Current()) {
    const std::string error = policies_.status().error;
    return base::Error{base::Code::kUnavailable,
                       "no valid policy was seen yet" + (error.empty() ? "" : ": " + error)};
  }
  return {};
}

void StatusRoutes::RefreshGauges() {
  auto totals = state_.Read([](sqlite::Database& db) { return ReadTotals(db); });
  if (totals) {
    const std::pair<const char*, int64_t> states[] = {{"accepted", totals->accepted},
                                                      {"delivered", totals->delivered},
                                                      {"pending", totals->pending},
                                                      {"dead", totals->dead},
                                                      {"discarded", totals->discarded}};
    for (const auto& [state, count] : states) {
      metrics_.SetGauge("agent_memory_sidecar_outbox_writes", static_cast<double>(count),
                        {{"state", state}});
    }
    metrics_.SetGauge("agent_memory_sidecar_outbox_pending_bytes",
                      static_cast<double>(totals->pending_bytes));
    metrics_.SetGauge("agent_memory_sidecar_outbox_dead_bytes",
                      static_cast<double>(totals->dead_bytes));
  }
  if (const auto damages = state_.Read([](sqlite::Database& db) { return Damages(db); })) {
    metrics_.SetGauge("agent_memory_sidecar_damaged_files", static_cast<double>(damages->size()));
  }
  if (const auto rows = state_.Read([](sqlite::Database& db) { return CountDamagedRows(db); })) {
    for (const char* table : {"conversations", "messages", "outbox"}) {
      metrics_.SetGauge("agent_memory_sidecar_damaged_rows",
                        static_cast<double>(rows->contains(table) ? rows->at(table) : 0),
                        {{"table", table}});
    }
  }
  const auto standing = policies_.status();
  metrics_.SetGauge("agent_memory_sidecar_policy_matches_file", standing.matches_file ? 1 : 0);
  metrics_.SetGauge("agent_memory_sidecar_policy_reloads", static_cast<double>(standing.reloads));
  metrics_.SetGauge("agent_memory_sidecar_policy_rejected", static_cast<double>(standing.rejected));
  const auto policy = policies_.Current();
  const bool away = policy && servers_.IsAway(policy->policy.server_url);
  metrics_.SetGauge("agent_memory_sidecar_server_reachable", away ? 0 : 1);
  const auto suspension = delivery_.suspension();
  for (const char* reason : kSuspensionReasons) {
    metrics_.SetGauge("agent_memory_sidecar_outbox_suspended",
                      suspension && suspension->reason == reason ? 1 : 0, {{"reason", reason}});
  }
}

}  // namespace sidecar
