// Blocks in SQLite: ranges of a conversation's messages, and beside them what closing made. The
// messages are never changed. Calls run inside the caller's transaction.
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

// Appends as conversation::Append does, → last sequence, and keeps to blocks:
//   kBegins  the messages begin a turn: an open block closes, they begin the next one
//   kGoesOn  they belong to the turn: to the open block; without one, to the last block when
//            nothing came behind it, which is open again then
//   kPosted  they belong to the open block; without one they begin a block when their first
//            message, a system message aside, is the user's
// `prepared`: of the open block, see CloseBlock.
enum class TurnPlace { kBegins, kGoesOn, kPosted };
base::Result<int64_t> AppendToBlock(sqlite::Database& db, const std::string& conversation,
                                    const std::vector<Message>& messages, int64_t now_ms,
                                    TurnPlace place, const BlockDigest* prepared = nullptr);

// Begins a block without messages; an open one must be closed first. → its number
base::Result<int64_t> BeginBlock(sqlite::Database& db, const std::string& conversation,
                                 int64_t now_ms);
// Closes the open block, with its compact form when `prepared` and a bounded number of messages
// behind it are all of the block; else the form is made when it is asked for. An empty `outcome`:
// the last words of the assistant. → the block; nullopt: none is open
base::Result<std::optional<Block>> CloseBlock(sqlite::Database& db, const std::string& conversation,
                                              int64_t now_ms, const BlockDigest* prepared = nullptr,
                                              const std::string& outcome = "");
// The digest of the open block so far, for CloseBlock; nullopt: none is open.
base::Result<std::optional<BlockDigest>> PrepareClose(const BlockReader& reader,
                                                      const std::string& conversation);
// Keeps what was made of a closed block, unless it was opened again or has its form already.
base::Status KeepDigest(sqlite::Database& db, const std::string& conversation,
                        const BlockDigest& digest);

// A row that changed on the disk is left out (Database::TakeUnsoundRows).
base::Result<std::optional<Block>> FindBlock(sqlite::Database& db, const std::string& conversation,
                                             int64_t number);
base::Result<std::optional<Block>> FindOpenBlock(sqlite::Database& db,
                                                 const std::string& conversation);
// From number `from` on, in order.
base::Result<std::vector<Block>> ListBlocks(sqlite::Database& db, const std::string& conversation,
                                            int64_t from, int64_t limit);
// Closed ones, the newest first; `digested`: those that have their form, or those that have not.
base::Result<std::vector<Block>> NewestClosedBlocks(sqlite::Database& db,
                                                    const std::string& conversation, bool digested,
                                                    int64_t limit);
base::Result<std::vector<BlockSize>> ClosedSizes(sqlite::Database& db,
                                                 const std::string& conversation, int64_t limit);
// nullopt: it has none, or it changed on the disk: to be made again.
base::Result<std::optional<std::vector<CompactPart>>> FindParts(sqlite::Database& db,
                                                                const std::string& conversation,
                                                                int64_t number);

// A conversation of which no block is known: its messages are from before there were blocks. Each
// of its newest kMostOldBlocks messages of the user begins a block, what was before them is one
// more. Their compact forms are made when they are asked for.
inline constexpr int64_t kMostOldBlocks = 500;
base::Result<bool> IsUncut(sqlite::Database& db, const std::string& conversation);
base::Status CutIntoBlocks(sqlite::Database& db, const std::string& conversation);

// The blocks of which no message is left.
base::Status RemoveEmptyBlocks(sqlite::Database& db, const std::string& conversation);

}  // namespace conversation
