// Removes a conversation with all its rows, in small batches, so that no writer waits long.
#pragma once

#include <string>

#include "lib/base/result.h"
#include "lib/conversation/routes/host.h"

namespace conversation {

// Removes messages, blocks, checkpoints, task, working memory and ledger, each batch in its own
// commit; after an error the next call continues. → whether it removed anything. For a file with
// many owners.
base::Result<bool> RemoveWhole(Host& host, const std::string& id);

}  // namespace conversation
