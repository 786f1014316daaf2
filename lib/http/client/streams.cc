// A watch is silent nearly always, and a thread for each of fourteen would sleep (ADR 31). One
// thread runs one callback of one stream, then selects the next one round-robin, so that a stream
// with many events delays the others by one callback.
#include "lib/http/client/streams.h"

#include <algorithm>
#include <utility>

#include "lib/base/check.h"

namespace http {

namespace {

// Passes the next step to the reader. False: the stream has ended.
bool Dispatch(IncomingAnswer& answer, const StreamReader& reader) {
  const auto step = answer.Pop();
  if (!step) return true;
  base::Status end = step->end;
  bool goes_on = false;
  if (step->kind == IncomingAnswer::Step::Kind::kHead) goes_on = reader.on_head(step->head);
  if (step->kind == IncomingAnswer::Step::Kind::kBytes) goes_on = reader.on_bytes(step->bytes);
  if (goes_on) return true;
  answer.Drop();
  reader.on_end(std::move(end));
  return false;
}

}  // namespace

class ClientStreams::Handle : public OpenStream {
 public:
  Handle(ClientStreams& streams, std::shared_ptr<Stream> stream)
      : streams_(streams), stream_(std::move(stream)) {}
  ~Handle() override { streams_.Close(stream_); }

 private:
  ClientStreams& streams_;
  const std::shared_ptr<Stream> stream_;  // destroyed here, never on the thread
};

ClientStreams::~ClientStreams() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(monitor_->mutex);
    CHECK(streams_.empty());
    thread_.request_stop();
    monitor_->changed.notify_all();
  }
  thread_.join();
}

std::unique_ptr<OpenStream> ClientStreams::Open(std::unique_ptr<IncomingAnswer> answer,
                                                StreamReader reader) {
  auto stream = std::make_shared<Stream>(std::move(answer), std::move(reader));
  stream->answer->Start();
  auto handle = std::make_unique<Handle>(*this, stream);
  const std::lock_guard lock(monitor_->mutex);
  streams_.push_back(std::move(stream));
  if (!thread_.joinable())
    thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
  monitor_->changed.notify_all();
  return handle;
}

void ClientStreams::Run(const std::stop_token& stop) {
  Lock lock(monitor_->mutex);
  while (!stop.stop_requested()) {
    std::shared_ptr<Stream> stream = Next(lock);
    if (!stream) continue;
    running_ = stream.get();
    lock.unlock();
    const bool goes_on = Dispatch(*stream->answer, stream->reader);
    lock.lock();
    if (!goes_on) Forget(stream.get());
    stream.reset();  // its handle owns it, and waits until it is not running_
    running_ = nullptr;
    idle_.notify_all();
  }
}

// Returns the first ready stream and moves it to the end. Null: it has waited; look again.
std::shared_ptr<ClientStreams::Stream> ClientStreams::Next(Lock& lock) {
  auto until = Clock::time_point::max();
  for (auto at = streams_.begin(); at != streams_.end(); ++at) {
    if ((*at)->answer->Ready()) {
      std::rotate(at, at + 1, streams_.end());
      return streams_.back();
    }
    until = std::min(until, (*at)->answer->Deadline());
  }
  streams_.empty() ? monitor_->changed.wait(lock)
                   : static_cast<void>(monitor_->changed.wait_until(lock, until));
  return nullptr;
}

void ClientStreams::Close(const std::shared_ptr<Stream>& stream) {
  Lock lock(monitor_->mutex);
  if (running_ == stream.get()) CHECK(std::this_thread::get_id() != thread_.get_id());
  idle_.wait(lock, [&] { return running_ != stream.get(); });
  Forget(stream.get());
}

void ClientStreams::Forget(const Stream* stream) {
  std::erase_if(streams_, [&](const auto& one) { return one.get() == stream; });
}

}  // namespace http
