// TLS in front of connections of the server: the handshake, and a relay between the encrypted
// socket and one end of a socket pair, whose other end is a connection like any other. Lives on the
// I/O thread.
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
  int64_t handshake_ms = 0, write_ms = 0;  // for all of one; for each piece
};

class TlsRelay;

// Those that are open. A relay ends with either side.
class TlsRelays {
 public:
  explicit TlsRelays(boost::asio::io_context& io) : io_(io) {}

  // `done` is called once: with the end to read plain bytes from, or with nothing after a handshake
  // that failed, took too long or was closed.
  void Start(boost::asio::ip::tcp::socket socket, const std::shared_ptr<ssl_ctx_st>& context,
             TlsTimes times, std::function<void(std::optional<StreamSocket>)> done);
  void CloseHandshakes();
  void CloseAll();
  // True when no relay holds anything that its connection wrote. A relay whose connection is open
  // counts as one that does.
  bool AllSent() const;

 private:
  boost::asio::io_context& io_;
  // Shared with each relay, which the handlers of `io_` may own longer than this lives.
  const std::shared_ptr<std::set<TlsRelay*>> open_ = std::make_shared<std::set<TlsRelay*>>();
};

}  // namespace http
