// One connection of the server, from accept to close: reads heads and bodies with limits, and lends
// the socket to a worker for each request. Lives on the I/O thread.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_set>

#include "lib/base/process/workers.h"
#include "lib/http/body/body.h"
#include "lib/http/message/router.h"
#include "lib/http/server/exchange.h"
#include "lib/http/server/options.h"
#include "lib/http/server/tls.h"

namespace http {

class Connection;

// The state that all connections of a server share.
struct ServerCore {
  ServerCore(Router router_in, ServerOptions options_in)
      : options(std::move(options_in)),
        router(std::move(router_in)),
        workers(options.name, options.workers, options.queue) {
    if (options.waiting_workers > 0)
      waiting.emplace(options.name + "-waits", options.waiting_workers, options.queue);
    if (options.computing_workers > 0)
      computing.emplace(options.name + "-computes", options.computing_workers,
                        std::max<size_t>(1, options.queue / 2), base::Workers::Background());
  }
  base::ByteBudget& budget() { return options.budget ? *options.budget : own_budget; }
  base::Workers& WorkersOf(const Exchange& exchange) {
    const Route* route = exchange.route;
    if (exchange.computes) return *computing;
    return route != nullptr && route->waits && waiting ? *waiting : workers;
  }

  const ServerOptions options;
  const Router router;
  base::ByteBudget own_budget{kOwnBudget};  // if the options have none
  boost::asio::io_context io{1};
  std::unordered_set<std::shared_ptr<Connection>> connections;  // I/O thread only
  std::array<char, 64 << 10> scratch;                           // I/O thread only
  std::atomic<bool> draining = false;
  std::atomic<size_t> uploads = 0;  // workers with a streamed body
  base::Workers workers;
  std::optional<base::Workers> waiting, computing;
};

// All functions on the I/O thread, except where said. While a worker has a request (kBusy), the
// connection watches its socket: the end of the stream stops Request::client_gone; a further
// request waits. The worker writes the answer itself. In the common case it does not wake up the
// I/O thread, which notices the answer when the next request arrives.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(ServerCore& core, StreamSocket socket, std::string peer);

  void Start();
  void Refuse(int status, const std::string& reason);  // answers, then closes
  void Refuse(Response response);
  void Tick(int64_t now_ms);       // closes the connection after its deadline
  void Close(bool reset = false);  // reset: with RST, drops unsent bytes
  const std::string& peer() const { return peer_; }
  // No request is with a worker, and no answer is unsent.
  bool waits_for_client() const;
  int64_t deadline_ms() const { return deadline_ms_; }

 private:
  enum class State { kHead, kBody, kBusy, kFlushing, kLingering, kClosed };
  // While kBusy. kWatching: the socket is quiet, a worker has the request. kMore: a worker has it
  // and must post its outcome to the I/O thread. kDone: the worker has sent the whole answer.
  enum class Handover { kWatching, kMore, kDone };

  void WatchReadable();
  void WatchWritable();
  void OnReadable();
  void ReadMore();
  void OnBytes(std::string_view bytes);
  void ReadHeads();
  const Route* RouteForBody(const Route* route, const RequestHead& head) const;
  bool AcceptHead(size_t head_bytes);
  bool ChargeBody(uint64_t body_bytes);
  bool IsBeyondPeersShare(size_t bytes) const;
  void ReadBody();
  void Dispatch();
  void Work(const std::shared_ptr<Exchange>& exchange);  // on a worker
  void OnActivityWhileBusy();
  void Resume(Outcome outcome, const std::string& unused);
  void Flush();
  void NextRequest();
  void Linger();
  void Discard();
  void ReportRefusal(int status);
  bool IsBetweenRequests() const;
  int64_t Deadline(int64_t timeout_ms) const;

  ServerCore& core_;
  StreamSocket socket_;
  const int descriptor_;
  const std::string peer_;
  State state_ = State::kHead;
  std::atomic<Handover> handover_ = Handover::kDone;
  bool watching_ = false;  // a wait for readability is pending
  int64_t deadline_ms_ = 0;
  std::string buffer_;                  // received, not consumed
  size_t scanned_ = 0;                  // this much of buffer_ has no end of a head
  std::shared_ptr<Exchange> exchange_;  // the request being read
  std::optional<BodyDecoder> decoder_;
  std::stop_source client_gone_{std::nostopstate};  // of the request with a worker
  Reply unsent_;
  base::ByteCharge unsent_charge_;
  int64_t flushing_since_ms_ = 0;
  bool keep_alive_ = true;  // after unsent_
};

}  // namespace http
