// One JSON-RPC message of the Model Context Protocol, strictly decoded, and encoded. Knows no
// method, no revision and no transport. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lib/base/json/json.h"

namespace sidecar {

// The codes of JSON-RPC 2.0, then those that MCP 2026-07-28 reserves.
inline constexpr int kParseError = -32700, kInvalidRequest = -32600, kMethodNotFound = -32601,
                     kInvalidParams = -32602, kInternalError = -32603;
inline constexpr int kHeaderMismatch = -32020, kUnsupportedVersion = -32022;
inline constexpr size_t kMaxRpcIdBytes = 256;

struct RpcError {
  int code = kInternalError;
  std::string message;
  base::Json data;  // null: none
};

struct McpMessage {
  enum class Kind { kRequest, kNotification, kResponse };
  Kind kind = Kind::kRequest;
  base::Json id;  // a string or an integer; null: none, or an invalid one
  std::string method;
  base::Json params = base::Json::object();
};

// `error` set: the text is no message; `message.id` is the id for the answer.
struct McpReading {
  McpMessage message;
  std::optional<RpcError> error;
};

// Reads exactly one request, notification or response. Refuses text that is no JSON, repeated keys
// (another reader may take the other value), arrays, ids that are neither string nor integer, and a
// message that is request and response at once.
McpReading ReadMcpMessage(std::string_view text);

base::Json RpcResult(const base::Json& id, base::Json result);
base::Json RpcFailure(const base::Json& id, const RpcError& error);  // omits a null id

}  // namespace sidecar
