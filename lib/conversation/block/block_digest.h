// Reads the heads of a block's messages in pages, so that closing a large block does not hold the
// writer: most pages are read before the transaction, the rest inside it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/conversation/block/block.h"
#include "lib/conversation/block/compaction.h"
#include "lib/sqlite/database.h"

namespace conversation {

struct BlockDigest {
  int64_t number = 0, first = 1, up_to = 0;  // up_to: the last message that was read
  Compaction compaction;
  bool IsOf(const Block& block) const { return number == block.number && first == block.first; }
};
BlockDigest DigestOf(const Block& block);  // without read messages

struct BlockHead {
  Message message;         // its content is a head of kHeadCharacters
  int64_t characters = 0;  // of the whole content
};
struct HeadPage {
  std::vector<BlockHead> heads;
  int64_t up_to = 0;  // the last message that the page covers
};
// Reads at most 200 messages after `after` up to number `to`, with about 1 MiB of contents. Leaves
// out rows that changed on disk.
base::Result<HeadPage> ReadHeads(sqlite::Database& db, const std::string& conversation,
                                 int64_t after, int64_t to);
void AddHeads(const HeadPage& page, BlockDigest& digest);

// Runs a function in a read transaction, possibly more than once.
using BlockReader =
    std::function<base::Status(const std::function<base::Status(sqlite::Database&)>&)>;
// Continues up to message `last`, each page in its own read transaction.
base::Status ReadOn(const BlockReader& reader, const std::string& conversation, int64_t last,
                    BlockDigest& digest);

}  // namespace conversation
