// One message of a conversation as a value: its wire form and its weight. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace conversation {

struct Message {
  int64_t sequence = 0;  // 1.. within the conversation
  std::string role;      // user, assistant, tool, system
  std::string content;
  base::Json tool_calls;     // array, or null
  std::string tool_call_id;  // of a tool result
  bool is_error = false;     // the result of a call that failed
  int64_t created_ms = 0;    // 0: the time of Append
  bool checksum_ok = true;   // false: changed on disk; only inside lib/conversation
};

// Drops messages that changed on disk, the results of their calls and the calls of their results,
// since models refuse a call or a result alone.
std::vector<Message> DropCorrupt(std::vector<Message> messages);
// An estimate, characters / 3.
int64_t Tokens(const Message& message);
// At least the bytes of its JSON; more if calls of many small values need more memory than text.
size_t EncodedBytes(const Message& message);
// Parses the stored calls of a message; null: not JSON. kUnavailable, kTooLarge: the request's
// memory budget does not grant them.
base::Result<base::Json> DecodeCalls(const std::string& text);
// The ids of the calls that a message makes.
std::set<std::string> CallIds(const base::Json& tool_calls);

// {"messages": [{role, content, tool_calls?, tool_call_id?, is_error?}]} of POST …/messages.
base::Result<std::vector<Message>> DecodeMessages(const base::Json& body);
base::Json EncodeMessage(const Message& message);

}  // namespace conversation
