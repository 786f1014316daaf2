// Binds the rows of lib/api/operations to their handlers.
#include "memory/routes.h"

#include <algorithm>
#include <iterator>

#include "lib/api/operations/operations.h"
#include "lib/conversation/routes/host.h"
#include "memory/api/handlers.h"
#include "memory/transfer/transfer_handlers.h"

namespace memory {

namespace {

struct Bound {
  std::string_view name;  // of the row
  ApiHandler* handler;
};

constexpr Bound kHandlers[] = {
    {"get_openapi", OpenApi},
    {"get_health", Health},
    {"begin_session", PostSession},
    {"end_session", EndSession},
    {"list_sessions", RecentSessions},
    {"save_observation", PostObservation},
    {"list_observations", RecentObservations},
    {"list_hidden", HiddenObservations},
    {"restore_observation", RestoreObservation},
    {"get_observation", GetObservation},
    {"change_observation", PatchObservation},
    {"delete_observation", DeleteObservation},
    {"list_revisions", GetRevisions},
    {"search", Search},
    {"get_context", ContextWithDue},
    {"get_timeline", Timeline},
    {"get_stats", Stats},
    {"export", Export},
    {"import", Import},
    {"get_retention", GetRetention},
    {"set_retention", PutRetention},
    {"forget", Forget},
    {"delete_conversation", DeleteConversation},
    {"find_items", FindItems},
    {"render_items", RenderFoundItems},
    {"consider_item", ConsiderItem},
    {"put_item", PutItem},
    {"get_item", GetItem},
    {"change_item", PatchItem},
    {"delete_item", DeleteItem},
    {"store_episode", StoreEpisode},
    {"search_episodes", SearchEpisodes},
    {"list_episodes", GetEpisodes},
    {"list_shared", ListShared},
    {"get_shared", GetShared},
    {"put_shared", PutShared},
    {"delete_shared", DeleteShared},
    {"add_trace", PostTrace},
    {"merge_traces", MergeTraces},
    {"search_traces", SearchTraces},
    {"reflect", ReflectTraces},
    {"list_runs", ReflectRuns},
    {"undo_run", UndoReflectRun},
    {"post_turn", PostTurn},
    {"get_turn", GetTurn},
    {"retry_turn", RetryTurn},
    {"list_due", DueTraces},
    {"get_trace", GetTrace},
    {"change_trace", PatchTrace},
    {"delete_trace", DeleteTrace},
    {"unmerge_trace", UnmergeTrace},
    {"get_original", OriginalOfTrace},
    {"put_edge", PutEdge},
    {"delete_edge", DeleteEdge},
};

// Requests that a client can make expensive: they share a few threads, so that others keep theirs.
bool Computes(const api::Operation& row, const http::Request& request) {
  if (row.Has(api::kComputes)) return true;
  return row.Has(api::kComputesWithSyntax) && request.Query("syntax").value_or("plain") != "plain";
}

Gate::Handler HandlerOf(std::string_view name) {
  const auto own = std::ranges::find(kHandlers, name, &Bound::name);
  if (own != std::end(kHandlers)) return own->handler;
  for (const conversation::HostedHandler& hosted : conversation::HostedHandlers()) {
    if (hosted.name != name) continue;
    return [handler = hosted.handler](const Api& api, const http::Request& request) {
      auto answer = handler(*api.store.Conversations(api.caller), request);
      return answer ? *std::move(answer) : http::ErrorResponse(answer.error());
    };
  }
  return nullptr;
}

}  // namespace

std::vector<std::string_view> HandlerNames() {
  std::vector<std::string_view> names;
  for (const Bound& bound : kHandlers) names.push_back(bound.name);
  for (const auto& hosted : conversation::HostedHandlers()) names.push_back(hosted.name);
  return names;
}

std::vector<http::Route> Routes(const Gate& gate, size_t max_stream_bytes) {
  std::vector<http::Route> routes;
  for (const api::Operation& row : api::Operations()) {
    http::Route& route = routes.emplace_back(api::RouteOf(row));
    route.handler = [&gate, handler = HandlerOf(row.name)](const http::Request& request) {
      return gate.Pass(request, handler);
    };
    route.waits = row.method != "GET";  // for the commit
    route.computes = [&row](const http::Request& request) { return Computes(row, request); };
    route.streaming = row.Has(api::kStreams);
    if (route.streaming) route.max_body_bytes = max_stream_bytes;
  }
  return routes;
}

std::vector<http::Route> AegisRoutes(const Gate& gate) {
  std::vector<http::Route> routes = Routes(gate, 0);
  std::erase_if(routes, [](const http::Route& route) {
    return std::ranges::none_of(api::Operations(), [&](const api::Operation& row) {
      return row.Has(api::kOfAegis) && row.method == route.method && row.path == route.pattern;
    });
  });
  return routes;
}

}  // namespace memory
