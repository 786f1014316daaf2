// The served revisions of the Model Context Protocol and their differences: the marks of a
// request's revision, headers that repeat the body, the form of results. Pure. Source: the
// specification, revisions 2025-03-26, 2025-06-18, 2025-11-25 and 2026-07-28.
#pragma once

#include <optional>
#include <string>

#include "lib/http/message/message.h"
#include "sidecar/mcp/message.h"

namespace sidecar {

inline constexpr const char* kStatelessRevision = "2026-07-28";      // stateless
inline constexpr const char* kNewestSessionRevision = "2025-11-25";  // sessions
inline constexpr const char* kMiddleSessionRevision = "2025-06-18";
// Served like the next one, with batches; its clients send no header with the revision.
inline constexpr const char* kOldestSessionRevision = "2025-03-26";

inline constexpr const char* kVersionHeader = "MCP-Protocol-Version";
inline constexpr const char* kSessionHeader = "Mcp-Session-Id";
inline constexpr const char* kMethodHeader = "Mcp-Method";
inline constexpr const char* kNameHeader = "Mcp-Name";

bool IsSessionRevision(const std::string& version);

// The answer of initialize: the requested revision if it has sessions, else the newest with them.
std::string AgreedRevision(const std::string& asked);

// True for a request of 2026-07-28: named in its params, or in its header without a session; also
// for an unknown revision, and for server/discover.
bool IsStateless(const McpMessage& message, const http::Headers& headers);

// The error of a stateless request, in the order of the specification: missing _meta fields
// (-32602), headers that are missing, repeated or differ from the body (-32020), an unserved
// revision (-32022, with `supported`); nullopt: none.
std::optional<RpcError> RefuseStateless(const McpMessage& request, const http::Headers& headers);

// Sets the headers that repeat the body of a stateless request, for a client.
void MirrorIntoHeaders(const McpMessage& message, http::Headers& headers);

// The HTTP status for this error.
int StatusOfRpc(int code, bool stateless);

// Name, version and capabilities of this server: tools, without notifications of changes.
base::Json InitializeResult(const std::string& revision, const std::string& instructions);
base::Json DiscoverResult(const std::string& instructions);
// Adds the fields of every result of 2026-07-28; `cacheable`: a list that clients may cache.
base::Json StatelessResult(base::Json result, bool cacheable);

}  // namespace sidecar
