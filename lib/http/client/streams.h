// The thread that takes all open streams of a client, so that none needs one of its own.
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
  ~ClientStreams();  // every stream must be closed

  // What a stream's answer must meet at.
  const std::shared_ptr<Meeting>& meeting() const { return meeting_; }
  // Starts the answer; the reader is told from the thread, which the first stream starts.
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

  const std::shared_ptr<Meeting> meeting_ = std::make_shared<Meeting>();
  // under the meeting's mutex:
  std::deque<std::shared_ptr<Stream>> streams_;  // whose turn is first
  const Stream* running_ = nullptr;              // it is being told something
  std::condition_variable told_;                 // running_ is none any more
  std::jthread thread_;
};

}  // namespace http
