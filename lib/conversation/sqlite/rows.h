// Rows in a SQLite file. A handle without state of its own: make one for each transaction.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/conversation/rows.h"
#include "lib/sql/database.h"

namespace conversation {

// Inside a transaction of `db`, which outlives this. Database::TakeUnsoundRows names the rows that
// changed on disk.
class SqliteRows : public Rows {
 public:
  explicit SqliteRows(sql::Database& db) : db_(db) {}
  // For the owner of the file: its other tables in the same transaction.
  sql::Database& database() { return db_; }

  Found<Conversation> FindConversation(const std::string& id) override;
  base::Status InsertConversation(const Conversation& conversation) override;
  base::Status UpdateConversation(const std::string& id, const ConversationChange& change) override;
  base::Result<ConversationPage> ListConversations(const std::string& state,
                                                   const ListPage& page) override;
  base::Result<std::vector<Conversation>> OwnedConversations(const std::string& owner,
                                                             const std::string& after,
                                                             int64_t limit) override;
  Found<Conversation> LastUsed(const std::string& state, const std::string& owner) override;
  base::Result<std::vector<std::string>> UnusedSince(const std::string& state, int64_t before_ms,
                                                     int64_t limit) override;
  base::Result<int64_t> BytesOf(const std::string& id) override;
  base::Result<RemovedRows> RemoveRows(const std::string& id, int64_t limit) override;

  base::Status InsertMessages(const std::string& id, int64_t first, int64_t now_ms,
                              const std::vector<Message>& messages) override;
  base::Result<MessagePage> ReadMessages(const std::string& id, const MessageScan& scan,
                                         const PageLimits& limits) override;
  base::Result<std::vector<MessageCalls>> ReadCalls(const std::string& id, int64_t to, int64_t rows,
                                                    size_t bytes) override;
  base::Result<HeadPage> ReadHeads(const std::string& id, int64_t after, int64_t to,
                                   const HeadLimits& limits) override;
  base::Result<std::vector<UserRequest>> UserRequests(const std::string& id,
                                                      int64_t head_characters,
                                                      int64_t limit) override;

  Found<BlockRow> FindBlock(const std::string& id, int64_t number) override;
  Found<BlockRow> LatestBlock(const std::string& id) override;
  base::Result<std::vector<Block>> ListBlocks(const std::string& id, int64_t from,
                                              int64_t limit) override;
  base::Result<std::vector<Block>> NewestClosedBlocks(const std::string& id, bool digested,
                                                      int64_t limit) override;
  base::Status SaveBlock(const std::string& id, const BlockRow& row) override;
  Found<std::string> FindParts(const std::string& id, int64_t number) override;
  base::Status SaveParts(const std::string& id, int64_t number,
                         const std::optional<std::string>& parts) override;

  base::Result<std::vector<CheckpointRow>> Checkpoints(const std::string& conversation) override;
  base::Status InsertCheckpoint(const std::string& owner, const std::string& conversation,
                                const CheckpointRow& row, const std::string& document) override;
  base::Status RemoveCheckpoints(const std::string& conversation, int64_t up_to_generation,
                                 int64_t expired_ms) override;
  Found<StoredDocument> CheckpointDocument(const std::string& conversation,
                                           int64_t generation) override;
  base::Result<int64_t> RemoveExpiredCheckpoints(int64_t expired_ms, int64_t limit) override;
  base::Result<int64_t> CheckpointBytes(const std::string& owner) override;

  Found<FieldsRow> FindFields(const std::string& conversation) override;
  base::Status SaveFields(const std::string& owner, const FieldsRow& row) override;
  base::Result<FieldTotals> TotalsOfFields(const std::string& owner) override;
  base::Status RefreshFields(const FieldRefreshMap& refreshes) override;
  base::Result<int64_t> RemoveExpiredFields(int64_t expired_ms, int64_t limit) override;
  base::Result<std::vector<FieldsRow>> ListFields(const std::string& owner,
                                                  const std::string& after, int64_t limit) override;
  base::Result<int64_t> LoadClock() override;
  base::Status SaveClock(int64_t now_ms) override;

  base::Result<Ledger> ReadLedger(const std::string& conversation) override;
  base::Result<std::vector<LedgerEntry>> ListLedger(const std::string& conversation,
                                                    const LedgerPlace& behind,
                                                    int64_t limit) override;
  Found<LedgerEntry> FindInLedger(const std::string& conversation,
                                  const std::string& item) override;
  base::Result<int64_t> CountLedger(const std::string& conversation,
                                    const std::string& except_item) override;
  base::Status SaveInLedger(const std::string& conversation,
                            const std::vector<LedgerEntry>& entries) override;
  base::Result<int64_t> RemoveFromLedger(const std::string& conversation,
                                         const std::optional<std::string>& item) override;
  base::Result<std::string> NextLedger(const std::string& after) override;

  Found<std::string> FindTask(const std::string& conversation) override;
  base::Status SaveTask(const std::string& conversation, const std::string& state,
                        int64_t now_ms) override;

 private:
  sql::Database& db_;
};

// `work` of rows as work of a database.
template <class Work>
auto OnRows(Work work) {
  return [work = std::move(work)](sql::Database& db) {
    SqliteRows rows(db);
    return work(static_cast<Rows&>(rows));
  };
}

// Upkeep of a file by its owner, inside its transaction; no other engine needs it.
// Adds checksums to messages from before kChecksumStep, at most `limit`. → their number.
base::Result<int64_t> AddChecksums(sql::Database& db, int64_t limit);
// Removes the blocks whose messages are all deleted.
base::Status RemoveEmptyBlocks(sql::Database& db, const std::string& conversation);

}  // namespace conversation
