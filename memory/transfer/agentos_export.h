// GET /export?format=agentos-json: everything that AgentOS' JSON has a place for.
#pragma once

#include "memory/api/handlers.h"

namespace memory {

// Streams; with `includeEmbeddings` the vectors, without `includeConversations=false` the caller's
// conversations, unless it is of one project.
http::Response ExportAgentOs(const Api& api, const http::Request& request);

}  // namespace memory
