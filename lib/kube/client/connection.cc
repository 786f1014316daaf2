// Constructs the parts of a connection.
#include "lib/kube/client/connection.h"

namespace kube {

namespace {

// The server sends a bookmark each minute: two and a half missing ones mean a dead connection.
constexpr int64_t kWatchIdleMs = 150'000;
constexpr size_t kMaxAnswerBytes = 64 << 20;

}  // namespace

Connection::Connection(ClusterConfig config)
    : config_(std::move(config)), token_(config_.token, config_.token_file) {}

base::Result<std::unique_ptr<Connection>> Connection::Make(ClusterConfig config,
                                                           ClientSettings settings,
                                                           std::string user_agent) {
  std::unique_ptr<Connection> connection(new Connection(std::move(config)));
  http::ClientOptions options;
  options.base_url = connection->config_.server;
  options.ca_file = connection->config_.ca_file;
  options.certificate_file = connection->config_.certificate_file;
  options.key_file = connection->config_.key_file;
  options.bearer_token = [token = &connection->token_] { return token->Token(); };
  options.max_response_bytes = kMaxAnswerBytes;
  options.idle_timeout_ms = kWatchIdleMs;
  options.user_agent = std::move(user_agent);
  ASSIGN_OR_RETURN(connection->http_, http::MakeClient(std::move(options)));
  connection->client_ = connection->NewClient(std::move(settings));
  return connection;
}

std::unique_ptr<KubeClient> Connection::NewClient(ClientSettings settings) {
  return std::make_unique<KubeClient>(*http_, std::move(settings), &token_);
}

}  // namespace kube
