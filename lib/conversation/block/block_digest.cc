// Reads the parts of messages that a compact form needs.
#include "lib/conversation/block/block_digest.h"

#include <algorithm>
#include <utility>

namespace conversation {
namespace {

using base::Result;
using base::Status;

constexpr int64_t kPageMessages = 200, kPageCharacters = 1 << 20;

Result<BlockHead> ReadHead(const sqlite::Statement& row, const std::string& calls) {
  BlockHead head;
  head.message.sequence = row.Int(0);
  head.message.role = row.Text(1);
  head.message.content = row.Text(2);
  head.characters = row.Int(3);
  if (!calls.empty()) {
    ASSIGN_OR_RETURN(head.message.tool_calls, DecodeCalls(calls));
  }
  head.message.tool_call_id = row.Text(5);
  head.message.is_error = row.Int(7) != 0;
  return head;
}

}  // namespace

BlockDigest DigestOf(const Block& block) {
  BlockDigest digest;
  digest.number = block.number;
  digest.first = block.first;
  digest.up_to = block.first - 1;
  return digest;
}

Result<HeadPage> ReadHeads(sqlite::Database& db, const std::string& conversation, int64_t after,
                           int64_t to) {
  ASSIGN_OR_RETURN(
      auto query,
      db.Prepare("SELECT sequence, role, substr(content, 1, ?4), length(content), tool_calls,"
                 " tool_call_id, row_is_sound('messages', number, checksum, conversation, sequence,"
                 " role, content, tool_calls, tool_call_id, created_ms), is_error FROM messages"
                 " WHERE conversation = ?1 AND sequence > ?2 AND sequence <= ?3"
                 " ORDER BY sequence LIMIT ?5"));
  query.Bind(conversation).Bind(after).Bind(to);
  query.Bind(static_cast<int64_t>(kHeadCharacters)).Bind(kPageMessages);
  HeadPage page;
  int64_t rows = 0, characters = 0;
  bool full = false;
  RETURN_IF_ERROR(query.ForEachRow([&](const sqlite::Statement& row) -> Result<bool> {
    const std::string calls = row.Text(4);
    page.up_to = row.Int(0);
    if (row.Int(6) != 0) {
      ASSIGN_OR_RETURN(page.heads.emplace_back(), ReadHead(row, calls));
    }
    characters += row.Int(3) + static_cast<int64_t>(calls.size());
    full = ++rows == kPageMessages || characters >= kPageCharacters;
    return !full;
  }));
  if (!full) page.up_to = std::max(to, after);
  return page;
}

void AddHeads(const HeadPage& page, BlockDigest& digest) {
  for (const BlockHead& head : page.heads) digest.compaction.Add(head.message, head.characters);
  digest.up_to = page.up_to;
}

Status ReadOn(const BlockReader& reader, const std::string& conversation, int64_t last,
              BlockDigest& digest) {
  while (digest.up_to < last) {
    HeadPage page;
    RETURN_IF_ERROR(reader([&](sqlite::Database& db) -> Status {
      ASSIGN_OR_RETURN(page, ReadHeads(db, conversation, digest.up_to, last));
      return {};
    }));
    AddHeads(page, digest);
  }
  return {};
}

}  // namespace conversation
