// Streams of fakes with blocking code, and blocking reads to the end of a stream for tests.
#pragma once

#include <functional>
#include <stop_token>
#include <thread>

#include "lib/http/client/client.h"
#include "lib/kube/cache/watch.h"

namespace testing {

// A stream of a fake with its own thread. `run` may block: it passes head and bytes to the reader
// until the reader returns false or the token is set; its result is the status for on_end.
class ThreadedStream : public http::OpenStream {
 public:
  using Run = std::function<base::Status(std::stop_token, const http::StreamReader&)>;
  ThreadedStream(Run run, http::StreamReader reader);

 private:
  std::jthread thread_;
};

// Like http::Client::Open, but waits for the end; returns OK soon after `stop`.
base::Status ReadToEnd(http::Client& client, const http::ClientRequest& request,
                       const std::stop_token& stop,
                       std::function<bool(const http::Response& head)> on_head,
                       std::function<bool(std::string_view bytes)> on_bytes);

// Like kube::Watch, but waits for the end; kClosed soon after `stop`, and then no event.
kube::WatchEnd WatchToEnd(kube::KubeClient& client, const kube::Resource& resource,
                          const kube::WatchOptions& options, const std::stop_token& stop,
                          const std::function<void(kube::WatchEvent&&)>& on_event);

}  // namespace testing
