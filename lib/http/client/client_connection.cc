// Asio's sockets; certificates are verified for the name or address of the URL.
#include "lib/http/client/client_connection.h"

#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/write.hpp>
#include <utility>

namespace http {

namespace asio = boost::asio;

ClientConnection::ClientConnection(asio::io_context& io, std::shared_ptr<asio::ssl::context> tls)
    : context_(std::move(tls)), resolver_(io), socket_(io) {
  if (context_) tls_.emplace(socket_, *context_);
}

void ClientConnection::Open(const Address& address, std::function<void(const char*, Code)> done) {
  resolver_.async_resolve(address.host, address.port,
                          [self = shared_from_this(), done = std::move(done), host = address.host](
                              const Code& error, const Tcp::resolver::results_type& found) mutable {
                            if (error) return done("cannot resolve the name", error);
                            self->Connect(found, std::move(done), host);
                          });
}

void ClientConnection::Connect(const Tcp::resolver::results_type& found,
                               std::function<void(const char*, Code)> done,
                               const std::string& host) {
  asio::async_connect(socket_, found,
                      [self = shared_from_this(), done = std::move(done), host](
                          const Code& error, const Tcp::endpoint&) mutable {
                        if (error) return done("cannot connect", error);
                        Code ignored;
                        self->socket_.set_option(Tcp::no_delay(true), ignored);
                        if (!self->tls_) return done("", error);
                        self->Shake(host, std::move(done));
                      });
}

void ClientConnection::Shake(const std::string& host, std::function<void(const char*, Code)> done) {
  Code error;
  asio::ip::make_address(host, error);
  // A server name is a name, never an address (RFC 6066, 3).
  if (error) SSL_set_tlsext_host_name(tls_->native_handle(), host.c_str());
  tls_->set_verify_mode(asio::ssl::verify_peer);
  tls_->set_verify_callback(asio::ssl::host_name_verification(host));
  tls_->async_handshake(asio::ssl::stream_base::client,
                        [self = shared_from_this(), done = std::move(done)](const Code& failure) {
                          done(failure ? "SSL handshake" : "", failure);
                        });
}

void ClientConnection::Send(std::string_view bytes, std::function<void(Code)> done) {
  auto sent = [self = shared_from_this(), done = std::move(done)](const Code& error, size_t) {
    done(error);
  };
  const auto buffer = asio::buffer(bytes.data(), bytes.size());
  tls_ ? asio::async_write(*tls_, buffer, std::move(sent))
       : asio::async_write(socket_, buffer, std::move(sent));
}

void ClientConnection::Receive(std::function<void(Code, std::string_view)> done) {
  auto received = [self = shared_from_this(), done = std::move(done)](const Code& error,
                                                                      size_t bytes) {
    done(error, {self->received_.data(), bytes});
  };
  const auto buffer = asio::buffer(received_);
  tls_ ? tls_->async_read_some(buffer, std::move(received))
       : socket_.async_read_some(buffer, std::move(received));
}

bool ClientConnection::IsQuiet() {
  char byte = 0;
  return socket_.is_open() &&
         ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
         (errno == EAGAIN || errno == EWOULDBLOCK);
}

void ClientConnection::Close() {
  Code ignored;
  resolver_.cancel();
  socket_.close(ignored);
}

}  // namespace http
