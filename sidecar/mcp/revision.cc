// Detects the revision of a request and checks the rules of that revision.
#include "sidecar/mcp/revision.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "lib/base/text/text.h"

namespace sidecar {
namespace {

using base::Json;

constexpr const char* kMetaVersion = "io.modelcontextprotocol/protocolVersion";
constexpr const char* kMetaCapabilities = "io.modelcontextprotocol/clientCapabilities";
constexpr const char* kMetaServer = "io.modelcontextprotocol/serverInfo";
constexpr std::string_view kEncodedBegin = "=?base64?", kEncodedEnd = "?=";
// Clients may cache the list of tools, which changes only with the policy.
constexpr int kListLifeMs = 5'000;

RpcError Mismatch(std::string why) { return {kHeaderMismatch, std::move(why), nullptr}; }

const Json* Meta(const McpMessage& message) {
  const Json* meta = base::At(message.params, {"_meta"});
  return meta != nullptr && meta->is_object() ? meta : nullptr;
}

constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int Base64Value(char c) {
  const size_t at = kBase64Digits.find(c);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

std::string EncodeBase64(std::string_view bytes) {
  std::string text;
  unsigned bits = 0, count = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    for (count += 8; count >= 6; count -= 6) text += kBase64Digits[bits >> (count - 6) & 0x3F];
  }
  if (count > 0) text += kBase64Digits[bits << (6 - count) & 0x3F];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

// Canonical base64 only: whole groups, padding only at the end, no unused bits set.
std::optional<std::string> DecodeBase64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const size_t digits = std::min(text.find('='), text.size());
  if (text.size() - digits > 2 || text.find_first_not_of('=', digits) != std::string_view::npos) {
    return std::nullopt;
  }
  std::string bytes;
  unsigned bits = 0, count = 0;
  for (const char c : text.substr(0, digits)) {
    const int value = Base64Value(c);
    if (value < 0) return std::nullopt;
    bits = bits << 6 | static_cast<unsigned>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFF);
    bits &= (1u << count) - 1;
  }
  if (bits != 0) return std::nullopt;
  return bytes;
}

// A header's value, decoded as in the body; nullopt: invalid encoding.
std::optional<std::string> PlainValue(const std::string& value) {
  const std::string_view text = value;
  if (!text.starts_with(kEncodedBegin) || !text.ends_with(kEncodedEnd) ||
      text.size() < kEncodedBegin.size() + kEncodedEnd.size()) {
    return value;
  }
  return DecodeBase64(
      text.substr(kEncodedBegin.size(), text.size() - kEncodedBegin.size() - kEncodedEnd.size()));
}

// A value of the body, encoded for a header if necessary.
std::string HeaderValue(const std::string& value) {
  const bool plain = std::ranges::all_of(value, [](char c) { return c > 0x20 && c < 0x7F; });
  if (plain && !value.empty() && !value.starts_with(kEncodedBegin)) return value;
  return std::string(kEncodedBegin) + EncodeBase64(value) + std::string(kEncodedEnd);
}

// The parameter that Mcp-Name must repeat; null: the method has none.
const char* NameParameter(const std::string& method) {
  if (method == "tools/call" || method == "prompts/get") return "name";
  return method == "resources/read" ? "uri" : nullptr;
}

std::optional<RpcError> RefuseRepeated(const http::Headers& headers) {
  for (const char* wanted : {kVersionHeader, kMethodHeader, kNameHeader}) {
    const auto count = std::ranges::count_if(headers.all(), [&](const auto& field) {
      return base::FoldCase(field.first) == base::FoldCase(wanted);
    });
    if (count > 1) return Mismatch(std::string(wanted) + " occurs more than once");
  }
  return std::nullopt;
}

std::optional<RpcError> RefuseHeaders(const McpMessage& request, const Json& version,
                                      const http::Headers& headers) {
  if (auto repeated = RefuseRepeated(headers)) return repeated;
  const auto given = headers.Get(kVersionHeader);
  if (!given) return Mismatch(std::string(kVersionHeader) + " is required");
  if (version != *given) {
    return Mismatch(std::string(kVersionHeader) + " is not the protocolVersion of params._meta");
  }
  const auto method = headers.Get(kMethodHeader);
  if (!method) return Mismatch(std::string(kMethodHeader) + " is required");
  if (*method != request.method) {
    return Mismatch(std::string(kMethodHeader) + " is not the method of the body");
  }
  const char* parameter = NameParameter(request.method);
  if (parameter == nullptr) return std::nullopt;
  const auto name = headers.Get(kNameHeader);
  if (!name) return Mismatch(std::string(kNameHeader) + " is required for " + request.method);
  const auto plain = PlainValue(*name);
  if (!plain || *plain != base::StringAt(request.params, {parameter})) {
    return Mismatch(std::string(kNameHeader) + " is not params." + parameter + " of the body");
  }
  return std::nullopt;
}

Json ServerInfo() {
  return {{"name", "agent-memory"}, {"title", "Agent memory"}, {"version", AGENT_MEMORY_VERSION}};
}

}  // namespace

bool IsSessionRevision(const std::string& version) {
  return version == kNewestSessionRevision || version == kMiddleSessionRevision ||
         version == kOldestSessionRevision;
}

std::string AgreedRevision(const std::string& asked) {
  return IsSessionRevision(asked) ? asked : kNewestSessionRevision;
}

bool IsStateless(const McpMessage& message, const http::Headers& headers) {
  if (const Json* meta = Meta(message); meta != nullptr && meta->contains(kMetaVersion))
    return true;
  const auto version = headers.Get(kVersionHeader);
  // In a session the header may name any served revision, whatever initialize agreed on.
  const bool in_session = headers.Get(kSessionHeader).has_value();
  if (version == kStatelessRevision && in_session) return false;
  if (version) return !IsSessionRevision(*version);
  return message.method == "server/discover";
}

std::optional<RpcError> RefuseStateless(const McpMessage& request, const http::Headers& headers) {
  const Json* meta = Meta(request);
  const Json* version = meta == nullptr ? nullptr : base::At(*meta, {kMetaVersion});
  const Json* capabilities = meta == nullptr ? nullptr : base::At(*meta, {kMetaCapabilities});
  if (version == nullptr || !version->is_string()) {
    return RpcError{kInvalidParams,
                    std::string("params._meta needs \"") + kMetaVersion + "\"; revision " +
                        kStatelessRevision + " is taken so, " + kNewestSessionRevision + " and " +
                        kOldestSessionRevision + " begin with initialize",
                    nullptr};
  }
  if (capabilities == nullptr || !capabilities->is_object()) {
    return RpcError{kInvalidParams, std::string("params._meta needs \"") + kMetaCapabilities + "\"",
                    nullptr};
  }
  if (auto mismatch = RefuseHeaders(request, *version, headers)) return mismatch;
  if (*version == kStatelessRevision) return std::nullopt;
  return RpcError{kUnsupportedVersion,
                  "this protocol version is not served",
                  {{"supported", {kStatelessRevision}}, {"requested", *version}}};
}

void MirrorIntoHeaders(const McpMessage& message, http::Headers& headers) {
  const Json* meta = Meta(message);
  const std::string version = meta == nullptr ? "" : base::StringAt(*meta, {kMetaVersion});
  headers.Set(kVersionHeader, version.empty() ? kStatelessRevision : HeaderValue(version));
  headers.Set(kMethodHeader, HeaderValue(message.method));
  const char* parameter = NameParameter(message.method);
  if (parameter == nullptr) return;
  headers.Set(kNameHeader, HeaderValue(base::StringAt(message.params, {parameter})));
}

int StatusOfRpc(int code, bool stateless) {
  if (code == kMethodNotFound) return stateless ? 404 : 200;
  if (code == kInternalError) return 200;
  return stateless || code == kParseError || code == kInvalidRequest ? 400 : 200;
}

Json InitializeResult(const std::string& revision, const std::string& instructions) {
  return {{"protocolVersion", revision},
          {"capabilities", {{"tools", Json::object()}}},
          {"serverInfo", ServerInfo()},
          {"instructions", instructions}};
}

Json DiscoverResult(const std::string& instructions) {
  return {{"supportedVersions", {kStatelessRevision}},
          {"capabilities", {{"tools", Json::object()}}},
          {"instructions", instructions}};
}

Json StatelessResult(Json result, bool cacheable) {
  result["resultType"] = "complete";
  result["_meta"][kMetaServer] = ServerInfo();
  if (cacheable) {
    result["ttlMs"] = kListLifeMs;
    // The list depends on the Agent's policy: private.
    result["cacheScope"] = "private";
  }
  return result;
}

}  // namespace sidecar
