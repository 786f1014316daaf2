// Blocks in SQLite: ranges of a conversation's messages, and the compact forms that closing makes.
// Messages never change. Calls run inside the caller's transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/conversation/block/block.h"
#include "lib/conversation/block/block_digest.h"
#include "lib/conversation/block/context_plan.h"
#include "lib/conversation/message.h"
#include "lib/sqlite/database.h"

namespace conversation {

extern const char* const kBlockStep;  // the tables, a migration

// Like conversation::Append (→ last sequence), and assigns the messages to a block:
//   kBegins  a new turn: closes the open block, then like kPosted
//   kGoesOn  the same turn: the open block; without one, reopens the last block if no message
//            followed it, else begins a block
//   kPosted  the open block; without one, begins a block if the first message that is not the
//            system's is the user's
// `prepared`: of the open block, see CloseBlock.
enum class TurnPlace { kBegins, kGoesOn, kPosted };
base::Result<int64_t> AppendToBlock(sqlite::Database& db, const std::string& conversation,
                                    const std::vector<Message>& messages, int64_t now_ms,
                                    TurnPlace place, const BlockDigest* prepared = nullptr);

// Begins a block without messages; an open one must be closed first. → its number
base::Result<int64_t> BeginBlock(sqlite::Database& db, const std::string& conversation,
                                 int64_t now_ms);
// Closes the open block. Makes its compact form if `prepared` and a bounded number of further
// messages cover the block; else the form is made on demand. An empty `outcome`: the assistant's
// last text. → the block; nullopt: none is open
base::Result<std::optional<Block>> CloseBlock(sqlite::Database& db, const std::string& conversation,
                                              int64_t now_ms, const BlockDigest* prepared = nullptr,
                                              const std::string& outcome = "");
// The digest of the open block so far, for CloseBlock; nullopt: none is open.
base::Result<std::optional<BlockDigest>> PrepareClose(const BlockReader& reader,
                                                      const std::string& conversation);
// Stores the compact form of a closed block, if the digest covers it and it was not opened again.
base::Status KeepDigest(sqlite::Database& db, const std::string& conversation,
                        const BlockDigest& digest);

// Leaves out rows that changed on disk (Database::TakeUnsoundRows).
base::Result<std::optional<Block>> FindBlock(sqlite::Database& db, const std::string& conversation,
                                             int64_t number);
base::Result<std::optional<Block>> FindOpenBlock(sqlite::Database& db,
                                                 const std::string& conversation);
// Blocks from number `from` on, in order.
base::Result<std::vector<Block>> ListBlocks(sqlite::Database& db, const std::string& conversation,
                                            int64_t from, int64_t limit);
// Closed blocks, the newest first; `digested`: only those with, or only those without a compact
// form.
base::Result<std::vector<Block>> NewestClosedBlocks(sqlite::Database& db,
                                                    const std::string& conversation, bool digested,
                                                    int64_t limit);
base::Result<std::vector<BlockSize>> ClosedSizes(sqlite::Database& db,
                                                 const std::string& conversation, int64_t limit);
// The compact form; nullopt: missing or changed on disk, so it must be made again.
base::Result<std::optional<std::vector<CompactPart>>> FindParts(sqlite::Database& db,
                                                                const std::string& conversation,
                                                                int64_t number);

// IsUncut: no block exists, since the messages are from before kBlockStep. CutIntoBlocks begins a
// block at each of the newest kMostOldBlocks user messages, and one for all messages before them.
// Compact forms are made on demand.
inline constexpr int64_t kMostOldBlocks = 500;
base::Result<bool> IsUncut(sqlite::Database& db, const std::string& conversation);
base::Status CutIntoBlocks(sqlite::Database& db, const std::string& conversation);

// Removes the blocks whose messages are all deleted.
base::Status RemoveEmptyBlocks(sqlite::Database& db, const std::string& conversation);

}  // namespace conversation
