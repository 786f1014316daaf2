// The revisions of the Model Context Protocol that are spoken here, and what of them differs: how a
// request says which one it is, what its headers must repeat, how a result is dressed. Pure.
// Source: the specification, revisions 2025-06-18, 2025-11-25 and 2026-07-28.
#pragma once

#include <optional>
#include <string>

#include "lib/http/message/message.h"
#include "sidecar/mcp/message.h"

namespace sidecar {

inline constexpr const char* kStatelessRevision =
    "2026-07-28";  // each request says all about itself
inline constexpr const char* kNewestSessionRevision = "2025-11-25";  // begin with initialize
inline constexpr const char* kOldestSessionRevision = "2025-06-18";

inline constexpr const char* kVersionHeader = "MCP-Protocol-Version";
inline constexpr const char* kSessionHeader = "Mcp-Session-Id";
inline constexpr const char* kMethodHeader = "Mcp-Method";
inline constexpr const char* kNameHeader = "Mcp-Name";

bool IsSessionRevision(const std::string& version);

// What initialize is answered: the asked revision where it has sessions, else the newest that has.
std::string AgreedRevision(const std::string& asked);

// True when the request is to be judged by 2026-07-28: it says so in its params, or in its header
// and names no session, names a revision that nobody knows, or uses that revision's own method.
bool IsStateless(const McpMessage& message, const http::Headers& headers);

// Why a stateless request is refused, in the order of the specification: the _meta fields that it
// must have (-32602), headers that are missing, repeated or say something else than the body
// (-32020), a revision that is not served (-32022, with `supported`).
std::optional<RpcError> RefuseStateless(const McpMessage& request, const http::Headers& headers);

// The other direction: sets the headers that repeat what the body of a stateless request says.
void MirrorIntoHeaders(const McpMessage& message, http::Headers& headers);

// The status of an HTTP answer with this error.
int StatusOfRpc(int code, bool stateless);

// What clients may show of us, and the capabilities that there are: tools, whose list is asked for
// and not announced.
base::Json InitializeResult(const std::string& revision, const std::string& instructions);
base::Json DiscoverResult(const std::string& instructions);
// With what 2026-07-28 wants in every result; `cacheable`: a list that may be kept for a while.
base::Json StatelessResult(base::Json result, bool cacheable);

}  // namespace sidecar
