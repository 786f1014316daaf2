// Reads the heads of a block's messages in pages, so that closing a large block does not hold the
// writer: most pages are read before the transaction, the rest inside it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "lib/base/result.h"
#include "lib/conversation/block/compaction.h"
#include "lib/conversation/rows.h"

namespace conversation {

struct BlockDigest {
  int64_t number = 0, first = 1, up_to = 0;  // up_to: the last message that was read
  Compaction compaction;
  bool IsOf(const Block& block) const { return number == block.number && first == block.first; }
};
BlockDigest DigestOf(const Block& block);  // without read messages

inline constexpr HeadLimits kHeadPage = {static_cast<int64_t>(kHeadCharacters), 200, 1 << 20};
void AddHeads(const HeadPage& page, BlockDigest& digest);

// Runs a function in a read transaction, possibly more than once.
using BlockReader = std::function<base::Status(const std::function<base::Status(Rows&)>&)>;
// Continues up to message `last`, each page in its own read transaction.
base::Status ReadOn(const BlockReader& reader, const std::string& conversation, int64_t last,
                    BlockDigest& digest);

}  // namespace conversation
