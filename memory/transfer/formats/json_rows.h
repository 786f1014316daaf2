// Streams an import that is one JSON text: ours, the reference service's, AgentOS', engram's,
// mem0's or ChatGPT's.
#pragma once

#include "lib/http/message/message.h"
#include "memory/transfer/rows/foreign_rows.h"
#include "memory/transfer/rows/importer.h"

namespace memory {

// `defaults.format`: json (and agentops: the same), agentos-json, mem0, engram, chatgpt, or auto:
// then fields and elements tell. Errors as ReadElements; kInvalid: a format that is not ours.
base::Status ReadJsonRows(http::BodyReader& body, const ForeignDefaults& defaults,
                          Importer& importer);

}  // namespace memory
