// The listening side of the server: addresses, accepts, ticks for deadlines, stop. connection.h has
// the connections.
#include "lib/http/server/server.h"

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <condition_variable>
#include <map>
#include <thread>
#include <utility>  // before Asio, which lacks this include

#include "lib/base/process/clock.h"
#include "lib/base/process/log.h"
#include "lib/http/server/address.h"
#include "lib/http/server/connection.h"

namespace http {

namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

constexpr auto kAcceptPause = std::chrono::milliseconds(50);  // after an error: no descriptors
constexpr int64_t kComplainEveryMs = 10'000;
constexpr size_t kRefusedAtOnce = 64;  // connections over the limit that still get a 503
constexpr int kBacklog = 1024;

class ListeningServer : public Server {
 public:
  ListeningServer(Router router, ServerOptions options)
      : core_(std::move(router), std::move(options)),
        acceptor_(core_.io),
        relays_(core_.io),
        tick_(core_.io),
        pause_(core_.io),
        work_(core_.io.get_executor()) {}
  ~ListeningServer() override { Stop(0); }

  base::Status Listen();
  std::string address() const override { return address_; }
  int port() const override { return port_; }
  void Stop(int64_t grace_ms) override;

 private:
  void Accept();
  void Welcome(tcp::socket socket);
  void Encrypt(tcp::socket socket, const std::string& peer);
  void Serve(StreamSocket socket, std::string peer);
  bool MakeRoomFor(const std::string& peer);
  void StartTicking();
  void Tick();

  ServerCore core_;
  tcp::acceptor acceptor_;
  TlsRelays relays_;
  boost::asio::steady_timer tick_, pause_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  bool ticking_ = false;
  int64_t complain_again_ms_ = 0;
  size_t handshakes_ = 0;  // in progress
  std::string address_;
  int port_ = 0;
  std::mutex mutex_;
  std::condition_variable empty_changed_;
  bool empty_ = true;  // under mutex_: no open connections, no relay with unsent bytes
  bool stopped_ = false;
  std::jthread thread_;
};

base::Status ListeningServer::Listen() {
  ASSIGN_OR_RETURN(const auto parts, ParseAddress(core_.options.listen));
  error_code error;
  auto ip = boost::asio::ip::make_address(parts.first);
  const std::string where = "listen on " + core_.options.listen;
  tcp::endpoint endpoint(ip, static_cast<uint16_t>(parts.second));
  acceptor_.open(endpoint.protocol(), error);
  if (error && ip.is_v6() && ip.is_unspecified()) {  // a kernel without IPv6
    ip = boost::asio::ip::address_v4::any();
    endpoint.address(ip);
    acceptor_.open(endpoint.protocol(), error);
  }
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error && ip.is_v6() && ip.is_unspecified()) {
    acceptor_.set_option(boost::asio::ip::v6_only(false), error);
  }
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(kBacklog, error);
  if (error == boost::asio::error::address_in_use) {
    return base::Error{
        base::Code::kConflict,
        where + ": the port is in use; stop what uses it or choose another (port 0: any)"};
  }
  if (error) return base::Error{base::Code::kInvalid, where + ": " + error.message()};
  const tcp::endpoint bound = acceptor_.local_endpoint(error);
  port_ = bound.port();
  const std::string host = bound.address().to_string();
  address_ = (ip.is_v6() ? "[" + host + "]" : host) + ":" + std::to_string(port_);
  Accept();
  thread_ = std::jthread([this] { core_.io.run(); });
  return {};
}

void ListeningServer::Accept() {
  acceptor_.async_accept([this](const error_code& error, tcp::socket socket) {
    if (error == boost::asio::error::operation_aborted || !acceptor_.is_open()) return;
    if (!error) {
      Welcome(std::move(socket));
      return Accept();
    }
    // Out of descriptors or memory: retries at once would occupy a core until some are free.
    if (const int64_t now_ms = base::SystemClock().MonotonicMs(); now_ms >= complain_again_ms_) {
      complain_again_ms_ = now_ms + kComplainEveryMs;
      base::LogWarn("cannot accept connections",
                    {{"server", core_.options.name}, {"error", error.message()}});
    }
    pause_.expires_after(kAcceptPause);
    pause_.async_wait([this](const error_code& cancelled) {
      if (!cancelled) Accept();
    });
  });
}

void ListeningServer::Welcome(tcp::socket socket) {
  const size_t open = core_.connections.size() + handshakes_;
  if (open >= core_.options.max_connections + kRefusedAtOnce) return;  // its destructor closes it
  error_code error;
  socket.set_option(tcp::no_delay(true), error);
  const auto peer = socket.remote_endpoint(error).address();
  if (error) return;
  const bool mapped = peer.is_v6() && peer.to_v6().is_v4_mapped();
  std::string name =
      mapped
          ? boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, peer.to_v6()).to_string()
          : peer.to_string();
  if (core_.options.tls) return Encrypt(std::move(socket), name);
  Serve(StreamSocket(std::move(socket)), std::move(name));
}

void ListeningServer::Encrypt(tcp::socket socket, const std::string& peer) {
  const auto context = core_.options.tls->context();
  if (!context) return;
  ++handshakes_;
  relays_.Start(std::move(socket), context,
                {core_.options.header_timeout_ms, core_.options.write_timeout_ms},
                [this, peer](std::optional<StreamSocket> plain) {
                  --handshakes_;
                  if (plain && !core_.draining) Serve(*std::move(plain), peer);
                });
}

void ListeningServer::Serve(StreamSocket socket, std::string peer) {
  const bool full = core_.connections.size() >= core_.options.max_connections && !MakeRoomFor(peer);
  auto connection = std::make_shared<Connection>(core_, std::move(socket), std::move(peer));
  core_.connections.insert(connection);
  {
    std::lock_guard lock(mutex_);
    empty_ = false;
  }
  StartTicking();
  if (full) return connection->Refuse(503, "too many connections");
  connection->Start();
}

// Closes a connection of the peer with the most, if `peer` still has fewer after its new one: of
// those that wait for their client, the one with the earliest deadline.
bool ListeningServer::MakeRoomFor(const std::string& peer) {
  std::map<std::string, size_t> counts;
  for (const auto& connection : core_.connections) ++counts[connection->peer()];
  const size_t own = counts[peer];
  const auto most = std::ranges::max_element(
      counts, [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most->second <= own + 1) return false;
  std::shared_ptr<Connection> first;
  for (const auto& connection : core_.connections) {
    if (connection->peer() != most->first || !connection->waits_for_client()) continue;
    if (!first || connection->deadline_ms() < first->deadline_ms()) first = connection;
  }
  if (first) first->Close();
  return first != nullptr;
}

void ListeningServer::StartTicking() {
  if (ticking_) return;
  ticking_ = true;
  const ServerOptions& options = core_.options;
  const int64_t shortest = std::min({options.header_timeout_ms, options.body_timeout_ms,
                                     options.idle_timeout_ms, options.write_timeout_ms});
  const int64_t period_ms = core_.draining ? 5 : std::clamp<int64_t>(shortest / 4, 5, 250);
  tick_.expires_after(std::chrono::milliseconds(period_ms));
  tick_.async_wait([this](const error_code&) {  // canceled: by Stop, for a tick now
    ticking_ = false;
    Tick();
  });
}

void ListeningServer::Tick() {
  const int64_t now_ms = base::SystemClock().MonotonicMs();
  const std::vector<std::shared_ptr<Connection>> all(core_.connections.begin(),
                                                     core_.connections.end());
  for (const auto& connection : all) connection->Tick(now_ms);
  if (!core_.connections.empty() || (core_.draining && !relays_.AllSent())) return StartTicking();
  std::lock_guard lock(mutex_);
  empty_ = true;
  empty_changed_.notify_all();
}

void ListeningServer::Stop(int64_t grace_ms) {
  if (std::exchange(stopped_, true)) return;
  core_.draining = true;
  {
    std::lock_guard lock(mutex_);
    empty_ = false;  // until a tick has checked connections and relays
  }
  boost::asio::post(core_.io, [this] {
    error_code ignored;
    acceptor_.close(ignored);
    pause_.cancel();
    relays_.CloseHandshakes();
    if (ticking_) {
      tick_.cancel();
    } else {
      Tick();
    }
  });
  {
    std::unique_lock lock(mutex_);
    empty_changed_.wait_for(lock, std::chrono::milliseconds(grace_ms), [this] { return empty_; });
  }
  boost::asio::post(core_.io, [this] {
    const std::vector<std::shared_ptr<Connection>> all(core_.connections.begin(),
                                                       core_.connections.end());
    for (const auto& connection : all) connection->Close();
  });
  core_.workers.Stop();
  if (core_.waiting) core_.waiting->Stop();
  if (core_.computing) core_.computing->Stop();
  core_.io.stop();
  if (thread_.joinable()) thread_.join();
  core_.connections.clear();
  relays_.CloseAll();
}

}  // namespace

base::Result<std::unique_ptr<Server>> Server::Start(Router router, ServerOptions options) {
  auto server = std::make_unique<ListeningServer>(std::move(router), std::move(options));
  RETURN_IF_ERROR(server->Listen());
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace http
