// The connections of one client, and the requests on them. Begin and the functions that it returns:
// any thread; everything else on the I/O thread of all clients.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lib/http/client/answer.h"
#include "lib/http/client/client_connection.h"

namespace http {

// The I/O thread of all clients of the process, started by the first use. It never ends: a name
// that is being resolved cannot be interrupted, and must not hold up the end of the process.
boost::asio::io_context& ClientIo();

// A request as bytes.
struct WireRequest {
  std::string bytes;                     // head and body
  bool to_head = false;                  // its method is HEAD
  uint64_t max_body_bytes = UINT64_MAX;  // of a chunked answer
  std::string what;                      // in errors
};

class ConnectionPool : public std::enable_shared_from_this<ConnectionPool> {
 public:
  // `tls`: the context of the next connection, called on the I/O thread; empty for plain TCP.
  using TlsOfNext = std::function<base::Result<std::shared_ptr<boost::asio::ssl::context>>()>;
  ConnectionPool(Address address, TlsOfNext tls);

  // Sends the request and puts its answer into `call`. The result cancels it.
  std::function<void()> Begin(WireRequest request, std::shared_ptr<Call> call);
  void Close();  // the idle connections; any thread

  // For exchanges:
  std::shared_ptr<ClientConnection> AcquireIdle();  // null: none
  base::Result<std::shared_ptr<ClientConnection>> MakeConnection();
  void Release(std::shared_ptr<ClientConnection> connection);
  const Address& address() const { return address_; }

 private:
  struct Idle {
    std::shared_ptr<ClientConnection> connection;
    std::chrono::steady_clock::time_point since;
  };
  void CloseOld();

  const Address address_;
  const TlsOfNext tls_;
  std::vector<Idle> idle_;  // the last used last
  boost::asio::steady_timer old_;
  bool timed_ = false, closed_ = false;
};

}  // namespace http
