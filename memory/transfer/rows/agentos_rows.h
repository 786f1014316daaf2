// Rows of an AgentOS brain, from its SQLite file or its JSON, under the names of our agentos-json.
// Pure. A field of the wrong type stays as it is: the validation that every row passes names the
// error.
#pragma once

#include "lib/base/json/json.h"

namespace memory {

// snake_case names become camelCase, tags, emotions and metadata that are JSON as text become JSON,
// the scopes session and global become thread and organization, a scope id in the metadata is the
// trace's.
base::Json TraceOfAgentOs(base::Json row);
bool IsDeletedThere(const base::Json& trace);
// source_id, target_id and type become from, to and kind.
base::Json EdgeOfAgentOs(base::Json row);
base::Json ConversationOfAgentOs(base::Json row);  // its title goes into the metadata
// Without a number where it has none, and without what our messages do not keep.
base::Json MessageOfAgentOs(base::Json row);

}  // namespace memory
