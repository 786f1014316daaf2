// Pages (kHeadPage) are small, so that the transaction that closes a block reads at most a few.
#include "lib/conversation/block/block_digest.h"

namespace conversation {

using base::Status;

BlockDigest DigestOf(const Block& block) {
  BlockDigest digest;
  digest.number = block.number;
  digest.first = block.first;
  digest.up_to = block.first - 1;
  return digest;
}

void AddHeads(const HeadPage& page, BlockDigest& digest) {
  for (const BlockHead& head : page.heads) digest.compaction.Add(head.message, head.characters);
  digest.up_to = page.up_to;
}

Status ReadOn(const BlockReader& reader, const std::string& conversation, int64_t last,
              BlockDigest& digest) {
  while (digest.up_to < last) {
    HeadPage page;
    RETURN_IF_ERROR(reader([&](Rows& rows) -> Status {
      ASSIGN_OR_RETURN(page, rows.ReadHeads(conversation, digest.up_to, last, kHeadPage));
      return {};
    }));
    AddHeads(page, digest);
  }
  return {};
}

}  // namespace conversation
