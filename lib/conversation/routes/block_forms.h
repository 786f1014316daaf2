// Prepares blocks for the routes that read them: cuts conversations from before kBlockStep, and
// makes missing compact forms, with most of the work outside the writer.
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
// Makes missing compact forms of closed blocks, the newest first, for at most kFormsTogether blocks
// and kMessagesTogether messages (at least one block). → whether all forms exist now
inline constexpr int64_t kFormsTogether = 200, kMessagesTogether = 20'000;
base::Result<bool> MakeForms(Host& host, const std::string& id);
// Makes the compact form of one closed block.
base::Status MakeForm(Host& host, const std::string& id, const Block& block);

}  // namespace conversation
