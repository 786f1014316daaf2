// Sees to it that what a route reads of blocks is there: conversations from before there were
// blocks are cut, and compact forms that no close has made are made, most of the work outside the
// writer.
#pragma once

#include <optional>
#include <string>

#include "lib/conversation/block/block_digest.h"
#include "lib/conversation/block/blocks.h"
#include "lib/conversation/routes/host.h"

namespace conversation {

BlockReader ReaderOf(Host& host);
// kNotFound: there is no such conversation.
base::Status CutIfNeeded(Host& host, const std::string& id);
// Makes the missing forms of closed blocks, the newest first, of at most kFormsTogether blocks and
// kMessagesTogether messages (one block is always whole). → whether all have theirs now
inline constexpr int64_t kFormsTogether = 200, kMessagesTogether = 20'000;
base::Result<bool> MakeForms(Host& host, const std::string& id);
// The same of one closed block.
base::Status MakeForm(Host& host, const std::string& id, const Block& block);

}  // namespace conversation
