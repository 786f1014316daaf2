// Runs one request: before-hook, route, handler; then writes the answer, whole or streamed.
#include "lib/http/server/exchange.h"

#include <algorithm>
#include <exception>
#include <typeinfo>

#include "lib/base/process/log.h"
#include "lib/base/text/text.h"
#include "lib/http/server/reply.h"
#include "lib/http/server/socket.h"
#include "lib/http/server/streams.h"

namespace http {

namespace {

Response NotRouted(const Exchange& exchange) {
  if (exchange.malformed)
    return RefusalResponse(400,
                           "the path or the query does not decode: after each % "
                           "stand two hexadecimal digits, and what they make is UTF-8 "
                           "without NUL");
  if (exchange.allowed.empty()) {
    return RefusalResponse(404, "no such resource: " + exchange.request.path);
  }
  Response response = RefusalResponse(405, exchange.request.method +
                                               " is not served for this path, "
                                               "which takes " +
                                               base::Join(exchange.allowed, ", "));
  response.headers.Add("Allow", base::Join(exchange.allowed, ", "));
  return response;
}

// Logs only the type of the exception, since its text may quote a body.
Response AfterException(const Request& request, const char* type) {
  base::LogError("a handler threw", {{"request_id", request.id}, {"exception", type}});
  return RefusalResponse(500, "internal error in request " + request.id);
}

Response MakeAnswer(Exchange& exchange, const ServerOptions& options) {
  try {
    if (options.before) {
      if (auto early = options.before(exchange.request)) return std::move(*early);
    }
    if (exchange.malformed || exchange.route == nullptr) return NotRouted(exchange);
    if (exchange.computes && exchange.request.client_gone.stop_requested())
      return RefusalResponse(503, "the client left before its request was handled");
    return exchange.route->handler(exchange.request);
  } catch (const std::exception& error) {
    return AfterException(exchange.request, typeid(error).name());
  } catch (...) {
    return AfterException(exchange.request, "unknown");
  }
}

// Replaces the charge of the body by that of the answer. If the budget refuses it, the answer to
// GET or HEAD becomes a 503; any other, whose request may have changed something, exceeds the
// budget.
void ChargeAnswer(Exchange& exchange, Response& response, const ServerOptions& options) {
  const bool changes_nothing =
      exchange.request.method == "GET" || exchange.request.method == "HEAD";
  if (!response.stream) exchange.request.body = std::string();
  const size_t bytes = response.stream ? kStreamBytes : response.body.size();
  if (exchange.charge.TrySet(bytes)) return;
  if (!changes_nothing) return exchange.charge.Set(bytes);
  response =
      RefusalResponse(503, "memory-budget: the answer has " + std::to_string(bytes) +
                               " bytes, and other requests hold the memory for it; ask again, "
                               "or for less");
  exchange.charge.Set(response.body.size());
  if (options.over_budget) options.over_budget(503);
}

Outcome StreamReply(int descriptor, const Response& response, const Exchange& exchange,
                    bool keep_alive, const ServerOptions& options) {
  const bool chunked = !exchange.head.http_1_0;
  const ReplyShape shape{chunked ? BodyFraming::kChunked : BodyFraming::kUntilClose,
                         keep_alive && chunked, exchange.head.http_1_0};
  Outcome outcome;
  outcome.keep_alive = shape.keep_alive;
  outcome.status = response.status;
  SocketWriter writer(descriptor, chunked, options.write_timeout_ms);
  outcome.broken = !writer.Send(ReplyHead(response, exchange.request.id, shape));
  try {
    if (!outcome.broken && !response.stream(writer)) outcome.broken = true;
  } catch (const std::exception& error) {
    (void)AfterException(exchange.request, typeid(error).name());
    outcome.broken = true;
  }
  if (!outcome.broken) outcome.broken = !writer.Finish();
  outcome.reset = outcome.broken && !chunked;
  return outcome;
}

}  // namespace

bool SendMore(int descriptor, Reply& reply) {
  const std::string_view head = reply.head, body = reply.body;
  const size_t of_head = std::min(reply.sent, head.size());
  const Sent sent = SendSome(descriptor, {head.substr(of_head), body.substr(reply.sent - of_head)});
  reply.sent += sent.bytes;
  return !sent.broken;
}

Outcome SendReply(int descriptor, Response response, const Exchange& exchange, bool keep_alive) {
  const bool head_only = exchange.request.method == "HEAD";
  const ReplyShape shape{head_only ? BodyFraming::kHeadOnly : BodyFraming::kCounted, keep_alive,
                         exchange.head.http_1_0};
  Outcome outcome;
  outcome.keep_alive = keep_alive;
  outcome.status = response.status;
  outcome.reply.head = ReplyHead(response, exchange.request.id, shape);
  const bool bodiless = head_only || response.status == 204 || response.status == 304;
  if (!bodiless) outcome.reply.body = std::move(response.body);
  outcome.broken = !SendMore(descriptor, outcome.reply);
  return outcome;
}

Outcome RunExchange(Exchange& exchange, int descriptor, const ServerOptions& options,
                    const std::atomic<bool>& draining) {
  std::optional<SocketReader> reader;
  if (exchange.reads_body) {
    reader.emplace(descriptor, exchange.head, exchange.route->max_body_bytes,
                   options.body_timeout_ms, std::move(exchange.received));
    exchange.request.stream = &*reader;
  }
  const base::ChargeScope scope(&exchange.charge);  // also of a streamed answer
  Response response = MakeAnswer(exchange, options);
  bool keep_alive = exchange.head.keep_alive && !draining;
  if (reader) {
    // The next request begins after the part of the body that the handler left unread.
    keep_alive = keep_alive && reader->done();
    exchange.received = reader->ReleaseUnused();
  } else if (exchange.route == nullptr && exchange.head.has_body()) {
    keep_alive = false;
  }
  ChargeAnswer(exchange, response, options);
  if (options.finish) options.finish(exchange.request, response);
  if (response.stream && exchange.request.method != "HEAD") {
    return StreamReply(descriptor, response, exchange, keep_alive, options);
  }
  // ChargeAnswer has released the body's charge: the client may send its next large body as soon as
  // it has the answer.
  Outcome outcome = SendReply(descriptor, std::move(response), exchange, keep_alive);
  if (!outcome.reply.done()) outcome.charge = std::move(exchange.charge);
  return outcome;
}

}  // namespace http
