// Binds the rows of lib/api/operations to their handlers.
#include "memory/routes.h"

#include <algorithm>

#include "lib/api/operations/operations.h"
#include "lib/conversation/routes/host.h"
#include "memory/api/handlers.h"
#include "memory/transfer/transfer_handlers.h"

namespace memory {

namespace {

HandlerTable OwnHandlers() {
  HandlerTable all = {{"export", Export}, {"import", Import}};
  for (const auto& handlers : kHandlerTables) {
    const HandlerTable table = handlers();
    all.insert(all.end(), table.begin(), table.end());
  }
  return all;
}

// Requests that a client can make expensive: they share a few threads, so that others keep theirs.
bool Computes(const api::Operation& row, const http::Request& request) {
  if (row.Has(api::kComputes)) return true;
  return row.Has(api::kComputesWithSyntax) && request.Query("syntax").value_or("plain") != "plain";
}

Gate::Handler HandlerOf(const HandlerTable& table, std::string_view name) {
  const auto own = std::ranges::find(table, name, &NamedHandler::name);
  if (own != table.end()) return own->handler;
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
  for (const NamedHandler& own : OwnHandlers()) names.push_back(own.name);
  for (const auto& hosted : conversation::HostedHandlers()) names.push_back(hosted.name);
  return names;
}

std::vector<http::Route> Routes(const Gate& gate, size_t max_stream_bytes) {
  const HandlerTable table = OwnHandlers();
  std::vector<http::Route> routes;
  for (const api::Operation& row : api::Operations()) {
    http::Route& route = routes.emplace_back(api::RouteOf(row));
    route.handler = [&gate, handler = HandlerOf(table, row.name)](const http::Request& request) {
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
