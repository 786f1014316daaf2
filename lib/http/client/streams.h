// One thread that runs the callbacks of all open streams of a client.
#pragma once

#include <deque>
#include <memory>
#include <stop_token>
#include <thread>

#include "lib/http/client/answer.h"
#include "lib/http/client/request.h"

namespace http {

class ClientStreams {
 public:
  ~ClientStreams();  // all streams must be closed

  // The monitor to construct a stream's answer with.
  const std::shared_ptr<CallMonitor>& monitor() const { return monitor_; }
  // Starts the answer; the thread, which the first stream starts, calls the reader.
  std::unique_ptr<OpenStream> Open(std::unique_ptr<IncomingAnswer> answer, StreamReader reader);

 private:
  struct Stream {
    std::unique_ptr<IncomingAnswer> answer;
    StreamReader reader;
  };
  class Handle;
  using Lock = std::unique_lock<std::mutex>;

  void Run(const std::stop_token& stop);
  std::shared_ptr<Stream> Next(Lock& lock);
  void Close(const std::shared_ptr<Stream>& stream);
  void Forget(const Stream* stream);

  const std::shared_ptr<CallMonitor> monitor_ = std::make_shared<CallMonitor>();
  // under the monitor's mutex:
  std::deque<std::shared_ptr<Stream>> streams_;  // round robin: the next first
  const Stream* running_ = nullptr;              // in a callback
  std::condition_variable idle_;                 // running_ became null
  std::jthread thread_;
};

}  // namespace http
