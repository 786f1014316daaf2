// An exchange is one request and its answer on one connection, which goes back to the pool before
// the end of the answer is known to its reader, so that the next request finds it.
#include "lib/http/client/connection_pool.h"

#include <pthread.h>

#include <boost/asio/error.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <csignal>
#include <thread>
#include <utility>

#include "lib/http/client/answer_reader.h"

namespace http {

namespace {

namespace asio = boost::asio;
using base::Code;
using base::Error;

constexpr size_t kMostIdle = 8;
constexpr std::chrono::seconds kIdle{30};  // shorter than the servers' own limits

struct IoThread {
  IoThread() {
    sigset_t all, before;  // signals are for the main thread
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread = std::thread([this] { io.run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> work = asio::make_work_guard(io);
  std::thread thread;
};

class ClientExchange : public std::enable_shared_from_this<ClientExchange> {
 public:
  ClientExchange(std::shared_ptr<ConnectionPool> pool, WireRequest request,
                 std::shared_ptr<Call> call)
      : pool_(std::move(pool)),
        request_(std::move(request)),
        reader_(request_.to_head, request_.max_body_bytes),
        call_(std::move(call)) {}

  void Start() {
    if (!call_) return;  // canceled before
    connection_ = pool_->AcquireIdle();
    if (connection_) return Send();
    auto made = pool_->MakeConnection();
    if (!made) return Fail(made.error(), false);
    connection_ = *made;
    connection_->Open(
        pool_->address(), [self = shared_from_this()](const char* step, const auto& error) {
          if (!self->call_) return;
          error ? self->Fail({Code::kUnavailable, step + (": " + error.message())}, false)
                : self->Send();
        });
  }

  void Cancel() {
    if (call_) Fail({Code::kUnavailable, "canceled"}, false);
  }

 private:
  void Send() {
    connection_->Send(request_.bytes, [self = shared_from_this()](const auto& error) {
      self->request_.bytes = {};
      if (!self->call_) return;
      error ? self->Fail({Code::kUnavailable, "sending the request: " + error.message()}, true)
            : self->Receive();
    });
  }

  void Receive() {
    connection_->Receive([self = shared_from_this()](const auto& error, std::string_view bytes) {
      if (!self->call_) return;
      if (error == asio::error::eof) return self->OnStep(self->reader_.End());
      if (error)
        return self->Fail({Code::kUnavailable, "receiving the answer: " + error.message()},
                          !self->reader_.began());
      self->OnStep(self->reader_.Consume(bytes));
    });
  }

  void OnStep(AnswerReader::Step step) {
    if (step.head) call_->SetHead(std::move(*step.head));
    const bool space = step.body.empty() || call_->Add(step.body);
    if (step.fault) return Fail(*step.fault, !reader_.began());
    if (step.done) return Finish();
    if (space) return Receive();
    call_->WhenSpace([self = shared_from_this()] {
      asio::post(ClientIo(), [self] {
        if (self->call_) self->Receive();
      });
    });
  }

  void Finish() {
    if (reader_.reusable())
      pool_->Release(std::move(connection_));
    else
      connection_->Close();
    std::exchange(call_, nullptr)->End(std::nullopt);
  }

  void Fail(const Error& error, bool may_retry) {
    if (connection_) connection_->Close();
    std::exchange(call_, nullptr)
        ->End(Error{error.code, request_.what + ": " + error.message}, may_retry);
  }

  const std::shared_ptr<ConnectionPool> pool_;
  WireRequest request_;
  AnswerReader reader_;
  std::shared_ptr<ClientConnection> connection_;
  std::shared_ptr<Call> call_;  // null: the exchange has ended
};

}  // namespace

asio::io_context& ClientIo() {
  static auto* const thread = new IoThread;
  return thread->io;
}

ConnectionPool::ConnectionPool(Address address, TlsOfNext tls)
    : address_(std::move(address)), tls_(std::move(tls)), old_(ClientIo()) {}

std::function<void()> ConnectionPool::Begin(WireRequest request, std::shared_ptr<Call> call) {
  auto exchange =
      std::make_shared<ClientExchange>(shared_from_this(), std::move(request), std::move(call));
  asio::post(ClientIo(), [exchange] { exchange->Start(); });
  return [exchange = std::move(exchange)] {
    asio::post(ClientIo(), [exchange] { exchange->Cancel(); });
  };
}

void ConnectionPool::Close() {
  asio::post(ClientIo(), [self = shared_from_this()] {
    self->closed_ = true;
    self->old_.cancel();
    self->idle_.clear();
  });
}

std::shared_ptr<ClientConnection> ConnectionPool::AcquireIdle() {
  while (!idle_.empty()) {
    auto connection = std::move(idle_.back().connection);
    idle_.pop_back();
    if (connection->IsQuiet()) return connection;
  }
  return nullptr;
}

base::Result<std::shared_ptr<ClientConnection>> ConnectionPool::MakeConnection() {
  std::shared_ptr<asio::ssl::context> context;
  if (tls_) {
    ASSIGN_OR_RETURN(context, tls_());
  }
  return std::make_shared<ClientConnection>(ClientIo(), std::move(context));
}

void ConnectionPool::Release(std::shared_ptr<ClientConnection> connection) {
  if (closed_ || idle_.size() >= kMostIdle) return;  // its destructor closes it
  idle_.push_back({std::move(connection), std::chrono::steady_clock::now()});
  if (!timed_) CloseOld();
}

void ConnectionPool::CloseOld() {
  const auto oldest = std::chrono::steady_clock::now() - kIdle;
  std::erase_if(idle_, [&](const Idle& idle) { return idle.since <= oldest; });
  timed_ = !closed_ && !idle_.empty();
  if (!timed_) return;
  old_.expires_after(kIdle);
  old_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (self && !error) self->CloseOld();
  });
}

}  // namespace http
