// Keeps the few clients that a sidecar needs: the server in force and, for a while, the one before.
#include "sidecar/memory_servers.h"

#include <utility>

#include "lib/base/file.h"
#include "lib/base/log.h"
#include "lib/base/text.h"

namespace sidecar {
namespace {

constexpr size_t kMaxClients = 8;
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

}  // namespace

base::Result<http::Response> MemoryServers::Send(const std::string& base_url,
                                                 http::ClientRequest request) {
  if (base_url.empty()) {
    return base::Error{base::Code::kUnavailable, "the memory server is not resolved yet"};
  }
  ASSIGN_OR_RETURN(const auto client, ClientFor(base_url));
  return client->Send(request);
}

base::Result<std::shared_ptr<http::Client>> MemoryServers::ClientFor(const std::string& base_url) {
  using Found = base::Result<std::shared_ptr<http::Client>>;
  return clients_.With([&](auto& clients) -> Found {
    if (auto found = clients.find(base_url); found != clients.end()) return found->second;
    http::ClientOptions options;
    options.base_url = base_url;
    options.bearer_token = [this, base_url] {
      return is_for_(base_url) ? ReadToken(token_file_) : std::string();
    };
    options.max_response_bytes = kMaxAnswerBytes;
    options.user_agent = "agent-memory-sidecar";
    ASSIGN_OR_RETURN(auto made, http::MakeClient(std::move(options)));
    if (clients.size() >= kMaxClients) clients.erase(clients.begin());
    std::shared_ptr<http::Client> client = std::move(made);
    clients[base_url] = client;
    return client;
  });
}

}  // namespace sidecar
