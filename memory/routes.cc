// All routes of the memory server: method, path, handler.
#include "memory/routes.h"

#include "lib/conversation/routes/hosted_routes.h"
#include "memory/api/conversation_handlers.h"
#include "memory/api/episodes/episode_handlers.h"
#include "memory/api/ingest/ingest_handlers.h"
#include "memory/api/items/item_handlers.h"
#include "memory/api/shared/shared_handlers.h"
#include "memory/api/traces/trace_handlers.h"
#include "memory/transfer/transfer_handlers.h"

namespace memory {

namespace {

struct Line {
  const char* method;
  const char* pattern;
  ApiHandler handler;
  bool streaming = false;
};

// Requests that a client can make expensive: they share a few threads, so that others keep theirs.
bool Computes(const std::string& method, const std::string& pattern, const http::Request& request) {
  if (pattern == "/search") return request.Query("syntax").value_or("plain") != "plain";
  return method == "POST" && (pattern == "/items/consider" || pattern == "/traces/merge" ||
                              pattern.starts_with("/traces/reflect"));
}

constexpr Line kTable[] = {
    {"GET", "/health", Health},
    {"POST", "/sessions", PostSession},
    {"POST", "/sessions/{id}/end", EndSession, true},
    {"GET", "/sessions/recent", RecentSessions},
    {"POST", "/observations", PostObservation},
    {"GET", "/observations/recent", RecentObservations},
    {"GET", "/observations/{id}", GetObservation},
    {"PATCH", "/observations/{id}", PatchObservation},
    {"DELETE", "/observations/{id}", DeleteObservation},
    {"GET", "/observations/{id}/revisions", GetRevisions},
    {"GET", "/search", Search},
    {"GET", "/context", ContextWithDue},
    {"GET", "/timeline", Timeline},
    {"GET", "/stats", Stats},
    {"GET", "/export", Export},
    {"POST", "/import", Import, true},
    {"GET", "/retention", GetRetention},
    {"PUT", "/retention", PutRetention},
    {"POST", "/forget", Forget},
    {"DELETE", "/conversations/{id}", DeleteConversation},
    {"GET", "/items", FindItems},
    {"GET", "/items/render", RenderFoundItems},
    {"POST", "/items/consider", ConsiderItem},
    {"PUT", "/items/{key}", PutItem},
    {"GET", "/items/{key}", GetItem},
    {"PATCH", "/items/{key}", PatchItem},
    {"DELETE", "/items/{key}", DeleteItem},
    {"POST", "/episodic/store", StoreEpisode},
    {"POST", "/episodic/search", SearchEpisodes},
    {"GET", "/episodic/{conversation}", GetEpisodes},
    {"GET", "/shared", ListShared},
    {"GET", "/shared/{agent}/{key}", GetShared},
    {"PUT", "/shared/{agent}/{key}", PutShared},
    {"DELETE", "/shared/{agent}/{key}", DeleteShared},
    {"POST", "/traces", PostTrace},
    {"POST", "/traces/merge", MergeTraces},
    {"POST", "/traces/search", SearchTraces},
    {"POST", "/traces/reflect", ReflectTraces},
    {"GET", "/traces/reflect/runs", ReflectRuns},
    {"POST", "/traces/reflect/runs/{run}/undo", UndoReflectRun},
    {"POST", "/ingest/turns", PostTurn},
    {"GET", "/ingest/turns/{turn}", GetTurn},
    {"POST", "/ingest/turns/{turn}/retry", RetryTurn},
    {"GET", "/traces/due", DueTraces},
    {"GET", "/traces/{id}", GetTrace},
    {"PATCH", "/traces/{id}", PatchTrace},
    {"DELETE", "/traces/{id}", DeleteTrace},
    {"POST", "/traces/{id}/unmerge", UnmergeTrace},
    {"GET", "/traces/{id}/original", OriginalOfTrace},
    {"PUT", "/traces/{id}/edges/{to}", PutEdge},
    {"DELETE", "/traces/{id}/edges/{to}", DeleteEdge},
};

}  // namespace

std::vector<http::Route> Routes(const Gate& gate, size_t max_stream_bytes) {
  std::vector<http::Route> routes;
  for (const Line& line : kTable) {
    http::Route route;
    route.method = line.method;
    route.pattern = line.pattern;
    route.handler = [&gate, handler = line.handler](const http::Request& request) {
      return gate.Pass(request, handler);
    };
    route.waits = route.method != "GET";  // for the commit
    route.computes = [method = route.method,
                      pattern = route.pattern](const http::Request& request) {
      return Computes(method, pattern, request);
    };
    route.streaming = line.streaming;
    if (line.streaming) route.max_body_bytes = max_stream_bytes;
    routes.push_back(std::move(route));
  }
  for (const conversation::HostedRoute& hosted : conversation::HostedRoutes()) {
    http::Route& route = routes.emplace_back();
    route.method = hosted.method;
    route.pattern = hosted.pattern;
    route.max_body_bytes = hosted.max_body_bytes;
    route.waits = route.method != "GET";
    route.handler = [&gate, handler = hosted.handler](const http::Request& request) {
      return gate.Pass(request, [handler](const Api& api, const http::Request& passed) {
        auto answer = handler(*api.store.Conversations(api.caller), passed);
        return answer ? *std::move(answer) : http::ErrorResponse(answer.error());
      });
    };
  }
  return routes;
}

std::vector<http::Route> AegisRoutes(const Gate& gate) {
  std::vector<http::Route> routes = Routes(gate, 0);
  std::erase_if(routes, [](const http::Route& route) {
    const std::string_view pattern = route.pattern;
    return pattern != "/health" && !pattern.starts_with("/working-memory/") &&
           !pattern.starts_with("/ledger/") && !pattern.starts_with("/episodic/");
  });
  return routes;
}

}  // namespace memory
