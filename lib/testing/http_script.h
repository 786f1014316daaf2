// A server that answers every request with scripted bytes, for faults that a correct server never
// shows.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

namespace testing {

inline constexpr const char* kHelloAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

// Serves one connection after the other; each request takes the next step. Without steps it closes
// the connection. Methods: any thread.
class HttpScript {
 public:
  enum Then {
    kKeep,     // reads the next request from this connection
    kClose,    // closes the connection
    kReset,    // closes it with RST
    kSilence,  // sends nothing more, keeps it open
    kDrip,     // sends a byte every 10 ms, without end
    kFlood,    // sends `piece` without end
  };
  struct Step {
    std::string answer;
    Then then = kKeep;
    std::string piece = {};  // of kFlood
  };

  HttpScript();
  ~HttpScript();
  void Add(Step step);
  int port() const { return port_; }
  int connections() const { return connections_; }
  int requests() const { return requests_; }

 private:
  void Serve(const std::stop_token& stop);
  void ServeConnection(const std::stop_token& stop, int descriptor);

  int listener_, port_ = 0;
  std::atomic<int> connections_ = 0, requests_ = 0;
  std::mutex mutex_;
  std::deque<Step> steps_;
  std::jthread thread_;
};

}  // namespace testing
