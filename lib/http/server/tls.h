// TLS in front of a connection of the server: the handshake, and a relay between the encrypted
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

#include "lib/http/server/tls_identity.h"

namespace http {

using StreamSocket = boost::asio::generic::stream_protocol::socket;

struct TlsTimes {
  int64_t handshake_ms = 0, write_ms = 0;  // for all of one; for each piece
};

// `done` is called once: with the end to read plain bytes from, or with nothing after a handshake
// that failed or took too long. The relay ends with either side.
void StartTls(boost::asio::io_context& io, boost::asio::ip::tcp::socket socket,
              const std::shared_ptr<ssl_ctx_st>& context, TlsTimes times,
              std::function<void(std::optional<StreamSocket>)> done);

}  // namespace http
