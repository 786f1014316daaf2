// Blocking reads and writes with deadlines on one TCP connection.
#include "lib/testing/raw_socket.h"

#include <arpa/inet.h>
#include <poll.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "lib/base/check.h"
#include "lib/base/process/clock.h"

namespace testing {

namespace {

int64_t NowMs() { return base::SystemClock().MonotonicMs(); }

bool WaitFor(int descriptor, short events, int64_t deadline_ms) {
  pollfd entry{descriptor, events, 0};
  const int64_t left_ms = deadline_ms - NowMs();
  return left_ms > 0 && ::poll(&entry, 1, static_cast<int>(left_ms)) > 0;
}

// The value of a header in a head; empty: missing.
std::string Field(std::string_view head, std::string_view name) {
  for (size_t begin = 0; begin < head.size();) {
    const size_t end = std::min(head.find("\r\n", begin), head.size());
    const std::string line(head.substr(begin, end - begin));
    if (line.size() > name.size() && line[name.size()] == ':' &&
        strncasecmp(line.data(), name.data(), name.size()) == 0) {
      return line.substr(line.find_first_not_of(' ', name.size() + 1));
    }
    begin = end + 2;
  }
  return {};
}

}  // namespace

RawSocket::RawSocket(int port, const char* source)
    : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  CHECK(::inet_pton(AF_INET, source, &address.sin_addr) == 1);
  CHECK(::bind(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK(::connect(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
}

RawSocket::RawSocket(RawSocket&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      closed_(other.closed_),
      received_(std::move(other.received_)) {}

RawSocket::~RawSocket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool RawSocket::Send(std::string_view bytes, int64_t timeout_ms) {
  while (!bytes.empty()) {
    if (!WaitFor(descriptor_, POLLOUT, NowMs() + timeout_ms)) return false;
    const ssize_t sent =
        ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN) return false;
    if (sent > 0) bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

void RawSocket::ShutdownWrite() { ::shutdown(descriptor_, SHUT_WR); }

void RawSocket::Reset() {
  const linger at_once{1, 0};
  ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  ::close(std::exchange(descriptor_, -1));
}

bool RawSocket::Receive(int64_t deadline_ms) {
  if (closed_ || !WaitFor(descriptor_, POLLIN, deadline_ms)) return false;
  char bytes[16 << 10];
  const ssize_t got = ::recv(descriptor_, bytes, sizeof bytes, 0);
  closed_ = got <= 0;
  was_reset_ = got < 0 && errno == ECONNRESET;
  if (got > 0) received_.append(bytes, static_cast<size_t>(got));
  return got > 0;
}

std::string RawSocket::ReadAll(int64_t timeout_ms) {
  const int64_t deadline_ms = NowMs() + timeout_ms;
  while (Receive(deadline_ms)) {
  }
  return std::exchange(received_, {});
}

std::string RawSocket::ReadUntil(std::string_view end, int64_t timeout_ms) {
  const int64_t deadline_ms = NowMs() + timeout_ms;
  size_t found = received_.find(end);
  while (found == std::string::npos && Receive(deadline_ms)) found = received_.find(end);
  const size_t bytes = found == std::string::npos ? received_.size() : found + end.size();
  std::string text = received_.substr(0, bytes);
  received_.erase(0, bytes);
  return text;
}

std::string RawSocket::ReadAnswer(int64_t timeout_ms) {
  const int64_t deadline_ms = NowMs() + timeout_ms;
  std::string answer = ReadUntil("\r\n\r\n", timeout_ms);
  if (strcasecmp(Field(answer, "Transfer-Encoding").c_str(), "chunked") == 0) {
    return answer + ReadUntil("0\r\n\r\n", deadline_ms - NowMs());
  }
  const std::string length = Field(answer, "Content-Length");
  const size_t bytes = length.empty() ? 0 : std::stoul(length);
  while (received_.size() < bytes && Receive(deadline_ms)) {
  }
  answer += received_.substr(0, bytes);
  received_.erase(0, bytes);
  return answer;
}

std::string Exchange(int port, std::string_view request, int64_t timeout_ms) {
  RawSocket socket(port);
  socket.Send(request, timeout_ms);
  return socket.ReadAll(timeout_ms);
}

int StatusOf(std::string_view answer) {
  if (!answer.starts_with("HTTP/1.1 ") || answer.size() < 12) return 0;
  return (answer[9] - '0') * 100 + (answer[10] - '0') * 10 + (answer[11] - '0');
}

}  // namespace testing
