// Validates bodies that lib/api does not decode, and query parameters. Pure. Every error names the
// field, its limit and the value.
#pragma once

#include "lib/http/message/message.h"
#include "memory/keeping/cells.h"
#include "memory/rows/writes.h"
#include "memory/store/reads.h"

namespace memory {

base::Result<base::Json> ObjectBody(const http::Request& request);     // strict JSON, an object
base::Result<base::Json> BodyOrNothing(const http::Request& request);  // {} of an empty body

struct NewSession {
  std::string id, project, predecessor;
};
base::Result<NewSession> DecodeNewSession(const base::Json& body);
base::Result<Patch> DecodePatch(const base::Json& body);
base::Result<api::SummaryMessage> DecodeSummaryMessage(const base::Json& message);
base::Result<api::Session> DecodeSession(const base::Json& json);  // of an export

// A whole number of the query, or `fallback` when absent; more than api::kMaxRows counts as that.
base::Result<size_t> CountParameter(const http::Request& request, const char* name,
                                    size_t fallback);
// A whole number from 1 on; absent: nullopt.
base::Result<std::optional<int64_t>> NumberParameter(const http::Request& request,
                                                     const char* name);
base::Result<bool> FlagParameter(const http::Request& request, const char* name,
                                 bool fallback = false);
base::Result<Filter> FilterOf(const http::Request& request, size_t default_limit);
// RFC 3339, or whole milliseconds since 1970; absent: nullopt.
base::Result<std::optional<int64_t>> TimeParameter(const http::Request& request, const char* name);
std::optional<std::string> TextParameter(const http::Request& request,
                                         const char* name);  // blank: absent
// If-Match: "<version>" or *; If-None-Match: *. kInvalid names the header and its value.
base::Result<Precondition> DecodePrecondition(const http::Headers& headers);
// The project of a request: of the query, else of the body, else `default`.
base::Result<std::string> ProjectOf(const http::Request& request, const base::Json& body);
// The id of a user, an Agent or a conversation; blank and absent: kDefaultScopeId.
base::Result<std::string> ScopeIdIn(const std::optional<std::string>& given, const char* field);
// By X-Memory-User, X-Memory-Agent and `conversation` of the query; without both headers nullopt.
base::Result<std::optional<Viewer>> ViewerOf(const http::Request& request);
base::Result<int64_t> IdOf(std::string_view text);  // kNotFound for what can be no id
base::Result<std::string> IdempotencyKeyOf(const http::Request& request);  // "" without one

}  // namespace memory
