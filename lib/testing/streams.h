// Streams where a thread may wait: fakes that block, tests that read to the end.
#pragma once

#include <functional>
#include <stop_token>
#include <thread>

#include "lib/http/client/client.h"
#include "lib/kube/cache/watch.h"

namespace testing {

// A stream of a fake, with a thread of its own. `run` blocks; it tells the reader head and bytes
// until that says no or the token is set, and what it returns is the end.
class ThreadedStream : public http::OpenStream {
 public:
  using Run = std::function<base::Status(std::stop_token, const http::StreamReader&)>;
  ThreadedStream(Run run, http::StreamReader reader);

 private:
  std::jthread thread_;
};

// As http::Client::Open, and waits for the end; good soon after `stop`.
base::Status ReadToEnd(http::Client& client, const http::ClientRequest& request,
                       const std::stop_token& stop,
                       std::function<bool(const http::Response& head)> on_head,
                       std::function<bool(std::string_view bytes)> on_bytes);

// As kube::Watch, and waits for the end; kClosed soon after `stop`, and no event after it.
kube::WatchEnd WatchToEnd(kube::KubeClient& client, const kube::Resource& resource,
                          const kube::WatchOptions& options, const std::stop_token& stop,
                          const std::function<void(kube::WatchEvent&&)>& on_event);

}  // namespace testing
