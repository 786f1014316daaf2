// The tables and their statements. One statement writes rows, so that the checksum is defined once.
#include "lib/conversation/block/blocks.h"

#include <algorithm>
#include <utility>

#include "lib/base/text/text.h"
#include "lib/conversation/block/tool_counts.h"
#include "lib/conversation/conversations.h"
#include "lib/conversation/messages.h"

namespace conversation {
namespace {

using base::Json;
using base::Result;
using base::Status;

constexpr int kPagesInTransaction = 2;  // of heads, while holding the writer

// Macros, so that each statement below is one literal and compiled once.
#define BLOCK_SUMMED \
  "conversation, block, first, last, query, outcome, summary, tokens, tools, digested"
#define BLOCKS_OF                                                                           \
  "SELECT block, first, coalesce(last, (SELECT message_count FROM conversations WHERE id =" \
  " conversation)), last IS NULL, digested, query, summary, tokens, tools, opened_ms,"      \
  " closed_ms, outcome, row_is_sound('blocks', number, checksum, " BLOCK_SUMMED             \
  ") FROM blocks"                                                                           \
  " WHERE conversation = ?1"

struct Stored {
  Block block;
  std::string outcome;  // as given to CloseBlock
  bool sound = true;
};

Result<Stored> ReadStored(const sqlite::Statement& row) {
  Stored stored;
  Block& block = stored.block;
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
  stored.outcome = row.Text(11);
  stored.sound = row.Int(12) != 0;
  return stored;
}

Result<std::vector<Block>> ReadSound(sqlite::Statement& query) {
  std::vector<Block> blocks;
  RETURN_IF_ERROR(query.ForEachRow([&](const sqlite::Statement& row) -> Status {
    ASSIGN_OR_RETURN(Stored stored, ReadStored(row));
    if (stored.sound) blocks.push_back(std::move(stored.block));
    return {};
  }));
  return blocks;
}

Result<std::optional<Stored>> FirstStored(sqlite::Statement query) {
  ASSIGN_OR_RETURN(const bool there, query.Step());
  if (!there) return std::optional<Stored>();
  ASSIGN_OR_RETURN(Stored stored, ReadStored(query));
  return std::optional(std::move(stored));
}

Result<std::optional<Stored>> FindStored(sqlite::Database& db, const std::string& conversation,
                                         int64_t number) {
  ASSIGN_OR_RETURN(auto query, db.Prepare(BLOCKS_OF " AND block = ?2"));
  query.Bind(conversation).Bind(number);
  ASSIGN_OR_RETURN(auto stored, FirstStored(std::move(query)));
  return stored && stored->sound ? std::move(stored) : std::nullopt;
}

// The newest block, also if its row changed on disk, since its number is in use.
Result<std::optional<Stored>> FindLatest(sqlite::Database& db, const std::string& conversation) {
  ASSIGN_OR_RETURN(auto query, db.Prepare(BLOCKS_OF " ORDER BY block DESC LIMIT 1"));
  query.Bind(conversation);
  return FirstStored(std::move(query));
}

Status Save(sqlite::Database& db, const std::string& conversation, const Stored& stored) {
  const Block& block = stored.block;
  ASSIGN_OR_RETURN(
      auto save,
      db.Prepare("INSERT INTO blocks(" BLOCK_SUMMED ", opened_ms, closed_ms, checksum)"
                 " VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,"
                 " row_checksum(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10))"
                 " ON CONFLICT(conversation, block) DO UPDATE SET first = excluded.first,"
                 " last = excluded.last, query = excluded.query, outcome = excluded.outcome,"
                 " summary = excluded.summary, tokens = excluded.tokens, tools = excluded.tools,"
                 " digested = excluded.digested, closed_ms = excluded.closed_ms,"
                 " checksum = excluded.checksum"));
  save.Bind(conversation).Bind(block.number).Bind(block.first);
  if (block.open) {
    save.BindNull();
  } else {
    save.Bind(block.last);
  }
  save.Bind(block.query).Bind(stored.outcome).Bind(block.summary).Bind(block.tokens);
  save.Bind(base::DumpJson(ToolsJson(block.tools))).Bind(int64_t{block.digested});
  return save.Bind(block.opened_ms).Bind(block.closed_ms).Run();
}

Status RemoveParts(sqlite::Database& db, const std::string& conversation, int64_t number) {
  ASSIGN_OR_RETURN(auto remove,
                   db.Prepare("DELETE FROM block_forms WHERE number ="
                              " (SELECT number FROM blocks WHERE conversation = ? AND block = ?)"));
  return remove.Bind(conversation).Bind(number).Run();
}

// Sets the fields of a closed block from its digest, and stores its compact form.
Status SaveDigested(sqlite::Database& db, const std::string& conversation, Stored& stored,
                    const Compaction& compaction) {
  Block& block = stored.block;
  const auto parts = compaction.Parts();
  block.query = compaction.Query();
  block.tools = compaction.Tools();
  block.tokens = compaction.Tokens(parts);
  block.summary = BlockSummary(block.query, block.tools,
                               stored.outcome.empty() ? compaction.Outcome() : stored.outcome);
  block.digested = true;
  RETURN_IF_ERROR(Save(db, conversation, stored));
  ASSIGN_OR_RETURN(auto save,
                   db.Prepare("INSERT OR REPLACE INTO block_forms(number, parts, checksum)"
                              " SELECT number, ?3, row_checksum(?1, ?2, ?3) FROM blocks"
                              " WHERE conversation = ?1 AND block = ?2"));
  save.Bind(conversation).Bind(block.number);
  return save.Bind(base::DumpJson(EncodeParts(parts))).Run();
}

Result<int64_t> MessageCount(sqlite::Database& db, const std::string& conversation) {
  ASSIGN_OR_RETURN(const auto found, Find(db, conversation));
  return found ? found->message_count : int64_t{0};
}

Result<int64_t> Begin(sqlite::Database& db, const std::string& conversation,
                      const std::optional<Stored>& latest, int64_t first, const std::string& query,
                      int64_t now_ms) {
  Stored stored;
  stored.block.number = latest ? latest->block.number + 1 : 0;
  stored.block.first = first;
  stored.block.query = query;
  stored.block.opened_ms = now_ms;
  RETURN_IF_ERROR(Save(db, conversation, stored));
  return stored.block.number;
}

Status OpenAgain(sqlite::Database& db, const std::string& conversation, Stored stored) {
  RETURN_IF_ERROR(RemoveParts(db, conversation, stored.block.number));
  stored.block.open = true;
  stored.block.digested = false;
  stored.block.closed_ms = 0;
  stored.block.tokens = 0;
  stored.block.summary.clear();
  stored.block.tools.clear();
  return Save(db, conversation, stored);
}

// The user's request, if the first message that is not the system's is the user's.
std::optional<std::string> QueryOf(const std::vector<Message>& messages) {
  const auto first = std::ranges::find_if(
      messages, [](const Message& message) { return message.role != "system"; });
  if (first == messages.end() || first->role != "user") return std::nullopt;
  return std::string(base::Prefix(first->content, kQueryCharacters));
}

}  // namespace

const char* const kBlockStep = R"sql(
CREATE TABLE blocks(
  number INTEGER PRIMARY KEY,
  conversation TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
  block INTEGER NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER,
  query TEXT NOT NULL,
  outcome TEXT NOT NULL,
  summary TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  tools TEXT NOT NULL,
  digested INTEGER NOT NULL,
  opened_ms INTEGER NOT NULL,
  closed_ms INTEGER NOT NULL,
  checksum INTEGER,
  UNIQUE(conversation, block)
) STRICT;
CREATE UNIQUE INDEX open_blocks ON blocks(conversation) WHERE last IS NULL;
CREATE INDEX undigested_blocks ON blocks(conversation, block) WHERE digested = 0;
CREATE TABLE block_forms(
  number INTEGER PRIMARY KEY REFERENCES blocks(number) ON DELETE CASCADE,
  parts TEXT NOT NULL,
  checksum INTEGER
) STRICT;
CREATE INDEX user_messages ON messages(conversation, sequence) WHERE role = 'user';
)sql";

Result<int64_t> AppendToBlock(sqlite::Database& db, const std::string& conversation,
                              const std::vector<Message>& messages, int64_t now_ms, TurnPlace place,
                              const BlockDigest* prepared) {
  ASSIGN_OR_RETURN(const bool uncut, IsUncut(db, conversation));
  if (uncut) RETURN_IF_ERROR(CutIntoBlocks(db, conversation));
  if (place == TurnPlace::kBegins) {
    ASSIGN_OR_RETURN(const auto closed, CloseBlock(db, conversation, now_ms, prepared));
  }
  ASSIGN_OR_RETURN(const auto latest, FindLatest(db, conversation));
  const auto query = QueryOf(messages);
  const bool begins = place == TurnPlace::kGoesOn || query;
  if (messages.empty() || (latest && latest->block.open) || !begins) {
    return Append(db, conversation, messages, now_ms);
  }
  ASSIGN_OR_RETURN(const auto found, GetOrCreate(db, conversation, now_ms));
  const int64_t last = found.message_count;
  const bool again =
      place == TurnPlace::kGoesOn && latest && latest->sound && latest->block.last == last;
  if (again) {
    RETURN_IF_ERROR(OpenAgain(db, conversation, *latest));
  } else {
    ASSIGN_OR_RETURN([[maybe_unused]] const int64_t number,
                     Begin(db, conversation, latest, last + 1, query.value_or(""), now_ms));
  }
  return Append(db, conversation, messages, now_ms);
}

Result<int64_t> BeginBlock(sqlite::Database& db, const std::string& conversation, int64_t now_ms) {
  ASSIGN_OR_RETURN(const auto latest, FindLatest(db, conversation));
  ASSIGN_OR_RETURN(const int64_t last, MessageCount(db, conversation));
  return Begin(db, conversation, latest, last + 1, "", now_ms);
}

Result<std::optional<Block>> CloseBlock(sqlite::Database& db, const std::string& conversation,
                                        int64_t now_ms, const BlockDigest* prepared,
                                        const std::string& outcome) {
  ASSIGN_OR_RETURN(auto latest, FindLatest(db, conversation));
  if (!latest || !latest->block.open) return std::optional<Block>();
  Block& block = latest->block;
  block.open = false;
  block.closed_ms = now_ms;
  latest->outcome = base::Prefix(outcome, kHeadCharacters);
  const bool fits = prepared != nullptr && prepared->IsOf(block);
  BlockDigest digest = fits ? *prepared : DigestOf(block);
  for (int page = 0; page < kPagesInTransaction && digest.up_to < block.last; ++page) {
    ASSIGN_OR_RETURN(const HeadPage heads, ReadHeads(db, conversation, digest.up_to, block.last));
    AddHeads(heads, digest);
  }
  if (digest.up_to >= block.last) {
    RETURN_IF_ERROR(SaveDigested(db, conversation, *latest, digest.compaction));
  } else {
    RETURN_IF_ERROR(Save(db, conversation, *latest));
  }
  return std::optional<Block>(std::move(block));
}

Result<std::optional<BlockDigest>> PrepareClose(const BlockReader& reader,
                                                const std::string& conversation) {
  std::optional<Block> open;
  RETURN_IF_ERROR(reader([&](sqlite::Database& db) -> Status {
    ASSIGN_OR_RETURN(open, FindOpenBlock(db, conversation));
    return {};
  }));
  if (!open) return std::optional<BlockDigest>();
  std::optional<BlockDigest> digest = DigestOf(*open);
  RETURN_IF_ERROR(ReadOn(reader, conversation, open->last, *digest));
  return digest;
}

Status KeepDigest(sqlite::Database& db, const std::string& conversation,
                  const BlockDigest& digest) {
  ASSIGN_OR_RETURN(auto stored, FindStored(db, conversation, digest.number));
  if (!stored || stored->block.open || !digest.IsOf(stored->block)) return {};
  if (digest.up_to < stored->block.last) return {};
  return SaveDigested(db, conversation, *stored, digest.compaction);
}

Result<std::optional<Block>> FindBlock(sqlite::Database& db, const std::string& conversation,
                                       int64_t number) {
  ASSIGN_OR_RETURN(auto stored, FindStored(db, conversation, number));
  return stored ? std::optional<Block>(std::move(stored->block)) : std::nullopt;
}

Result<std::optional<Block>> FindOpenBlock(sqlite::Database& db, const std::string& conversation) {
  ASSIGN_OR_RETURN(auto query, db.Prepare(BLOCKS_OF " AND last IS NULL"));
  query.Bind(conversation);
  ASSIGN_OR_RETURN(auto stored, FirstStored(std::move(query)));
  return stored && stored->sound ? std::optional<Block>(std::move(stored->block)) : std::nullopt;
}

Result<std::vector<Block>> ListBlocks(sqlite::Database& db, const std::string& conversation,
                                      int64_t from, int64_t limit) {
  ASSIGN_OR_RETURN(auto query, db.Prepare(BLOCKS_OF " AND block >= ?2 ORDER BY block LIMIT ?3"));
  query.Bind(conversation).Bind(from).Bind(limit);
  return ReadSound(query);
}

Result<std::vector<Block>> NewestClosedBlocks(sqlite::Database& db, const std::string& conversation,
                                              bool digested, int64_t limit) {
  ASSIGN_OR_RETURN(auto query,
                   db.Prepare(digested ? BLOCKS_OF " AND last IS NOT NULL AND digested = 1"
                                                   " ORDER BY block DESC LIMIT ?2"
                                       : BLOCKS_OF " AND last IS NOT NULL AND digested = 0"
                                                   " ORDER BY block DESC LIMIT ?2"));
  query.Bind(conversation).Bind(limit);
  return ReadSound(query);
}

Result<std::vector<BlockSize>> ClosedSizes(sqlite::Database& db, const std::string& conversation,
                                           int64_t limit) {
  ASSIGN_OR_RETURN(const auto blocks, NewestClosedBlocks(db, conversation, true, limit));
  std::vector<BlockSize> sizes;
  for (const Block& block : blocks) sizes.push_back({block.number, block.tokens});
  return sizes;
}

Result<std::optional<std::vector<CompactPart>>> FindParts(sqlite::Database& db,
                                                          const std::string& conversation,
                                                          int64_t number) {
  ASSIGN_OR_RETURN(auto query,
                   db.Prepare("SELECT parts, row_is_sound('block_forms', number,"
                              " checksum, ?1, ?2, parts) FROM block_forms WHERE number ="
                              " (SELECT number FROM blocks WHERE conversation = ?1"
                              " AND block = ?2)"));
  query.Bind(conversation).Bind(number);
  std::optional<std::vector<CompactPart>> parts;
  ASSIGN_OR_RETURN(const bool found, query.Step());
  if (!found || query.Int(1) == 0) return parts;
  ASSIGN_OR_RETURN(const Json json, base::ParseJson(query.Text(0)));
  ASSIGN_OR_RETURN(parts, DecodeParts(json));
  return parts;
}

Result<bool> IsUncut(sqlite::Database& db, const std::string& conversation) {
  ASSIGN_OR_RETURN(auto query,
                   db.Prepare("SELECT 1 FROM messages WHERE conversation = ?1 AND role = 'user'"
                              " AND NOT EXISTS (SELECT 1 FROM blocks WHERE conversation = ?1)"
                              " LIMIT 1"));
  return query.Bind(conversation).Step();
}

Status CutIntoBlocks(sqlite::Database& db, const std::string& conversation) {
  ASSIGN_OR_RETURN(const auto found, Find(db, conversation));
  if (!found) return {};
  ASSIGN_OR_RETURN(auto requests,
                   db.Prepare("SELECT sequence, created_ms, substr(content, 1, ?2) FROM messages"
                              " WHERE conversation = ?1 AND role = 'user'"
                              " ORDER BY sequence DESC LIMIT ?3"));
  requests.Bind(conversation).Bind(static_cast<int64_t>(kQueryCharacters)).Bind(kMostOldBlocks);
  std::vector<Stored> blocks;
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
  RETURN_IF_ERROR(requests.ForEachRow(
      [&](const sqlite::Statement& row) { add(row.Int(0), row.Int(1), row.Text(2)); }));
  if (last > 0) {
    if (std::ssize(blocks) < kMostOldBlocks && !blocks.empty()) {
      blocks.back().block.first = 1;
    } else {
      add(1, found->created_ms, "");
    }
  }
  for (size_t i = 0; i < blocks.size(); ++i) {
    Stored& stored = blocks[blocks.size() - 1 - i];
    stored.block.number = static_cast<int64_t>(i);
    RETURN_IF_ERROR(Save(db, conversation, stored));
  }
  return {};
}

Status RemoveEmptyBlocks(sqlite::Database& db, const std::string& conversation) {
  ASSIGN_OR_RETURN(auto remove,
                   db.Prepare("DELETE FROM blocks WHERE conversation = ?1 AND last <"
                              " (SELECT min(sequence) FROM messages WHERE conversation = ?1"
                              " AND role <> 'system')"));
  return remove.Bind(conversation).Run();
}

}  // namespace conversation
