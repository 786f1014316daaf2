// A server that answers with given bytes, whatever is asked: for faults that a sound server never
// shows.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

namespace testing {

inline constexpr const char* kHelloAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

// Serves one connection after the other; each request takes the next step, and the last one answers
// no further. Any thread may ask.
class HttpScript {
 public:
  enum Then {
    kKeep,     // read the next request from this connection
    kClose,    // end the connection
    kReset,    // end it with RST
    kSilence,  // say nothing more, keep it open
    kDrip,     // a byte every 10 ms, for ever
  };
  struct Step {
    std::string answer;
    Then then = kKeep;
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
