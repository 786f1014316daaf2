// Statements of blocks. One statement writes rows, so that the checksum is defined once.
#include <utility>

#include "lib/base/json/json.h"
#include "lib/conversation/block/block.h"
#include "lib/conversation/sqlite/rows.h"

namespace conversation {
namespace {

using base::Result;
using base::Status;

// Macros, so that each statement below is one literal and compiled once.
#define BLOCK_SUMMED \
  "conversation, block, first, last, query, outcome, summary, tokens, tools, digested"
#define BLOCKS_OF                                                                           \
  "SELECT block, first, coalesce(last, (SELECT message_count FROM conversations WHERE id =" \
  " conversation)), last IS NULL, digested, query, summary, tokens, tools, opened_ms,"      \
  " closed_ms, outcome, row_is_sound('blocks', number, checksum, " BLOCK_SUMMED             \
  ") FROM blocks"                                                                           \
  " WHERE conversation = ?1"

Result<BlockRow> ReadBlock(const sql::Statement& row) {
  BlockRow read;
  Block& block = read.block;
  block.number = row.Int(0);
  block.first = row.Int(1);
  block.last = row.Int(2);
  block.open = row.Int(3) != 0;
  block.digested = row.Int(4) != 0;
  block.query = row.Text(5);
  block.summary = row.Text(6);
  block.tokens = row.Int(7);
  ASSIGN_OR_RETURN(block.tools, ReadTools(row.Text(8)));
  block.opened_ms = row.Int(9);
  block.closed_ms = row.Int(10);
  read.outcome = row.Text(11);
  read.sound = row.Int(12) != 0;
  return read;
}

Result<std::vector<Block>> SoundBlocks(sql::Statement& query) {
  std::vector<Block> blocks;
  RETURN_IF_ERROR(query.ForEachRow([&](const sql::Statement& row) -> Status {
    ASSIGN_OR_RETURN(BlockRow read, ReadBlock(row));
    if (read.sound) blocks.push_back(std::move(read.block));
    return {};
  }));
  return blocks;
}

Result<std::optional<BlockRow>> FirstBlock(sql::Statement& query) {
  ASSIGN_OR_RETURN(const bool there, query.Step());
  if (!there) return std::optional<BlockRow>();
  ASSIGN_OR_RETURN(BlockRow read, ReadBlock(query));
  return std::optional(std::move(read));
}

}  // namespace

Rows::Found<BlockRow> SqliteRows::FindBlock(const std::string& id, int64_t number) {
  ASSIGN_OR_RETURN(auto query, db_.Prepare(BLOCKS_OF " AND block = ?2"));
  query.Bind(id).Bind(number);
  return FirstBlock(query);
}

Rows::Found<BlockRow> SqliteRows::LatestBlock(const std::string& id) {
  ASSIGN_OR_RETURN(auto query, db_.Prepare(BLOCKS_OF " ORDER BY block DESC LIMIT 1"));
  query.Bind(id);
  return FirstBlock(query);
}

Result<std::vector<Block>> SqliteRows::ListBlocks(const std::string& id, int64_t from,
                                                  int64_t limit) {
  ASSIGN_OR_RETURN(auto query, db_.Prepare(BLOCKS_OF " AND block >= ?2 ORDER BY block LIMIT ?3"));
  query.Bind(id).Bind(from).Bind(limit);
  return SoundBlocks(query);
}

Result<std::vector<Block>> SqliteRows::NewestClosedBlocks(const std::string& id, bool digested,
                                                          int64_t limit) {
  ASSIGN_OR_RETURN(auto query,
                   db_.Prepare(digested ? BLOCKS_OF " AND last IS NOT NULL AND digested = 1"
                                                    " ORDER BY block DESC LIMIT ?2"
                                        : BLOCKS_OF " AND last IS NOT NULL AND digested = 0"
                                                    " ORDER BY block DESC LIMIT ?2"));
  query.Bind(id).Bind(limit);
  return SoundBlocks(query);
}

Status SqliteRows::SaveBlock(const std::string& id, const BlockRow& row) {
  const Block& block = row.block;
  ASSIGN_OR_RETURN(
      auto save,
      db_.Prepare("INSERT INTO blocks(" BLOCK_SUMMED ", opened_ms, closed_ms, checksum)"
                  " VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,"
                  " row_checksum(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10))"
                  " ON CONFLICT(conversation, block) DO UPDATE SET first = excluded.first,"
                  " last = excluded.last, query = excluded.query, outcome = excluded.outcome,"
                  " summary = excluded.summary, tokens = excluded.tokens, tools = excluded.tools,"
                  " digested = excluded.digested, closed_ms = excluded.closed_ms,"
                  " checksum = excluded.checksum"));
  save.Bind(id).Bind(block.number).Bind(block.first);
  save.Bind(block.open ? std::optional<int64_t>() : block.last);
  save.Bind(block.query).Bind(row.outcome).Bind(block.summary).Bind(block.tokens);
  save.Bind(base::DumpJson(ToolsJson(block.tools))).Bind(int64_t{block.digested});
  return save.Bind(block.opened_ms).Bind(block.closed_ms).Run();
}

Rows::Found<std::string> SqliteRows::FindParts(const std::string& id, int64_t number) {
  ASSIGN_OR_RETURN(auto query,
                   db_.Prepare("SELECT parts, row_is_sound('block_forms', number,"
                               " checksum, ?1, ?2, parts) FROM block_forms WHERE number ="
                               " (SELECT number FROM blocks WHERE conversation = ?1"
                               " AND block = ?2)"));
  ASSIGN_OR_RETURN(const bool found, query.Bind(id).Bind(number).Step());
  if (!found || query.Int(1) == 0) return std::optional<std::string>();
  return std::optional(query.Text(0));
}

Status SqliteRows::SaveParts(const std::string& id, int64_t number,
                             const std::optional<std::string>& parts) {
  ASSIGN_OR_RETURN(
      auto save,
      parts ? db_.Prepare("INSERT INTO block_forms(number, parts, checksum)"
                          " SELECT number, ?3, row_checksum(?1, ?2, ?3) FROM blocks"
                          " WHERE conversation = ?1 AND block = ?2 ON CONFLICT(number) DO UPDATE "
                          "SET parts = excluded.parts, checksum = excluded.checksum")
            : db_.Prepare("DELETE FROM block_forms WHERE number ="
                          " (SELECT number FROM blocks WHERE conversation = ?1 AND block = ?2)"));
  save.Bind(id).Bind(number);
  if (parts) save.Bind(*parts);
  return save.Run();
}

}  // namespace conversation
