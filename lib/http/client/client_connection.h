// One outbound connection, TCP or TLS: connects, sends, receives. Lives on the I/O thread of all
// clients; Boost.Asio is only in this header's files and in connection_pool.*.
#pragma once

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace http {

// Where a client connects to.
struct Address {
  std::string host;  // a name or a literal, without brackets
  std::string port;
};

// One operation at a time. A callback runs later on the I/O thread, also after Close (with an
// error).
class ClientConnection : public std::enable_shared_from_this<ClientConnection> {
 public:
  using Code = boost::system::error_code;

  // `tls`: null for plain TCP.
  ClientConnection(boost::asio::io_context& io, std::shared_ptr<boost::asio::ssl::context> tls);

  // `step`: what failed, for people.
  void Open(const Address& address, std::function<void(const char* step, Code)> done);
  void Send(std::string_view bytes, std::function<void(Code)> done);  // bytes live until then
  // At most 16 KiB; no bytes only with an error.
  void Receive(std::function<void(Code, std::string_view)> done);
  bool IsQuiet();  // open, and no bytes arrived since the last answer
  void Close();

 private:
  using Tcp = boost::asio::ip::tcp;
  void Connect(const Tcp::resolver::results_type& found,
               std::function<void(const char*, Code)> done, const std::string& host);
  void Shake(const std::string& host, std::function<void(const char*, Code)> done);

  const std::shared_ptr<boost::asio::ssl::context> context_;
  Tcp::resolver resolver_;
  Tcp::socket socket_;
  std::optional<boost::asio::ssl::stream<Tcp::socket&>> tls_;
  std::array<char, 16 << 10> received_;
};

}  // namespace http
