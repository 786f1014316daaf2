// System calls around one socket: send without blocking, wait with poll.
#include "lib/http/server/socket.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "lib/base/check.h"

namespace http {

namespace {

constexpr size_t kMaxPieces = 4;

// True: ready for `events`, or an error of the socket; false: after `timeout_ms`.
bool WaitFor(int descriptor, short events, int64_t timeout_ms) {
  pollfd poll_entry{descriptor, events, 0};
  int ready = 0;
  do {
    ready = ::poll(&poll_entry, 1, static_cast<int>(std::min<int64_t>(timeout_ms, INT32_MAX)));
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

}  // namespace

Sent SendSome(int descriptor, std::initializer_list<std::string_view> pieces) {
  CHECK(pieces.size() <= kMaxPieces);
  std::array<iovec, kMaxPieces> vectors{};
  size_t count = 0;
  for (const std::string_view piece : pieces) {
    if (piece.empty()) continue;
    vectors[count++] = {const_cast<char*>(piece.data()), piece.size()};
  }
  if (count == 0) return {};
  msghdr message{};
  message.msg_iov = vectors.data();
  message.msg_iovlen = count;
  ssize_t sent = 0;
  do {
    sent = ::sendmsg(descriptor, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  if (sent >= 0) return {static_cast<size_t>(sent), false};
  return {0, errno != EAGAIN && errno != EWOULDBLOCK};
}

bool SendAll(int descriptor, std::initializer_list<std::string_view> pieces, int64_t timeout_ms) {
  const Sent first = SendSome(descriptor, pieces);
  if (first.broken) return false;
  size_t skip = first.bytes;
  for (std::string_view piece : pieces) {
    const size_t done = std::min(skip, piece.size());
    skip -= done;
    piece.remove_prefix(done);
    while (!piece.empty()) {
      if (!WaitFor(descriptor, POLLOUT, timeout_ms)) return false;
      const Sent sent = SendSome(descriptor, {piece});
      if (sent.broken) return false;
      piece.remove_prefix(sent.bytes);
    }
  }
  return true;
}

Received ReceiveSome(int descriptor, std::string& out, size_t max_bytes, int64_t timeout_ms) {
  out.resize(max_bytes);
  while (true) {
    const ssize_t got = ::recv(descriptor, out.data(), max_bytes, MSG_DONTWAIT);
    if (got >= 0) {
      out.resize(static_cast<size_t>(got));
      return got == 0 ? Received::kEnd : Received::kBytes;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return Received::kBroken;
    if (!WaitFor(descriptor, POLLIN, timeout_ms)) return Received::kTimeout;
  }
}

}  // namespace http
