// Reads request bodies and writes answers piece by piece on the worker's thread.
#include "lib/http/server/streams.h"

#include "lib/base/process/clock.h"
#include "lib/http/server/reply.h"
#include "lib/http/server/socket.h"

namespace http {

namespace {

constexpr size_t kReadBytes = 64 << 10;
// A client below this rate, over the time that the worker waited for it, counts as a slow-loris.
constexpr uint64_t kMinBytesPerSecond = 1 << 10;

int64_t MonotonicNowMs() { return base::SystemClock().MonotonicMs(); }

bool IsTooSlow(int64_t waited_ms, uint64_t bytes, int64_t patience_ms) {
  return waited_ms > patience_ms &&
         bytes < kMinBytesPerSecond * static_cast<uint64_t>(waited_ms) / 1000;
}

}  // namespace

SocketReader::SocketReader(int descriptor, const RequestHead& head, uint64_t max_bytes,
                           int64_t timeout_ms, std::string received)
    : descriptor_(descriptor),
      timeout_ms_(timeout_ms),
      must_continue_(head.expects_continue && received.empty()),
      decoder_(head, max_bytes),
      received_(std::move(received)) {}

base::Result<std::string> SocketReader::Read() {
  if (failure_) return *failure_;
  std::string out;
  while (!decoder_.done() && out.empty()) {
    const auto step = decoder_.Consume(received_, out);
    received_.erase(0, step.used);
    if (step.refusal) {
      failure_ =
          base::Error{step.refusal->status == 413 ? base::Code::kTooLarge : base::Code::kInvalid,
                      step.refusal->reason};
      return *failure_;
    }
    if (decoder_.done() || !out.empty()) break;
    if (auto status = Receive(); !status) {
      failure_ = status.error();
      return *failure_;
    }
  }
  return out;
}

base::Status SocketReader::Receive() {
  if (must_continue_) {
    must_continue_ = false;
    if (!SendAll(descriptor_, {kContinue}, timeout_ms_)) {
      return base::Error{base::Code::kUnavailable, "the client went away"};
    }
  }
  const int64_t start_ms = MonotonicNowMs();
  std::string bytes;
  const Received result = ReceiveSome(descriptor_, bytes, kReadBytes, timeout_ms_);
  waited_ms_ += MonotonicNowMs() - start_ms;
  if (result == Received::kTimeout) {
    return base::Error{base::Code::kTimeout, "the client stopped sending its body"};
  }
  if (result != Received::kBytes) {
    return base::Error{base::Code::kUnavailable, "the client went away in the middle of its body"};
  }
  total_bytes_ += bytes.size();
  if (IsTooSlow(waited_ms_, total_bytes_, timeout_ms_)) {
    return base::Error{base::Code::kTimeout, "the client sends its body too slowly"};
  }
  received_.append(bytes);
  return {};
}

bool SocketWriter::Send(std::string_view raw) {
  broken_ = broken_ || !SendAll(descriptor_, {raw}, timeout_ms_);
  return !broken_;
}

base::Status SocketWriter::Write(std::string_view bytes) {
  const base::Error gone{base::Code::kUnavailable, "the client went away or reads too slowly"};
  if (broken_) return gone;
  if (bytes.empty()) return {};  // an empty chunk would end the body
  const int64_t start_ms = MonotonicNowMs();
  broken_ = chunked_ ? !SendAll(descriptor_, {ChunkHead(bytes.size()), bytes, "\r\n"}, timeout_ms_)
                     : !SendAll(descriptor_, {bytes}, timeout_ms_);
  waited_ms_ += MonotonicNowMs() - start_ms;
  total_bytes_ += bytes.size();
  broken_ = broken_ || IsTooSlow(waited_ms_, total_bytes_, timeout_ms_);
  if (broken_) return gone;
  return {};
}

bool SocketWriter::Finish() { return chunked_ ? Send(kLastChunk) : !broken_; }

}  // namespace http
