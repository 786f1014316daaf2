// Method, path, handler: everything that the memory server answers.
#include "memory/routes.h"

#include "memory/transfer/transfer_handlers.h"

namespace memory {

std::vector<http::Route> Routes(const Gate& gate, size_t max_stream_bytes) {
  struct Line {
    const char* method;
    const char* pattern;
    ApiHandler handler;
    bool streaming = false;
  };
  static constexpr Line kTable[] = {
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
      {"GET", "/context", Context},
      {"GET", "/timeline", Timeline},
      {"GET", "/stats", Stats},
      {"GET", "/export", Export},
      {"POST", "/import", Import, true},
      {"GET", "/retention", GetRetention},
      {"PUT", "/retention", PutRetention},
      {"POST", "/forget", Forget},
  };
  std::vector<http::Route> routes;
  for (const Line& line : kTable) {
    http::Route route;
    route.method = line.method;
    route.pattern = line.pattern;
    route.handler = [&gate, handler = line.handler](const http::Request& request) {
      return gate.Pass(request, handler);
    };
    route.waits = route.method != "GET";  // for the commit
    route.streaming = line.streaming;
    if (line.streaming) route.max_body_bytes = max_stream_bytes;
    routes.push_back(std::move(route));
  }
  return routes;
}

}  // namespace memory
