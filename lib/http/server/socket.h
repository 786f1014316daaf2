// Sends to and receives from the descriptor of a connection, on the thread that it is lent to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace http {

struct Sent {
  size_t bytes = 0;     // less than all: the socket's buffer is full
  bool broken = false;  // the client is gone
};

// One attempt that does not block; at most 4 pieces.
Sent SendSome(int descriptor, std::initializer_list<std::string_view> pieces);

// Sends all bytes; waits up to `timeout_ms` whenever the socket's buffer is full. False: the client
// is gone or too slow.
bool SendAll(int descriptor, std::initializer_list<std::string_view> pieces, int64_t timeout_ms);

enum class Received { kBytes, kEnd, kTimeout, kBroken };
// Blocks up to `timeout_ms` for bytes, which replace `out`.
Received ReceiveSome(int descriptor, std::string& out, size_t max_bytes, int64_t timeout_ms);

}  // namespace http
