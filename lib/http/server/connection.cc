// A connection is a state machine on the I/O thread (kHead → kBody → kBusy → kHead …). While kBusy
// the worker owns the socket and writes the answer itself: a hand-over to the I/O thread and back
// would cost two wake-ups for each of many small answers. `handover_` is the only field that both
// threads change, by compare-and-swap; the header explains its values.
#include "lib/http/server/connection.h"

#include <sys/socket.h>

#include <boost/asio/post.hpp>

#include "lib/base/process/clock.h"
#include "lib/base/process/log.h"
#include "lib/http/server/reply.h"
#include "lib/http/server/socket.h"
#include "lib/http/server/streams.h"

namespace http {

namespace {

constexpr int64_t kLingerMs = 1'000;          // for the client to read the last answer
constexpr size_t kIdleBufferBytes = 4 << 10;  // kept by a connection without a request
constexpr int kReadsAtOnce = 4;               // before other connections are served
// The minimum rate of a client that reads an unsent answer, since the answer occupies memory.
constexpr uint64_t kMinSentPerSecond = 32 << 10;
constexpr std::string_view kHeadEnd = "\r\n\r\n";

int64_t NowMs() { return base::SystemClock().MonotonicMs(); }

// A client that ends lines with a bare LF would otherwise wait for an answer until the timeout.
bool HasBareLineFeed(std::string_view bytes) {
  for (size_t at = bytes.find('\n'); at != std::string_view::npos; at = bytes.find('\n', at + 1)) {
    if (at == 0 || bytes[at - 1] != '\r') return true;
  }
  return false;
}

}  // namespace

Connection::Connection(ServerCore& core, StreamSocket socket, std::string peer)
    : core_(core),
      socket_(std::move(socket)),
      descriptor_(socket_.native_handle()),
      peer_(std::move(peer)),
      deadline_ms_(Deadline(core.options.header_timeout_ms)) {}

int64_t Connection::Deadline(int64_t timeout_ms) const { return NowMs() + timeout_ms; }

void Connection::Start() { ReadMore(); }

void Connection::WatchReadable() {
  if (watching_) return;
  watching_ = true;
  socket_.async_wait(StreamSocket::wait_read,
                     [self = shared_from_this()](const boost::system::error_code& error) {
                       self->watching_ = false;
                       if (!error) self->OnReadable();
                     });
}

void Connection::WatchWritable() {
  socket_.async_wait(StreamSocket::wait_write,
                     [self = shared_from_this()](const boost::system::error_code& error) {
                       if (!error && self->state_ == State::kFlushing) self->Flush();
                     });
}

void Connection::OnReadable() {
  switch (state_) {
    case State::kHead:
    case State::kBody:
      return ReadMore();
    case State::kBusy:
      return OnActivityWhileBusy();
    case State::kLingering:
      return Discard();
    case State::kFlushing:  // reads again after the answer
    case State::kClosed:
      return;
  }
}

void Connection::ReadMore() {
  for (int round = 0; round < kReadsAtOnce; ++round) {
    const ssize_t got =
        ::recv(descriptor_, core_.scratch.data(), core_.scratch.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (got <= 0) return Close();
    OnBytes({core_.scratch.data(), static_cast<size_t>(got)});
    if (state_ != State::kHead && state_ != State::kBody) return;
    if (static_cast<size_t>(got) < core_.scratch.size()) break;
  }
  WatchReadable();
}

void Connection::OnBytes(std::string_view bytes) {
  if (state_ == State::kHead && buffer_.empty()) {
    deadline_ms_ = Deadline(core_.options.header_timeout_ms);
  }
  buffer_.append(bytes);
  if (state_ == State::kHead) {
    ReadHeads();
  } else {
    ReadBody();
  }
}

void Connection::ReadHeads() {
  // RFC 9112 §2.2: ignores an empty line before a request.
  if (scanned_ == 0 && buffer_.starts_with("\r\n")) buffer_.erase(0, 2);
  const size_t end = buffer_.find(kHeadEnd, scanned_ < 3 ? 0 : scanned_ - 3);
  const size_t head_bytes = end == std::string::npos ? buffer_.size() : end + kHeadEnd.size();
  if (head_bytes > core_.options.max_header_bytes) {
    return Refuse(431, "the request head is larger than " +
                           std::to_string(core_.options.max_header_bytes) + " bytes");
  }
  if (end == std::string::npos) {
    if (HasBareLineFeed(buffer_)) return Refuse(400, "a line that does not end in CR LF");
    scanned_ = buffer_.size();
    return;
  }
  scanned_ = 0;
  if (!AcceptHead(head_bytes)) return;
  if (exchange_->route == nullptr || exchange_->reads_body || !exchange_->head.has_body()) {
    return Dispatch();
  }
  if (exchange_->head.expects_continue && buffer_.empty()) {
    if (SendSome(descriptor_, {kContinue}).bytes != kContinue.size()) return Close();
  }
  state_ = State::kBody;
  deadline_ms_ = Deadline(core_.options.body_timeout_ms);
  decoder_.emplace(exchange_->head, exchange_->route->max_body_bytes);
  exchange_->request.body.reserve(exchange_->head.content_length);  // charged by AcceptHead
  ReadBody();
}

// A route that reads whole bodies may have a streaming route of the same method and pattern beside
// it, for chunked bodies and bodies over its limit.
const Route* Connection::RouteForBody(const Route* route, const RequestHead& head) const {
  if (route == nullptr || route->streaming) return route;
  if (!head.chunked && head.content_length <= route->max_body_bytes) return route;
  for (const Route& other : core_.router.routes()) {
    const bool same = other.method == route->method && other.pattern == route->pattern;
    if (same && other.streaming) return &other;
  }
  return route;
}

// False: refused.
bool Connection::AcceptHead(size_t head_bytes) {
  auto read =
      ReadHead(std::string_view(buffer_).substr(0, head_bytes), core_.options.max_header_fields);
  if (const Refusal* refusal = std::get_if<Refusal>(&read)) {
    Refuse(refusal->status, refusal->reason);
    return false;
  }
  buffer_.erase(0, head_bytes);
  exchange_ = std::make_shared<Exchange>(&core_.budget());
  exchange_->head = std::move(std::get<RequestHead>(read));
  RequestHead& head = exchange_->head;
  Request& request = exchange_->request;
  request.method = std::move(head.method);
  request.path = std::move(head.path);
  request.headers = std::move(head.headers);
  request.id = RequestId(request.headers);
  request.peer = peer_;
  Router::Match match = core_.router.Find(request.method, request.path);
  exchange_->route = RouteForBody(match.route, head);
  exchange_->allowed = std::move(match.allowed);
  exchange_->malformed = match.bad_path && request.path != "*";
  request.parameters = std::move(match.parameters);
  if (auto query = ParseQuery(head.query)) {
    request.query = std::move(*query);
  } else {
    exchange_->malformed = true;
  }
  if (exchange_->malformed) exchange_->route = nullptr;
  if (exchange_->route != nullptr && head.has_body() && core_.options.at_head) {
    if (auto refusal = core_.options.at_head(request)) {
      Refuse(*std::move(refusal));
      return false;
    }
  }
  if (exchange_->route != nullptr && head.content_length > exchange_->route->max_body_bytes) {
    Refuse(413, "the body is larger than the " + std::to_string(exchange_->route->max_body_bytes) +
                    " bytes that this route takes");
    return false;
  }
  exchange_->reads_body = exchange_->route != nullptr && exchange_->route->streaming;
  if (exchange_->route == nullptr || !head.has_body()) return true;
  return ChargeBody(head.content_length);
}

bool Connection::waits_for_client() const {
  return IsBetweenRequests() || state_ == State::kHead || state_ == State::kBody ||
         state_ == State::kLingering;
}

void Connection::ReadBody() {
  const auto step = decoder_->Consume(buffer_, exchange_->request.body);
  buffer_.erase(0, step.used);
  if (step.refusal) return Refuse(step.refusal->status, step.refusal->reason);
  if (exchange_->head.chunked && !ChargeBody(exchange_->request.body.size())) return;
  if (decoder_->done()) Dispatch();
}

void Connection::Dispatch() {
  const std::shared_ptr<Exchange> exchange = exchange_;
  decoder_.reset();
  client_gone_ = std::stop_source();
  exchange->request.client_gone = client_gone_.get_token();
  if (exchange->reads_body) {
    // An upload occupies a worker for as long as its client sends: at most half of the workers.
    if (core_.uploads >= std::max<size_t>(1, core_.options.workers / 2)) {
      return Refuse(503, "too many uploads at once");
    }
    ++core_.uploads;
    exchange->received = std::exchange(buffer_, {});
  }
  state_ = State::kBusy;
  const bool quiet = !exchange->reads_body && buffer_.empty();
  handover_ = quiet ? Handover::kWatching : Handover::kMore;
  if (quiet) WatchReadable();
  const Route* route = exchange->route;
  exchange->computes =
      core_.computing && route != nullptr && route->computes && route->computes(exchange->request);
  // A lane is a token, or an address.
  const std::string lane = exchange->request.headers.Get("Authorization").value_or(peer_);
  const bool taken = core_.WorkersOf(*exchange).TrySubmit(
      [self = shared_from_this(), exchange] { self->Work(exchange); }, lane);
  if (taken) return exchange_.reset();
  if (exchange->reads_body) --core_.uploads;
  Refuse(503, "all workers are busy and the queue is full");
}

void Connection::Work(const std::shared_ptr<Exchange>& exchange) {
  const auto start = std::chrono::steady_clock::now();
  Outcome outcome = RunExchange(*exchange, descriptor_, core_.options, core_.draining);
  const int status = outcome.status;
  if (exchange->reads_body) --core_.uploads;
  const bool simple = outcome.keep_alive && !outcome.broken && outcome.reply.done();
  Handover expected = Handover::kWatching;
  if (!simple || !handover_.compare_exchange_strong(expected, Handover::kDone)) {
    boost::asio::post(core_.io, [self = shared_from_this(), outcome = std::move(outcome),
                                 unused = std::move(exchange->received)]() mutable {
      self->Resume(std::move(outcome), unused);
    });
  }
  if (!core_.options.after) return;
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  try {
    core_.options.after(exchange->request, exchange->route ? exchange->route->pattern : "", status,
                        taken.count());
  } catch (const std::exception&) {
    base::LogError("the after-hook threw", {{"request_id", exchange->request.id}});
  }
}

void Connection::OnActivityWhileBusy() {
  char byte = 0;
  const ssize_t peeked = ::recv(descriptor_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (peeked < 0 && (errno == EAGAIN || errno == EINTR)) return WatchReadable();
  Handover expected = Handover::kWatching;
  if (!handover_.compare_exchange_strong(expected, Handover::kMore)) {  // the worker has answered
    NextRequest();
    return ReadMore();
  }
  if (peeked <= 0) client_gone_.request_stop();
}

void Connection::Resume(Outcome outcome, const std::string& unused) {
  if (state_ != State::kBusy) return;
  if (outcome.broken) return Close(outcome.reset);
  buffer_.insert(0, unused);
  keep_alive_ = outcome.keep_alive;
  if (!outcome.reply.done()) {
    unsent_ = std::move(outcome.reply);
    unsent_charge_ = std::move(outcome.charge);
    state_ = State::kFlushing;
    flushing_since_ms_ = NowMs();
    deadline_ms_ = Deadline(core_.options.write_timeout_ms);
    return WatchWritable();
  }
  if (!keep_alive_) return Linger();
  NextRequest();
  if (!buffer_.empty()) ReadHeads();
  if (state_ == State::kHead || state_ == State::kBody) WatchReadable();
}

void Connection::Flush() {
  const size_t before = unsent_.sent;
  if (!SendMore(descriptor_, unsent_)) return Close();
  if (unsent_.sent > before) deadline_ms_ = Deadline(core_.options.write_timeout_ms);
  const int64_t took_ms = NowMs() - flushing_since_ms_;
  const bool slow = took_ms > core_.options.write_timeout_ms &&
                    unsent_.sent < kMinSentPerSecond * static_cast<uint64_t>(took_ms) / 1000;
  if (!unsent_.done()) return slow ? Close() : WatchWritable();
  unsent_ = {};
  unsent_charge_ = {};
  state_ = State::kBusy;  // as if the worker had just answered
  Outcome outcome;
  outcome.keep_alive = keep_alive_;
  Resume(std::move(outcome), {});
}

void Connection::NextRequest() {
  state_ = State::kHead;
  scanned_ = 0;
  deadline_ms_ =
      Deadline(buffer_.empty() ? core_.options.idle_timeout_ms : core_.options.header_timeout_ms);
  client_gone_ = std::stop_source(std::nostopstate);
  if (buffer_.empty() && buffer_.capacity() > kIdleBufferBytes) buffer_.shrink_to_fit();
}

void Connection::Refuse(int status, const std::string& reason) {
  Refuse(RefusalResponse(status, reason));
}

void Connection::Refuse(Response response) {
  Exchange exchange;
  if (exchange_) {
    exchange.request.method = exchange_->request.method;
    exchange.request.id = exchange_->request.id;
    exchange.head.http_1_0 = exchange_->head.http_1_0;
  } else {
    exchange.request.id = RequestId({});
  }
  ReportRefusal(response.status);
  const Outcome outcome = SendReply(descriptor_, std::move(response), exchange, false);
  if (outcome.broken) return Close();
  Linger();
}

void Connection::ReportRefusal(int status) {
  if (core_.options.after)
    core_.options.after(exchange_ ? exchange_->request : Request{}, "", status, 0);
}

void Connection::Linger() {
  // A close with unread bytes sends RST, after which the client may lose the answer.
  ::shutdown(descriptor_, SHUT_WR);
  state_ = State::kLingering;
  deadline_ms_ = Deadline(kLingerMs);
  exchange_.reset();
  decoder_.reset();
  buffer_ = {};
  Discard();
}

void Connection::Discard() {
  for (int round = 0; round < kReadsAtOnce; ++round) {
    const ssize_t got =
        ::recv(descriptor_, core_.scratch.data(), core_.scratch.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) break;
    if (got <= 0) return Close();
  }
  WatchReadable();
}

bool Connection::IsBetweenRequests() const {
  return (state_ == State::kHead && buffer_.empty()) ||
         (state_ == State::kBusy && handover_ == Handover::kDone);
}

void Connection::Tick(int64_t now_ms) {
  if (state_ == State::kClosed) return;
  if (IsBetweenRequests()) {
    if (core_.draining) return Close();
    if (state_ == State::kBusy) NextRequest();
  }
  if (state_ == State::kLingering && core_.draining) return Close();
  if (state_ == State::kBusy || now_ms < deadline_ms_) return;
  const bool asked = (state_ == State::kHead && !buffer_.empty()) || state_ == State::kBody;
  if (!asked) return Close();
  Refuse(408, state_ == State::kHead ? "the request head took too long" : "the body took too long");
}

void Connection::Close(bool reset) {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  exchange_.reset();
  unsent_ = {};
  unsent_charge_ = {};
  client_gone_.request_stop();
  // Does not close the descriptor, which a worker may still use: the last owner's destructor does.
  if (reset) {
    const linger at_once{1, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  } else {
    ::shutdown(descriptor_, SHUT_RDWR);
  }
  boost::system::error_code ignored;
  socket_.cancel(ignored);
  core_.connections.erase(shared_from_this());
}

}  // namespace http
