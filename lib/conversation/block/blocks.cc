// A block is only a range of message numbers; messages never change or move. What is expensive, the
// compact form of a large block, is read in pages before the transaction (BlockDigest), and the
// transaction reads at most a few pages more: a block of 100,000 messages must not hold the writer.
// If more messages are missing, the block is closed without its form, which is made on demand.
#include "lib/conversation/block/blocks.h"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>

#include "lib/base/text/text.h"
#include "lib/conversation/conversations.h"

namespace conversation {
namespace {

using base::Json;
using base::Result;
using base::Status;

constexpr int kPagesInTransaction = 2;  // of heads, while holding the writer
constexpr int64_t kCataloguePage = 20;

// Sets the fields of a closed block from its digest, and stores its compact form.
Status SaveDigested(Rows& rows, const std::string& conversation, BlockRow& stored,
                    const Compaction& compaction) {
  Block& block = stored.block;
  const auto parts = compaction.Parts();
  block.query = compaction.Query();
  block.tools = compaction.Tools();
  block.tokens = compaction.Tokens(parts);
  block.summary = BlockSummary(block.query, block.tools,
                               stored.outcome.empty() ? compaction.Outcome() : stored.outcome);
  block.digested = true;
  RETURN_IF_ERROR(rows.SaveBlock(conversation, stored));
  return rows.SaveParts(conversation, block.number, base::DumpJson(EncodeParts(parts)));
}

Result<int64_t> MessageCount(Rows& rows, const std::string& conversation) {
  ASSIGN_OR_RETURN(const auto found, rows.FindConversation(conversation));
  return found ? found->message_count : int64_t{0};
}

Result<int64_t> Begin(Rows& rows, const std::string& conversation,
                      const std::optional<BlockRow>& latest, int64_t first,
                      const std::string& query, int64_t now_ms) {
  BlockRow stored;
  stored.block.number = latest ? latest->block.number + 1 : 0;
  stored.block.first = first;
  stored.block.query = query;
  stored.block.opened_ms = now_ms;
  RETURN_IF_ERROR(rows.SaveBlock(conversation, stored));
  return stored.block.number;
}

Status OpenAgain(Rows& rows, const std::string& conversation, BlockRow stored) {
  RETURN_IF_ERROR(rows.SaveParts(conversation, stored.block.number, std::nullopt));
  stored.block.open = true;
  stored.block.digested = false;
  stored.block.closed_ms = 0;
  stored.block.tokens = 0;
  stored.block.summary.clear();
  stored.block.tools.clear();
  return rows.SaveBlock(conversation, stored);
}

// The user's request, if the first message that is not the system's is the user's.
std::optional<std::string> QueryOf(const std::vector<Message>& messages) {
  const auto first = std::ranges::find_if(
      messages, [](const Message& message) { return message.role != "system"; });
  if (first == messages.end() || first->role != "user") return std::nullopt;
  return std::string(base::Prefix(first->content, kQueryCharacters));
}

}  // namespace

Result<int64_t> AppendToBlock(Rows& rows, const std::string& conversation,
                              const std::vector<Message>& messages, int64_t now_ms, TurnPlace place,
                              const BlockDigest* prepared) {
  ASSIGN_OR_RETURN(const bool uncut, IsUncut(rows, conversation));
  if (uncut) RETURN_IF_ERROR(CutIntoBlocks(rows, conversation));
  if (place == TurnPlace::kBegins) {
    ASSIGN_OR_RETURN(const auto closed, CloseBlock(rows, conversation, now_ms, prepared));
  }
  ASSIGN_OR_RETURN(const auto latest, rows.LatestBlock(conversation));
  const auto query = QueryOf(messages);
  const bool begins = place == TurnPlace::kGoesOn || query;
  if (messages.empty() || (latest && latest->block.open) || !begins) {
    return Append(rows, conversation, messages, now_ms);
  }
  ASSIGN_OR_RETURN(const auto found, GetOrCreate(rows, conversation, now_ms));
  const int64_t last = found.message_count;
  const bool again =
      place == TurnPlace::kGoesOn && latest && latest->sound && latest->block.last == last;
  if (again) {
    RETURN_IF_ERROR(OpenAgain(rows, conversation, *latest));
  } else {
    ASSIGN_OR_RETURN([[maybe_unused]] const int64_t number,
                     Begin(rows, conversation, latest, last + 1, query.value_or(""), now_ms));
  }
  return Append(rows, conversation, messages, now_ms);
}

Result<int64_t> BeginBlock(Rows& rows, const std::string& conversation, int64_t now_ms) {
  ASSIGN_OR_RETURN(const auto latest, rows.LatestBlock(conversation));
  ASSIGN_OR_RETURN(const int64_t last, MessageCount(rows, conversation));
  return Begin(rows, conversation, latest, last + 1, "", now_ms);
}

Result<std::optional<Block>> CloseBlock(Rows& rows, const std::string& conversation, int64_t now_ms,
                                        const BlockDigest* prepared, const std::string& outcome) {
  ASSIGN_OR_RETURN(auto latest, rows.LatestBlock(conversation));
  if (!latest || !latest->block.open) return std::optional<Block>();
  Block& block = latest->block;
  block.open = false;
  block.closed_ms = now_ms;
  latest->outcome = base::Prefix(outcome, kHeadCharacters);
  const bool fits = prepared != nullptr && prepared->IsOf(block);
  BlockDigest digest = fits ? *prepared : DigestOf(block);
  for (int page = 0; page < kPagesInTransaction && digest.up_to < block.last; ++page) {
    ASSIGN_OR_RETURN(const HeadPage heads,
                     rows.ReadHeads(conversation, digest.up_to, block.last, kHeadPage));
    AddHeads(heads, digest);
  }
  if (digest.up_to >= block.last) {
    RETURN_IF_ERROR(SaveDigested(rows, conversation, *latest, digest.compaction));
  } else {
    RETURN_IF_ERROR(rows.SaveBlock(conversation, *latest));
  }
  return std::optional<Block>(std::move(block));
}

Result<std::optional<BlockDigest>> PrepareClose(const BlockReader& reader,
                                                const std::string& conversation) {
  std::optional<Block> open;
  RETURN_IF_ERROR(reader([&](Rows& rows) -> Status {
    ASSIGN_OR_RETURN(open, FindOpenBlock(rows, conversation));
    return {};
  }));
  if (!open) return std::optional<BlockDigest>();
  std::optional<BlockDigest> digest = DigestOf(*open);
  RETURN_IF_ERROR(ReadOn(reader, conversation, open->last, *digest));
  return digest;
}

Status KeepDigest(Rows& rows, const std::string& conversation, const BlockDigest& digest) {
  ASSIGN_OR_RETURN(auto stored, rows.FindBlock(conversation, digest.number));
  if (!stored || !stored->sound || stored->block.open || !digest.IsOf(stored->block)) return {};
  if (digest.up_to < stored->block.last) return {};
  return SaveDigested(rows, conversation, *stored, digest.compaction);
}

Result<std::optional<Block>> FindBlock(Rows& rows, const std::string& conversation,
                                       int64_t number) {
  ASSIGN_OR_RETURN(auto found, rows.FindBlock(conversation, number));
  return found && found->sound ? std::optional(std::move(found->block)) : std::nullopt;
}

Result<std::optional<Block>> FindOpenBlock(Rows& rows, const std::string& conversation) {
  ASSIGN_OR_RETURN(auto latest, rows.LatestBlock(conversation));  // no other block can be open
  const bool open = latest && latest->sound && latest->block.open;
  return open ? std::optional(std::move(latest->block)) : std::nullopt;
}

Result<std::vector<BlockSize>> ClosedSizes(Rows& rows, const std::string& conversation,
                                           int64_t limit) {
  ASSIGN_OR_RETURN(const auto blocks, rows.NewestClosedBlocks(conversation, true, limit));
  std::vector<BlockSize> sizes;
  for (const Block& block : blocks) sizes.push_back({block.number, block.tokens});
  return sizes;
}

Result<std::optional<std::vector<CompactPart>>> FindParts(Rows& rows,
                                                          const std::string& conversation,
                                                          int64_t number) {
  ASSIGN_OR_RETURN(const auto text, rows.FindParts(conversation, number));
  std::optional<std::vector<CompactPart>> parts;
  if (!text) return parts;
  ASSIGN_OR_RETURN(const Json json, base::ParseJson(*text));
  ASSIGN_OR_RETURN(parts, DecodeParts(json));
  return parts;
}

Result<bool> IsUncut(Rows& rows, const std::string& conversation) {
  ASSIGN_OR_RETURN(const auto latest, rows.LatestBlock(conversation));
  if (latest) return false;
  ASSIGN_OR_RETURN(const auto requests, rows.UserRequests(conversation, 0, 1));
  return !requests.empty();
}

Status CutIntoBlocks(Rows& rows, const std::string& conversation) {
  ASSIGN_OR_RETURN(const auto found, rows.FindConversation(conversation));
  if (!found) return {};
  ASSIGN_OR_RETURN(auto requests,
                   rows.UserRequests(conversation, int64_t{kQueryCharacters}, kMostOldBlocks));
  std::vector<BlockRow> blocks;
  int64_t last = found->message_count, closed_ms = found->updated_ms;
  const auto add = [&](int64_t first, int64_t opened_ms, std::string query) {
    Block& block = blocks.emplace_back().block;
    block.first = first;
    block.last = last;
    block.open = false;
    block.query = std::move(query);
    block.opened_ms = opened_ms;
    block.closed_ms = closed_ms;
    last = first - 1;
    closed_ms = opened_ms;
  };
  for (UserRequest& request : requests)
    add(request.sequence, request.created_ms, std::move(request.head));
  if (last > 0) {
    if (std::ssize(blocks) < kMostOldBlocks && !blocks.empty()) {
      blocks.back().block.first = 1;
    } else {
      add(1, found->created_ms, "");
    }
  }
  for (size_t i = 0; i < blocks.size(); ++i) {
    BlockRow& stored = blocks[blocks.size() - 1 - i];
    stored.block.number = static_cast<int64_t>(i);
    RETURN_IF_ERROR(rows.SaveBlock(conversation, stored));
  }
  return {};
}

Result<int64_t> NextBlock(Rows& rows, const std::string& conversation) {
  ASSIGN_OR_RETURN(const auto latest, rows.LatestBlock(conversation));
  return latest ? latest->block.number + 1 : 0;
}

Result<std::vector<std::string>> Catalogue(Rows& rows, const std::string& conversation,
                                           int64_t from, size_t max_characters) {
  std::vector<std::string> lines;
  ASSIGN_OR_RETURN(int64_t to, NextBlock(rows, conversation));
  bool full = false;
  while (!full && to > from) {
    const int64_t begin = std::max(from, to - kCataloguePage);
    ASSIGN_OR_RETURN(const auto page, rows.ListBlocks(conversation, begin, to - begin));
    bool reached = false;  // older blocks may be deleted with their messages
    for (const Block& block : std::views::reverse(page)) {
      if (block.number >= to) continue;
      reached = true;
      if (block.open) continue;
      std::string line = CatalogueLine(block);
      const size_t cost = base::CountCharacters(line) + 1;
      full = cost > max_characters;
      if (full) break;
      max_characters -= cost;
      lines.push_back(std::move(line));
    }
    if (!reached) break;
    to = begin;
  }
  std::ranges::reverse(lines);
  return lines;
}

}  // namespace conversation
