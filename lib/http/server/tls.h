// TLS in front of the server's connections: the handshake, and a relay between the encrypted socket
// and one end of a socket pair, whose other end is an ordinary Connection. Lives on the I/O thread.
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>

#include "lib/http/server/tls_identity.h"

namespace http {

using StreamSocket = boost::asio::generic::stream_protocol::socket;

struct TlsTimes {
  int64_t handshake_ms = 0, write_ms = 0;  // of a whole handshake; of each piece
};

class TlsRelay;

// The open relays of a server. A relay ends when either side closes.
class TlsRelays {
 public:
  explicit TlsRelays(boost::asio::io_context& io) : io_(io) {}

  // Calls `done` once: with the plain end of the socket pair, or with nullopt after a handshake
  // that failed, took too long or was closed.
  void Start(boost::asio::ip::tcp::socket socket, const std::shared_ptr<ssl_ctx_st>& context,
             TlsTimes times, std::function<void(std::optional<StreamSocket>)> done);
  void CloseHandshakes();
  void CloseAll();
  // Whether no relay has unsent bytes of its connection. A relay in its handshake or with an open
  // connection counts as having some.
  bool AllSent() const;

 private:
  boost::asio::io_context& io_;
  // Shared with the relays, which handlers of `io_` may keep alive longer than this object.
  const std::shared_ptr<std::set<TlsRelay*>> open_ = std::make_shared<std::set<TlsRelay*>>();
};

}  // namespace http
