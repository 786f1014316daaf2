// Runs streams on threads, and waits for their ends.
#include "lib/testing/streams.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

namespace testing {

namespace {

// A value that a thread waits for.
template <class T>
class Awaited {
 public:
  void Set(T value) {
    const std::lock_guard lock(mutex_);
    value_ = std::move(value);
    came_.notify_all();
  }
  // nullopt: `stop` came first.
  std::optional<T> Await(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    came_.wait(lock, stop, [this] { return value_.has_value(); });
    return std::move(value_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any came_;
  std::optional<T> value_;
};

}  // namespace

ThreadedStream::ThreadedStream(Run run, http::StreamReader reader)
    : thread_([run = std::move(run), reader = std::move(reader)](const std::stop_token& stop) {
        http::StreamReader until_stop;
        until_stop.on_head = [&](const http::Response& head) {
          return !stop.stop_requested() && reader.on_head(head);
        };
        until_stop.on_bytes = [&](std::string_view bytes) {
          return !stop.stop_requested() && reader.on_bytes(bytes);
        };
        base::Status end = run(stop, until_stop);
        if (!stop.stop_requested()) reader.on_end(std::move(end));
      }) {}

base::Status ReadToEnd(http::Client& client, const http::ClientRequest& request,
                       const std::stop_token& stop,
                       std::function<bool(const http::Response& head)> on_head,
                       std::function<bool(std::string_view bytes)> on_bytes) {
  Awaited<base::Status> end;
  http::StreamReader reader{std::move(on_head), std::move(on_bytes),
                            [&](base::Status status) { end.Set(std::move(status)); }};
  const auto stream = client.Open(request, std::move(reader));
  return end.Await(stop).value_or(base::Status());
}

kube::WatchEnd WatchToEnd(kube::KubeClient& client, const kube::Resource& resource,
                          const kube::WatchOptions& options, const std::stop_token& stop,
                          const std::function<void(kube::WatchEvent&&)>& on_event) {
  Awaited<kube::WatchEnd> end;
  const kube::Watch watch(
      client, resource, options,
      [&](kube::WatchEvent&& event) {
        if (!stop.stop_requested()) on_event(std::move(event));
      },
      [&](kube::WatchEnd&& why) { end.Set(std::move(why)); });
  return end.Await(stop).value_or(kube::WatchEnd());
}

}  // namespace testing
