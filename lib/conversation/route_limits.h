// Limits of the routes of conversations, for their handlers and for the table of operations. Pure.
#pragma once

#include <cstddef>
#include <cstdint>

namespace conversation {

inline constexpr size_t kMaxMessagesBody = 8 << 20, kMaxCheckpointBody = 8 << 20;
inline constexpr size_t kMaxFieldBody = 1 << 20;            // 64 KiB of values, escaped
inline constexpr size_t kMaxLedgerText = 500;               // characters of an item or value
inline constexpr int64_t kMaxRenderedCharacters = 100'000;  // of a task
inline constexpr int64_t kMaxWindowTokens = 999'999'999'999;
inline constexpr int64_t kMaxMessageNumber = 1'000'000'000'000;

}  // namespace conversation
