// One thread, one connection at a time, and short waits, so that the destructor can stop it.
#include "lib/testing/http_script.h"

#include <arpa/inet.h>
#include <poll.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/base/check.h"

namespace testing {

namespace {

bool WaitReadable(const std::stop_token& stop, int descriptor) {
  while (!stop.stop_requested()) {
    pollfd entry{descriptor, POLLIN, 0};
    if (::poll(&entry, 1, 5) > 0) return true;
  }
  return false;
}

// The size of the request at the front of `text`; 0: incomplete.
size_t RequestBytes(const std::string& text) {
  const size_t end = text.find("\r\n\r\n");
  if (end == std::string::npos) return 0;
  size_t length = 0;
  for (size_t at = text.find("\r\n"); at < end; at = text.find("\r\n", at + 2)) {
    constexpr std::string_view kName = "Content-Length:";
    if (strncasecmp(text.c_str() + at + 2, kName.data(), kName.size()) == 0) {
      length = std::stoul(text.substr(at + 2 + kName.size()));
    }
  }
  return text.size() >= end + 4 + length ? end + 4 + length : 0;
}

void Drip(const std::stop_token& stop, int descriptor) {
  while (!stop.stop_requested()) {
    if (::send(descriptor, "x", 1, MSG_NOSIGNAL) < 0) return;
    ::poll(nullptr, 0, 10);
  }
}

// Ends when the peer closes, too.
void Flood(const std::stop_token& stop, int descriptor, const std::string& piece) {
  std::string many;
  while (many.size() < (64 << 10)) many += piece;
  size_t sent = 0;  // of `many`
  while (!stop.stop_requested()) {
    pollfd entry{descriptor, POLLOUT, 0};
    if (::poll(&entry, 1, 5) <= 0) continue;
    const ssize_t more =
        ::send(descriptor, many.data() + sent, many.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (more < 0) return;
    sent = (sent + static_cast<size_t>(more)) % many.size();
  }
}

}  // namespace

HttpScript::HttpScript() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK(::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  CHECK(::listen(listener_, 16) == 0);
  socklen_t length = sizeof address;
  CHECK(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length) == 0);
  port_ = ntohs(address.sin_port);
  thread_ = std::jthread([this](const std::stop_token& stop) { Serve(stop); });
}

HttpScript::~HttpScript() {
  thread_.request_stop();
  thread_.join();
  ::close(listener_);
}

void HttpScript::Add(Step step) {
  const std::lock_guard lock(mutex_);
  steps_.push_back(std::move(step));
}

void HttpScript::Serve(const std::stop_token& stop) {
  while (WaitReadable(stop, listener_)) {
    const int descriptor = ::accept(listener_, nullptr, nullptr);
    if (descriptor < 0) continue;
    ++connections_;
    ServeConnection(stop, descriptor);
    ::close(descriptor);
  }
}

void HttpScript::ServeConnection(const std::stop_token& stop, int descriptor) {
  std::string received;
  while (true) {
    while (RequestBytes(received) == 0) {
      char bytes[64 << 10];
      if (!WaitReadable(stop, descriptor)) return;
      const ssize_t got = ::recv(descriptor, bytes, sizeof bytes, 0);
      if (got <= 0) return;
      received.append(bytes, static_cast<size_t>(got));
    }
    received.erase(0, RequestBytes(received));
    ++requests_;
    Step step{"", kClose, ""};
    {
      const std::lock_guard lock(mutex_);
      if (!steps_.empty()) {
        step = std::move(steps_.front());
        steps_.pop_front();
      }
    }
    ::send(descriptor, step.answer.data(), step.answer.size(), MSG_NOSIGNAL);
    if (step.then == kClose) return;
    if (step.then == kDrip) return Drip(stop, descriptor);
    if (step.then == kFlood) return Flood(stop, descriptor, step.piece);
    if (step.then == kReset) {
      const linger at_once{1, 0};
      ::setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
      return;
    }
    if (step.then == kSilence) {
      while (!stop.stop_requested()) ::poll(nullptr, 0, 5);
      return;
    }
  }
}

}  // namespace testing
