// Blocks: ranges of a conversation's messages, and the compact forms that closing makes.
// Messages never change. Calls run inside the caller's transaction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/conversation/block/block.h"
#include "lib/conversation/block/block_digest.h"
#include "lib/conversation/block/context_plan.h"
#include "lib/conversation/rows.h"

namespace conversation {

// Like conversation::Append (→ last sequence), and assigns the messages to a block:
//   kBegins  a new turn: closes the open block, then like kPosted
//   kGoesOn  the same turn: the open block; without one, reopens the last block if no message
//            followed it, else begins a block
//   kPosted  the open block; without one, begins a block if the first message that is not the
//            system's is the user's
// `prepared`: of the open block, see CloseBlock.
enum class TurnPlace { kBegins, kGoesOn, kPosted };
base::Result<int64_t> AppendToBlock(Rows& rows, const std::string& conversation,
                                    const std::vector<Message>& messages, int64_t now_ms,
                                    TurnPlace place, const BlockDigest* prepared = nullptr);

// Begins a block without messages; an open one must be closed first. → its number
base::Result<int64_t> BeginBlock(Rows& rows, const std::string& conversation, int64_t now_ms);
// Closes the open block. Makes its compact form if `prepared` and a bounded number of further
// messages cover the block; else the form is made on demand. An empty `outcome`: the assistant's
// last text. → the block; nullopt: none is open
base::Result<std::optional<Block>> CloseBlock(Rows& rows, const std::string& conversation,
                                              int64_t now_ms, const BlockDigest* prepared = nullptr,
                                              const std::string& outcome = "");
// The digest of the open block so far, for CloseBlock; nullopt: none is open.
base::Result<std::optional<BlockDigest>> PrepareClose(const BlockReader& reader,
                                                      const std::string& conversation);
// Stores the compact form of a closed block, if the digest covers it and it was not opened again.
base::Status KeepDigest(Rows& rows, const std::string& conversation, const BlockDigest& digest);

// nullopt also for a row that changed on disk.
base::Result<std::optional<Block>> FindBlock(Rows& rows, const std::string& conversation,
                                             int64_t number);
base::Result<std::optional<Block>> FindOpenBlock(Rows& rows, const std::string& conversation);
base::Result<std::vector<BlockSize>> ClosedSizes(Rows& rows, const std::string& conversation,
                                                 int64_t limit);
// The compact form; nullopt: missing or changed on disk, so it must be made again.
base::Result<std::optional<std::vector<CompactPart>>> FindParts(Rows& rows,
                                                                const std::string& conversation,
                                                                int64_t number);

// IsUncut: the conversation has no blocks, since its messages are older than blocks.
// CutIntoBlocks begins a block at each of the newest kMostOldBlocks user messages, and one for all
// messages before them. Compact forms are made on demand.
inline constexpr int64_t kMostOldBlocks = 500;
base::Result<bool> IsUncut(Rows& rows, const std::string& conversation);
base::Status CutIntoBlocks(Rows& rows, const std::string& conversation);

// The number of the next block to begin.
base::Result<int64_t> NextBlock(Rows& rows, const std::string& conversation);
// The catalogue, from which a model knows which blocks it can recall: the lines (CatalogueLine) of
// closed blocks from number `from` on, the oldest first: the newest that fit `max_characters`,
// including line ends. Reads at most a page more.
base::Result<std::vector<std::string>> Catalogue(Rows& rows, const std::string& conversation,
                                                 int64_t from, size_t max_characters);

}  // namespace conversation
