// Keeps a few clients, for the current server and recent ones.
#include "sidecar/upstream/memory_servers.h"

#include <algorithm>
#include <utility>

#include "lib/base/process/file.h"
#include "lib/base/process/log.h"
#include "lib/base/text/text.h"

namespace sidecar {
namespace {

constexpr size_t kMaxTokenBytes = 64 << 10;
constexpr size_t kMaxAnswerBytes = 64 << 20;

std::string ReadToken(const std::string& file) {
  if (file.empty()) return {};
  auto token = base::ReadFile(file, kMaxTokenBytes);
  if (!token) {
    base::LogWarn("the token file cannot be read",
                  {{"file", file}, {"reason", token.error().message}});
    return {};
  }
  return std::string(base::Trim(*token));
}

// A proxy in front of a missing server answers 502, 503 or 504; a busy memory server answers 503
// with a JSON body.
ServerHealth::End EndOf(const base::Result<http::Response>& answer) {
  using End = ServerHealth::End;
  if (!answer) {
    if (answer.error().code == base::Code::kTimeout) return End::kTimedOut;
    return answer.error().code == base::Code::kUnavailable ? End::kNoAnswer : End::kAnswered;
  }
  const int status = answer->status;
  if (status != 502 && status != 503 && status != 504) return End::kAnswered;
  const auto body = base::ParseJson(answer->body);
  return body && body->is_object() && body->contains("error") ? End::kAnswered : End::kNoAnswer;
}

}  // namespace

base::Result<http::Response> MemoryServers::Send(const std::string& base_url,
                                                 const http::ClientRequest& request) {
  if (base_url.empty()) {
    return base::Error{base::Code::kUnavailable, "the memory server is not resolved yet"};
  }
  ASSIGN_OR_RETURN(const auto server, ServerAt(base_url));
  const auto call = server->health.Begin(clock_.MonotonicMs(), request.timeout_ms);
  if (!call) {
    return base::Error{base::Code::kUnavailable,
                       "the memory server at " + base_url +
                           " does not answer in time; it is asked again within seconds. Look at "
                           "its pod and Service; GET /v1/status says when it is back"};
  }
  auto answer = server->client->Send(request);
  if (server->health.Finish(*call, clock_.MonotonicMs(), EndOf(answer))) options_.on_back();
  return answer;
}

bool MemoryServers::Refuses(const std::string& base_url, int64_t patience_ms) const {
  const auto server = Find(base_url);
  return server && server->health.Refuses(clock_.MonotonicMs(), patience_ms);
}

bool MemoryServers::IsAway(const std::string& base_url) const {
  const auto server = Find(base_url);
  return server && server->health.IsAway();
}

bool MemoryServers::IsSlow(const std::string& base_url) const {
  const auto server = Find(base_url);
  return server && server->health.IsSlow();
}

std::shared_ptr<MemoryServers::Server> MemoryServers::Find(const std::string& base_url) const {
  return servers_.With([&](Servers& servers) -> std::shared_ptr<Server> {
    const auto found = servers.known.find(base_url);
    return found == servers.known.end() ? nullptr : found->second.server;
  });
}

base::Result<std::shared_ptr<MemoryServers::Server>> MemoryServers::ServerAt(
    const std::string& base_url) {
  using Found = base::Result<std::shared_ptr<Server>>;
  return servers_.With([&](Servers& servers) -> Found {
    const uint64_t use = ++servers.uses;
    if (auto found = servers.known.find(base_url); found != servers.known.end()) {
      found->second.used = use;
      return found->second.server;
    }
    http::ClientOptions options;
    options.base_url = base_url;
    options.bearer_token = [this, base_url] {
      return options_.token_is_for(base_url) ? ReadToken(options_.token_file) : std::string();
    };
    options.max_response_bytes = kMaxAnswerBytes;
    options.user_agent = "agent-memory-sidecar";
    auto made = std::make_shared<Server>();
    ASSIGN_OR_RETURN(made->client, options_.make_client(std::move(options)));
    if (servers.known.size() >= options_.max_clients) {
      servers.known.erase(std::ranges::min_element(
          servers.known, {}, [](const auto& entry) { return entry.second.used; }));
    }
    servers.known[base_url] = {made, use};
    return made;
  });
}

}  // namespace sidecar
