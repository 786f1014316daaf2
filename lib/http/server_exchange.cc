// Runs one request: before-hook, route, handler; then writes the answer, whole or streamed.
#include "lib/http/server_exchange.h"

#include <exception>
#include <typeinfo>

#include "lib/base/log.h"
#include "lib/base/text.h"
#include "lib/http/server_reply.h"
#include "lib/http/server_socket.h"
#include "lib/http/server_streams.h"

namespace http {

namespace {

Response NotRouted(const Exchange& exchange) {
  if (exchange.malformed) return RefusalResponse(400, "the path or the query does not decode");
  if (exchange.allowed.empty()) {
    return RefusalResponse(404, "no such resource: " + exchange.request.path);
  }
  Response response = RefusalResponse(405, exchange.request.method + " is not served here");
  response.headers.Add("Allow", base::Join(exchange.allowed, ", "));
  return response;
}

// What was thrown may quote a body, so only its type is logged.
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
    return exchange.route->handler(exchange.request);
  } catch (const std::exception& error) {
    return AfterException(exchange.request, typeid(error).name());
  } catch (...) {
    return AfterException(exchange.request, "unknown");
  }
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

Outcome SendReply(int descriptor, const Response& response, const Exchange& exchange,
                  bool keep_alive) {
  const bool head_only = exchange.request.method == "HEAD";
  const ReplyShape shape{head_only ? BodyFraming::kHeadOnly : BodyFraming::kCounted, keep_alive,
                         exchange.head.http_1_0};
  std::string head = ReplyHead(response, exchange.request.id, shape);
  const bool bodiless = head_only || response.status == 204 || response.status == 304;
  const std::string_view body = bodiless ? std::string_view() : response.body;
  const Sent sent = SendSome(descriptor, {head, body});
  Outcome outcome;
  outcome.keep_alive = keep_alive;
  outcome.broken = sent.broken;
  outcome.status = response.status;
  if (sent.broken || sent.bytes == head.size() + body.size()) return outcome;
  if (sent.bytes < head.size()) {
    outcome.unsent = head.substr(sent.bytes).append(body);
  } else {
    outcome.unsent = body.substr(sent.bytes - head.size());
  }
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
  const Response response = MakeAnswer(exchange, options);
  bool keep_alive = exchange.head.keep_alive && !draining;
  if (reader) {
    // What the handler left unread would have to be read through to find the next request.
    keep_alive = keep_alive && reader->done();
    exchange.received = reader->TakeUnused();
  } else if (exchange.route == nullptr && exchange.head.has_body()) {
    keep_alive = false;
  }
  if (response.stream && exchange.request.method != "HEAD") {
    return StreamReply(descriptor, response, exchange, keep_alive, options);
  }
  return SendReply(descriptor, response, exchange, keep_alive);
}

}  // namespace http
