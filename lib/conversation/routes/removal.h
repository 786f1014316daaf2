// Removes a conversation with all that hangs on it, in small pieces, so that no writer waits long.
#pragma once

#include <string>

#include "lib/base/result.h"
#include "lib/conversation/routes/host.h"

namespace conversation {

// Messages, blocks, checkpoints, task, working memory and ledger, each piece in a commit of its
// own; what broke off is gone on with by the next call. → whether there was anything. For a file
// with many owners (kOwnerStep).
base::Result<bool> RemoveWhole(Host& host, const std::string& id);

}  // namespace conversation
