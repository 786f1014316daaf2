// Two loops, one for each direction, that end with the first error. Pending operations own the
// relay.
#include "lib/http/server/tls.h"

#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

namespace http {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

constexpr int64_t kGoodbyeMs = 1'000;  // for the client's close_notify
constexpr size_t kPieceBytes = 16 << 10;

boost::asio::ssl::context Shared(SSL_CTX* context) {
  SSL_CTX_up_ref(context);
  return boost::asio::ssl::context(context);  // its destructor releases the reference
}

}  // namespace

class TlsRelay : public std::enable_shared_from_this<TlsRelay> {
 public:
  TlsRelay(boost::asio::io_context& io, std::shared_ptr<std::set<TlsRelay*>> open,
           tcp::socket socket, boost::asio::ssl::context context, TlsTimes times,
           std::function<void(std::optional<StreamSocket>)> done)
      : io_(io),
        open_(std::move(open)),
        tls_(std::move(socket), context),
        plain_(io),
        timer_(io),
        times_(times),
        done_(std::move(done)) {
    open_->insert(this);
  }
  ~TlsRelay() { open_->erase(this); }
  TlsRelay(const TlsRelay&) = delete;
  TlsRelay& operator=(const TlsRelay&) = delete;

  void Begin() {
    CloseAfter(times_.handshake_ms);
    tls_.async_handshake(boost::asio::ssl::stream_base::server,
                         [self = shared_from_this()](const error_code& error) {
                           self->timer_.cancel();
                           self->done_(error ? std::nullopt : self->Pair());
                         });
  }
  void Close() {
    state_ = State::kSent;
    error_code ignored;
    tls_.lowest_layer().close(ignored);
    EndPlain();
  }
  bool in_handshake() const { return state_ == State::kHandshake; }
  bool sent() const { return state_ == State::kSent; }

 private:
  enum class State { kHandshake, kOpen, kSent };

  std::optional<StreamSocket> Pair() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return std::nullopt;
    const boost::asio::generic::stream_protocol protocol(AF_UNIX, 0);
    StreamSocket other(io_, protocol, ends[1]);
    plain_.assign(protocol, ends[0]);
    state_ = State::kOpen;
    Decrypt();
    Encrypt();
    return other;
  }

  void Decrypt() {
    tls_.async_read_some(
        boost::asio::buffer(in_), [self = shared_from_this()](const error_code& error, size_t got) {
          if (error) return self->EndPlain();
          boost::asio::async_write(self->plain_, boost::asio::buffer(self->in_, got),
                                   [self](const error_code& broken, size_t) {
                                     if (!broken) self->Decrypt();
                                   });
        });
  }

  void Encrypt() {
    plain_.async_read_some(boost::asio::buffer(out_), [self = shared_from_this()](
                                                          const error_code& error, size_t got) {
      if (error) return self->SendCloseNotify();
      self->CloseAfter(self->times_.write_ms);
      boost::asio::async_write(self->tls_, boost::asio::buffer(self->out_, got),
                               [self](const error_code& broken, size_t) {
                                 self->timer_.cancel();
                                 broken ? self->Close() : self->Encrypt();
                               });
    });
  }

  // The Connection at the other end sees that its client is gone, and closes.
  void EndPlain() {
    error_code ignored;
    plain_.shutdown(StreamSocket::shutdown_both, ignored);
  }

  void SendCloseNotify() {
    state_ = State::kSent;
    CloseAfter(kGoodbyeMs);
    tls_.async_shutdown([self = shared_from_this()](const error_code&) {
      self->timer_.cancel();
      self->Close();
    });
  }

  void CloseAfter(int64_t time_ms) {
    timer_.expires_after(std::chrono::milliseconds(time_ms));
    timer_.async_wait([self = shared_from_this()](const error_code& cancelled) {
      if (!cancelled) self->Close();
    });
  }

  boost::asio::io_context& io_;
  const std::shared_ptr<std::set<TlsRelay*>> open_;
  State state_ = State::kHandshake;
  boost::asio::ssl::stream<tcp::socket> tls_;
  StreamSocket plain_;
  boost::asio::steady_timer timer_;
  const TlsTimes times_;
  const std::function<void(std::optional<StreamSocket>)> done_;
  std::array<char, kPieceBytes> in_, out_;
};

void TlsRelays::Start(tcp::socket socket, const std::shared_ptr<ssl_ctx_st>& context,
                      TlsTimes times, std::function<void(std::optional<StreamSocket>)> done) {
  std::make_shared<TlsRelay>(io_, open_, std::move(socket), Shared(context.get()), times,
                             std::move(done))
      ->Begin();
}

// Close ends a relay's operations later, in their handlers, so that `open_` does not change here.
void TlsRelays::CloseHandshakes() {
  for (TlsRelay* relay : *open_)
    if (relay->in_handshake()) relay->Close();
}

void TlsRelays::CloseAll() {
  for (TlsRelay* relay : *open_) relay->Close();
}

bool TlsRelays::AllSent() const {
  return std::ranges::all_of(*open_, [](const TlsRelay* relay) { return relay->sent(); });
}

}  // namespace http
