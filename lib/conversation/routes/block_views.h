// What routes read of blocks: compact forms, made where they are missing with most of the work
// outside the writer, and a context of them with all messages of the open block. Conversations from
// before kBlockStep are cut into blocks first. context_plan.h chooses the blocks of a context.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/conversation/block/block_digest.h"
#include "lib/conversation/block/blocks.h"
#include "lib/conversation/routes/host.h"
#include "lib/conversation/rows.h"

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

struct CompactMessagesView {
  base::Json messages = base::Json::array();
  size_t bytes = 0;
};
// nullopt: over `max_bytes`. Without a compact form the view is empty.
base::Result<std::optional<CompactMessagesView>> CompactView(Rows& rows,
                                                             const std::string& conversation,
                                                             int64_t number, size_t max_bytes);

// {"messages", "tokens", "budget", "blocks", "left_out"}. Considers the newest kMaxBlocksRead
// blocks. kTooLarge: the open block alone exceeds the limit of an answer.
inline constexpr int64_t kMaxBlocksRead = 10'000;
base::Result<base::Json> BuildContext(Rows& rows, const std::string& conversation,
                                      int64_t max_tokens);

}  // namespace conversation
