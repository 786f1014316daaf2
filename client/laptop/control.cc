// The routes and calls of the supervisor's private API; this program is both server and client.
#include "client/laptop/control.h"

#include <chrono>
#include <thread>

#include "lib/http/client/client.h"

namespace client {
namespace {

// A killed supervisor holds the folder's lock for a moment, but no longer answers.
constexpr int64_t kEndingMs = 3'000, kAcceptTickMs = 20;

using base::Json;
using base::Result;

bool SameText(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char differs = 0;
  for (size_t i = 0; i < a.size(); ++i) differs |= static_cast<unsigned char>(a[i] ^ b[i]);
  return differs == 0;
}

http::Response UseProject(Supervisor& supervisor, const http::Request& request) {
  const auto body = base::ParseJson(request.body);
  if (!body) return http::ErrorResponse(body.error());
  const auto project =
      supervisor.Use(base::StringAt(*body, {"root"}), base::StringAt(*body, {"project"}));
  if (!project) return http::ErrorResponse(project.error());
  return http::JsonResponse(200, {{"project", project->name},
                                  {"root", project->root},
                                  {"url", project->url},
                                  {"pid", project->pid}});
}

}  // namespace

Result<std::unique_ptr<http::Server>> StartControlServer(Supervisor& supervisor,
                                                         const std::string& token,
                                                         std::function<void()> stop) {
  http::ServerOptions options;
  options.name = "control";
  options.before = [token](http::Request& request) -> std::optional<http::Response> {
    const std::string given = request.headers.Get("Authorization").value_or("");
    if (SameText(given, "Bearer " + token)) return std::nullopt;
    return http::JsonResponse(
        401, {{"error", "this port is for agent-memory's own commands"}, {"code", "denied"}});
  };
  std::vector<http::Route> routes = {
      {"POST", "/v1/use",
       [&](const http::Request& request) { return UseProject(supervisor, request); }},
      {"GET", "/v1/standing",
       [&](const http::Request&) { return http::JsonResponse(200, supervisor.Status()); }},
      {"POST", "/v1/stop", [stop = std::move(stop)](const http::Request&) {
         stop();
         return http::JsonResponse(202, Json::object());
       }}};
  return http::Server::Start(http::Router(std::move(routes)), std::move(options));
}

Result<ControlClient> ControlClient::Reach(const Home& home, int64_t probe_ms) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kEndingMs);
  while (true) {
    ASSIGN_OR_RETURN(const Running running, home.FindRunning());
    http::ClientOptions options;
    options.base_url = running.front;
    options.bearer_token = [token = running.token] { return token; };
    ASSIGN_OR_RETURN(auto client, http::MakeClient(std::move(options)));
    const ControlClient control(std::move(client));
    const auto status = control.Ask("GET", "/v1/standing", nullptr, probe_ms);
    if (!status && status.error().code == base::Code::kTimeout) {
      return base::Error{base::Code::kTimeout,
                         "memory does not answer (process " + std::to_string(running.pid) +
                             "): 'agent-memory down' ends it, 'agent-memory up' starts it again"};
    }
    if (status || status.error().code != base::Code::kUnavailable) return control;
    if (std::chrono::steady_clock::now() >= end) return status.error();
    std::this_thread::sleep_for(std::chrono::milliseconds(kAcceptTickMs));
  }
}

Result<Json> ControlClient::Ask(const std::string& method, const std::string& path,
                                const Json& body, int64_t timeout_ms) const {
  http::ClientRequest request;
  request.method = method;
  request.target = path;
  request.timeout_ms = timeout_ms;
  if (!body.is_null()) {
    request.headers.Set("Content-Type", "application/json");
    request.body = base::DumpJson(body);
  }
  ASSIGN_OR_RETURN(const auto answer, http_->Send(request));
  ASSIGN_OR_RETURN(auto json, base::ParseJson(answer.body));
  if (answer.status < 300) return json;
  return base::Error{http::CodeOf(answer.status), base::StringAt(json, {"error"})};
}

Result<Project> ControlClient::Use(const std::string& root, const std::string& name,
                                   int64_t timeout_ms) const {
  ASSIGN_OR_RETURN(const Json answer,
                   Ask("POST", "/v1/use", {{"root", root}, {"project", name}}, timeout_ms));
  return Project{base::StringAt(answer, {"project"}), base::StringAt(answer, {"root"}),
                 base::StringAt(answer, {"url"}), answer.value("pid", 0)};
}

Result<Json> ControlClient::Status() const { return Ask("GET", "/v1/standing", nullptr); }

base::Status ControlClient::Stop() const {
  ASSIGN_OR_RETURN(const Json answer, Ask("POST", "/v1/stop", Json::object()));
  return {};
}

}  // namespace client
