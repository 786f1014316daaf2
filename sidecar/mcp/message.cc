// Distinguishes the kinds of JSON-RPC messages by their keys.
#include "sidecar/mcp/message.h"

#include <utility>

#include "lib/base/text/inert.h"

namespace sidecar {
namespace {

using base::Json;
using MessageKind = McpMessage::Kind;

McpReading Refused(McpMessage message, int code, std::string why) {
  return {std::move(message), RpcError{code, std::move(why), nullptr}};
}

bool IsId(const Json& id) {
  if (id.is_string()) {
    const auto& text = id.get_ref<const std::string&>();
    return text.size() <= kMaxRpcIdBytes;
  }
  return id.is_number_integer();
}

McpReading ReadCall(McpMessage message, const Json& json) {
  const Json& method = json.at("method");
  if (!method.is_string() || method.get_ref<const std::string&>().empty()) {
    return Refused(std::move(message), kInvalidRequest, "method must be a string");
  }
  if (json.contains("result") || json.contains("error")) {
    return Refused(std::move(message), kInvalidRequest,
                   "a message has a method or an answer, not both");
  }
  message.method = method;
  message.kind = json.contains("id") ? MessageKind::kRequest : MessageKind::kNotification;
  if (const auto params = json.find("params"); params != json.end()) {
    if (!params->is_object()) {
      return Refused(std::move(message), kInvalidRequest, "params must be an object");
    }
    message.params = *params;
  }
  return {std::move(message), std::nullopt};
}

}  // namespace

McpReading ReadMcpMessage(std::string_view text) {
  McpMessage message;
  const auto json = base::ParseJson(text);
  if (!json) return Refused(std::move(message), kParseError, json.error().message);
  if (json->is_array()) {
    return Refused(std::move(message), kInvalidRequest,
                   "an array of messages is not taken: send one JSON-RPC message at a time");
  }
  if (!json->is_object()) {
    return Refused(std::move(message), kInvalidRequest, "a JSON-RPC message is an object");
  }
  if (const auto id = json->find("id"); id != json->end()) {
    if (!IsId(*id)) {
      return Refused(std::move(message), kInvalidRequest,
                     "id must be an integer or a string of at most " +
                         std::to_string(kMaxRpcIdBytes) + " bytes");
    }
    message.id = *id;
  }
  if (base::StringAt(*json, {"jsonrpc"}) != "2.0") {
    return Refused(std::move(message), kInvalidRequest, "jsonrpc must be \"2.0\"");
  }
  if (json->contains("method")) return ReadCall(std::move(message), *json);
  if (json->contains("result") == json->contains("error") || message.id.is_null()) {
    return Refused(std::move(message), kInvalidRequest,
                   "a message has a method, or an id and one of result and error");
  }
  message.kind = MessageKind::kResponse;
  return {std::move(message), std::nullopt};
}

Json RpcResult(const Json& id, Json result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

Json RpcFailure(const Json& id, const RpcError& error) {
  Json json = {{"jsonrpc", "2.0"},
               {"error", {{"code", error.code}, {"message", base::Inert(error.message)}}}};
  if (!id.is_null()) json["id"] = id;
  if (!error.data.is_null()) json["error"]["data"] = error.data;
  return json;
}

}  // namespace sidecar
