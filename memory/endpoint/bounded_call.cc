// A stream rather than Client::Send: only a stream can be abandoned when `stop` is requested. The
// answer arrives on the thread of the client's streams while the caller waits.
#include "memory/endpoint/bounded_call.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>

namespace memory {

using base::Code;
using base::Error;
using base::Result;

namespace {

struct Incoming {
  std::mutex mutex;
  std::condition_variable_any changed;
  http::Response answer;
  bool begun = false, too_large = false;
  std::optional<base::Status> end;
};

http::StreamReader ReaderInto(Incoming& incoming, size_t most_bytes) {
  http::StreamReader reader;
  reader.on_head = [&incoming](const http::Response& head) {
    const std::lock_guard lock(incoming.mutex);
    incoming.begun = true;
    incoming.answer.status = head.status;
    incoming.answer.headers = head.headers;
    return true;
  };
  reader.on_bytes = [&incoming, most_bytes](std::string_view bytes) {
    const std::lock_guard lock(incoming.mutex);
    incoming.too_large = incoming.answer.body.size() + bytes.size() > most_bytes;
    if (!incoming.too_large) incoming.answer.body += bytes;
    return !incoming.too_large;
  };
  reader.on_end = [&incoming](base::Status end) {
    const std::lock_guard lock(incoming.mutex);
    incoming.end = std::move(end);
    incoming.changed.notify_all();
  };
  return reader;
}

}  // namespace

Result<http::Response> CallBounded(http::Client& client, const http::ClientRequest& request,
                                   size_t most_bytes, const std::stop_token& stop) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(request.timeout_ms);
  Incoming incoming;
  auto stream = client.Open(request, ReaderInto(incoming, most_bytes));
  bool ended = false;
  {
    std::unique_lock lock(incoming.mutex);
    ended = incoming.changed.wait_until(lock, stop, end, [&] { return incoming.end.has_value(); });
  }
  stream.reset();  // no callback runs after this
  if (stop.stop_requested()) return Error{Code::kUnavailable, "the caller no longer waits"};
  if (!ended) return Error{Code::kTimeout, "no whole answer in time"};
  if (incoming.too_large)
    return Error{Code::kTooLarge,
                 "the answer is longer than " + std::to_string(most_bytes) + " bytes"};
  if (!*incoming.end && incoming.begun)
    return base::Wrap("the answer was cut off", {Code::kInvalid, incoming.end->error().message});
  RETURN_IF_ERROR(*incoming.end);
  return std::move(incoming.answer);
}

}  // namespace memory
