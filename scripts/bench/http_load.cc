// Generates load on an HTTP server over loopback, or is a trivial server as the floor of a
// comparison. Only for scripts/bench: it knows just enough HTTP/1.1 to count answers, and must be
// faster than the measured server. Prints one JSON object.
//
//   http_load floor BYTES                          answers everything with BYTES; prints its port
//   http_load run PORT CONNECTIONS SECONDS FILE [RATE [HEADER]]
//       FILE lines: METHOD<TAB>PATH[<TAB>BODY], sent in order, repeatedly; after a METHOD that ends
//       with * each request has its own Idempotency-Key of 64 digits. Without RATE each connection
//       has one request in flight; with RATE so many requests a second begin, each on a free
//       connection (none free: counted as unsent). SECONDS 0: every line once. Each request has the
//       line HEADER.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace {

double NowUs() {
  using std::chrono::steady_clock;
  return std::chrono::duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

sockaddr_in Loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

void Watch(int epoll, int descriptor, uint32_t tag) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u32 = tag;
  epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

// The size of the complete message at the start of `bytes`; 0: it is incomplete.
size_t MessageBytes(const std::string& bytes) {
  const size_t end = bytes.find("\r\n\r\n");
  if (end == std::string::npos) return 0;
  size_t size = end + 4;
  const char* length = strcasestr(bytes.c_str(), "content-length: ");
  if (length && length < bytes.c_str() + end) size += std::strtoul(length + 16, nullptr, 10);
  return bytes.size() >= size ? size : 0;
}

int Floor(size_t body_bytes) {
  const std::string answer =
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
      std::to_string(body_bytes) + "\r\n\r\n" + std::string(body_bytes, 'x');
  const int listening = socket(AF_INET, SOCK_STREAM, 0), one = 1;
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof address;
  if (bind(listening, reinterpret_cast<sockaddr*>(&address), size) || listen(listening, 1024))
    return 1;
  getsockname(listening, reinterpret_cast<sockaddr*>(&address), &size);
  std::printf("%d\n", ntohs(address.sin_port));
  std::fflush(stdout);
  const int epoll = epoll_create1(0);
  Watch(epoll, listening, static_cast<uint32_t>(listening));
  std::map<int, std::string> received;
  static char buffer[1 << 16];
  for (epoll_event events[64];;) {
    const int count = epoll_wait(epoll, events, 64, -1);
    for (int i = 0; i < count; ++i) {
      const int descriptor = static_cast<int>(events[i].data.u32);
      if (descriptor == listening) {
        const int accepted = accept(listening, nullptr, nullptr);
        setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        Watch(epoll, accepted, static_cast<uint32_t>(accepted));
        continue;
      }
      const ssize_t got = read(descriptor, buffer, sizeof buffer);
      std::string& bytes = received[descriptor];
      if (got > 0) bytes.append(buffer, static_cast<size_t>(got));
      while (size_t used = MessageBytes(bytes)) {
        bytes.erase(0, used);
        if (write(descriptor, answer.data(), answer.size()) < 0) break;
      }
      if (got <= 0) {
        close(descriptor);
        received.erase(descriptor);
      }
    }
  }
}

constexpr size_t kKeyDigits = 64;  // like the sidecar's keys, which are SHA-256

struct Prepared {
  std::string text;
  size_t key = 0;  // offset of the digits of its key; 0: no key
};

// Writes the digits of key `number` of the run `seed`, by splitmix64.
void WriteKey(uint64_t seed, uint64_t number, char* digits) {
  uint64_t state = seed ^ (number * 4 * 0x9E3779B97F4A7C15);
  for (size_t at = 0; at < kKeyDigits; at += 16) {
    uint64_t bits = state += 0x9E3779B97F4A7C15;
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9;
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EB;
    bits ^= bits >> 31;
    for (size_t digit = 0; digit < 16; ++digit, bits >>= 4)
      digits[at + digit] = "0123456789abcdef"[bits & 15];
  }
}

std::vector<Prepared> ReadRequests(const char* file, const std::string& header) {
  std::vector<Prepared> requests;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const size_t path = line.find('\t'), body = line.find('\t', path + 1);
    if (path == std::string::npos) continue;
    const bool keyed = path > 0 && line[path - 1] == '*';
    std::string request = line.substr(0, path - keyed) + " " +
                          line.substr(path + 1, body - path - 1) +
                          " HTTP/1.1\r\nHost: localhost\r\n" + header;
    size_t key = 0;
    if (keyed) {
      request += "Idempotency-Key: ";
      key = request.size();
      request += std::string(kKeyDigits, '0') + "\r\n";
    }
    if (body != std::string::npos) {
      request += "Content-Type: application/json\r\nContent-Length: " +
                 std::to_string(line.size() - body - 1) + "\r\n\r\n" + line.substr(body + 1);
    } else {
      request += "\r\n";
    }
    requests.push_back({std::move(request), key});
  }
  return requests;
}

class Load {
 public:
  Load(int port, size_t connections, std::vector<Prepared> requests)
      : port_(port), connections_(connections), requests_(std::move(requests)) {}

  void Run(double seconds, double rate) {
    const double begin = NowUs();
    for (uint32_t i = 0; i < connections_.size(); ++i) Connect(i);
    epoll_event events[256];
    once_ = seconds <= 0;
    for (double now = begin; once_ ? !IsOver() : now - begin < seconds * 1e6; now = NowUs()) {
      if (rate > 0) {
        for (; begun_ < rate * (now - begin) / 1e6; ++begun_) {
          if (idle_.empty()) {
            ++unsent_;
            continue;
          }
          const uint32_t i = idle_.back();
          idle_.pop_back();
          Send(i);
        }
      } else {
        while (!idle_.empty() && !(once_ && next_ == requests_.size())) {
          const uint32_t i = idle_.back();
          idle_.pop_back();
          Send(i);
        }
      }
      const int count = epoll_wait(epoll_, events, 256, 1);
      for (int i = 0; i < count; ++i) Receive(events[i].data.u32);
    }
    const double end = NowUs();
    // A request in flight would occupy its connection at the server during the next run.
    over_ = true;
    while (busy_ > 0 && NowUs() - end < 5e6) {
      const int count = epoll_wait(epoll_, events, 256, 1);
      for (int i = 0; i < count; ++i) Receive(events[i].data.u32);
    }
    Print((end - begin) / 1e6);
  }

 private:
  bool IsOver() const { return next_ == requests_.size() && idle_.size() == connections_.size(); }

  struct Connection {
    int descriptor = -1;
    std::string received;
    double sent_us = 0;
    bool busy = false;
  };

  void Connect(uint32_t i) {
    Connection& connection = connections_[i];
    const int one = 1;
    sockaddr_in address = Loopback(port_);
    connection = {};
    connection.descriptor = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(connection.descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (connect(connection.descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address)) {
      ++broken_;
      close(connection.descriptor);
      connection.descriptor = -1;
      return;
    }
    Watch(epoll_, connection.descriptor, i);
    idle_.push_back(i);
  }

  void Send(uint32_t i) {
    Connection& connection = connections_[i];
    Prepared& prepared = requests_[next_ % requests_.size()];
    if (prepared.key > 0) WriteKey(seed_, next_, prepared.text.data() + prepared.key);
    ++next_;
    const std::string& request = prepared.text;
    connection.sent_us = NowUs();
    connection.busy = true;
    ++busy_;
    for (size_t done = 0; done < request.size();) {
      const ssize_t sent =
          write(connection.descriptor, request.data() + done, request.size() - done);
      if (sent <= 0) return;  // Receive() handles the closed connection
      done += static_cast<size_t>(sent);
    }
  }

  void Receive(uint32_t i) {
    Connection& connection = connections_[i];
    static char buffer[1 << 18];
    const ssize_t got = read(connection.descriptor, buffer, sizeof buffer);
    if (got <= 0) {
      broken_ += connection.busy && !over_;
      busy_ -= connection.busy;
      std::erase(idle_, i);
      close(connection.descriptor);
      if (!over_) Connect(i);
      return;
    }
    connection.received.append(buffer, static_cast<size_t>(got));
    if (!MessageBytes(connection.received)) return;
    if (!connection.busy) {  // refused before its request: too many connections
      ++turned_away_;
      connection.received.clear();
      std::erase(idle_, i);
      return;
    }
    --busy_;
    connection.busy = false;
    if (over_) return;
    const int status = std::atoi(connection.received.c_str() + 9);
    const double taken_us = NowUs() - connection.sent_us;
    ++statuses_[status];
    const bool refused = status == 429 || status == 503;
    (refused ? refused_us_ : answered_us_).push_back(taken_us);
    if (refused && !strcasestr(connection.received.c_str(), "retry-after: ")) ++without_advice_;
    if (strcasestr(connection.received.c_str(), "connection: close")) {
      close(connection.descriptor);
      return Connect(i);
    }
    connection.received.clear();
    idle_.push_back(i);
  }

  static double At(std::vector<double>& sorted, double share) {
    if (sorted.empty()) return 0;
    return sorted[std::min(sorted.size() - 1,
                           static_cast<size_t>(share * static_cast<double>(sorted.size())))];
  }

  void Print(double seconds) {
    std::sort(answered_us_.begin(), answered_us_.end());
    std::sort(refused_us_.begin(), refused_us_.end());
    long good = 0;
    for (auto [status, count] : statuses_) good += status >= 200 && status < 300 ? count : 0;
    std::printf(
        "{\"seconds\": %.3f, \"good\": %ld, \"per_s\": %.1f, \"p50_us\": %.1f, "
        "\"p99_us\": %.1f, \"refused\": %zu, \"refused_p99_us\": %.1f, "
        "\"refused_without_retry_after\": %ld, \"broken\": %ld, \"unsent\": %ld, "
        "\"turned_away\": %ld, \"other\": %ld}\n",
        seconds, good, static_cast<double>(good) / seconds, At(answered_us_, .5),
        At(answered_us_, .99), refused_us_.size(), At(refused_us_, .99), without_advice_, broken_,
        unsent_, turned_away_, static_cast<long>(answered_us_.size()) - good);
  }

  const int port_;
  const int epoll_ = epoll_create1(0);
  std::vector<Connection> connections_;
  std::vector<Prepared> requests_;
  const uint64_t seed_ = std::random_device()() * uint64_t{0x100000001};
  std::vector<uint32_t> idle_;
  std::vector<double> answered_us_, refused_us_;
  std::map<int, long> statuses_;
  size_t next_ = 0;
  bool once_ = false;
  double begun_ = 0;
  long unsent_ = 0, broken_ = 0, without_advice_ = 0, turned_away_ = 0, busy_ = 0;
  bool over_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  if (argc == 3 && !std::strcmp(argv[1], "floor")) return Floor(std::strtoul(argv[2], nullptr, 10));
  if (argc < 6 || std::strcmp(argv[1], "run")) {
    std::fprintf(stderr, "see the head of scripts/bench/http_load.cc\n");
    return 64;
  }
  std::vector<Prepared> requests =
      ReadRequests(argv[5], argc > 7 ? std::string(argv[7]) + "\r\n" : "");
  if (requests.empty()) {
    std::fprintf(stderr, "%s holds no requests\n", argv[5]);
    return 64;
  }
  Load load(std::atoi(argv[2]), std::strtoul(argv[3], nullptr, 10), std::move(requests));
  load.Run(std::atof(argv[4]), argc > 6 ? std::atof(argv[6]) : 0);
  return 0;
}
