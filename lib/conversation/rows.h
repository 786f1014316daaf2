// The rows of conversations: the seam between what a conversation means (turns, blocks,
// checkpoints, working memory, limits), which stands above as functions on Rows&, and an engine
// that keeps rows. No SQL, file or transaction is visible here; an engine checks rows when it reads
// them and decides nothing about their meaning. sqlite/rows.h is the engine of both programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/conversation/conversation.h"
#include "lib/conversation/ledger_item.h"
#include "lib/conversation/message.h"

namespace conversation {

// The last used first; "last used" is the order of InsertConversation and of changes with `used`,
// not of a clock. `owner`: only ids with this prefix, whose last character is a line end, in a file
// of many owners; empty: all.
struct ListPage {
  int64_t behind = 0;  // `more` of the previous page; 0: the first page
  int64_t limit = 1'000;
  size_t bytes = SIZE_MAX;  // a page has at least one conversation
  std::string owner = "";
};
struct ConversationPage {
  std::vector<Conversation> conversations;
  int64_t more = 0;  // cursor of the next page; 0: none
};
struct ConversationUse {
  int64_t message_count = 0, at_ms = 0;
};
struct ConversationChange {  // absent: unchanged
  std::optional<std::string> memory_session_id = {}, state = {};
  std::optional<base::Json> fields = {};
  std::optional<int64_t> turn = {};
  std::optional<ConversationUse> used = {};
};
struct RemovedRows {
  int64_t rows = 0;
  bool all = false;  // no row of the conversation is left but its working memory
};

// A page has at least one message unless `may_be_empty`. Limits compare sums of EncodedBytes and of
// Tokens; messages that changed on disk need no tokens.
struct PageLimits {
  int64_t messages = INT64_MAX;
  size_t bytes = SIZE_MAX;
  int64_t tokens = INT64_MAX;
  bool may_be_empty = false;
};
struct MessagePage {
  std::vector<Message> messages;
  int64_t more = 0;            // number of the first message that did not fit; 0: complete
  bool out_of_tokens = false;  // it did not fit `tokens`
};
struct MessageScan {
  enum class Kind {
    kAll,           // from number `from` to `to`, in order
    kSystem,        // those of the system, in order
    kNewestOthers,  // the others, the newest first
    kHeads,         // like kAll: contents cut to `head_characters`, of tools to nothing
  } kind = Kind::kAll;
  int64_t from = 1, to = INT64_MAX, head_characters = 0;
};
struct MessageCalls {
  int64_t sequence = 0;
  std::string calls;  // stored JSON of Message::tool_calls
};
struct BlockHead {
  Message message;         // its content is a head
  int64_t characters = 0;  // of the whole content
};
struct HeadLimits {
  int64_t head_characters = 0;           // of a content
  int64_t messages = 0, characters = 0;  // of a page, which has at least one message
};
struct HeadPage {
  std::vector<BlockHead> heads;  // without messages that changed on disk
  int64_t up_to = 0;             // the last message that the page covers
};
struct UserRequest {
  int64_t sequence = 0, created_ms = 0;
  std::string head;  // of its content
};

// How often each tool was called, in the order of first use.
using ToolCounts = std::vector<std::pair<std::string, int64_t>>;

struct Block {
  int64_t number = 0;           // 0.. within the conversation
  int64_t first = 1, last = 0;  // numbers of its messages; last < first: none yet
  bool open = true;
  bool digested = false;  // closed, with the fields below; else only its query is set
  std::string query;      // the first kQueryCharacters of the user's first message
  std::string summary;    // query — tools → "outcome", in one inert line
  int64_t tokens = 0;     // of its compact form; open: of its messages, if a route counted them
  ToolCounts tools;
  int64_t opened_ms = 0, closed_ms = 0;
};
struct BlockRow {
  Block block;
  std::string outcome;  // as given to CloseBlock
  bool sound = true;    // false: changed on disk
};

struct CheckpointRow {
  int64_t generation = 0;  // 1.. within the conversation
  int64_t step = 0, bytes = 0;
  int64_t saved_ms = 0, expires_ms = 0;
  std::string sha256;
};
struct StoredDocument {
  std::string text, sha256;
  bool sound = true;  // false: the row changed on disk
};

struct FieldsRow {
  std::string conversation;
  std::string fields;  // JSON
  int64_t bytes = 0;   // counted for the owner's limit
  int64_t version = 0, ttl_ms = 0, expires_ms = 0;
  bool sound = true;  // false: changed on disk
};
struct FieldTotals {
  int64_t conversations = 0, bytes = 0;
};
struct FieldRefresh {
  int64_t version = 0;  // of the fields; the refresh applies to no other
  int64_t expires_ms = 0;
  bool operator==(const FieldRefresh&) const = default;
};
using FieldRefreshMap = std::map<std::string, FieldRefresh>;  // by conversation

struct LedgerEntry {
  LedgerItem item;
  int64_t turn = 0;  // of the conversation at the time of marking; 0 before its first prompt
  int64_t marked_ms = 0;
};
struct LedgerPlace {  // a cursor, whose entry may be evicted already
  int64_t marked_ms = -1;
  std::string item;
};

// Bound to one transaction or snapshot of its engine: a read sees the writes before it, and whoever
// opened the transaction commits it, or rolls it back after an error. One thread. `id` and
// `conversation` are keys of conversations (Host::Key). Errors beside those named: kUnavailable,
// kTimeout, kTooLarge for the limits of the request, kFull, kInternal.
class Rows {
 public:
  virtual ~Rows() = default;
  template <class T>
  using Found = base::Result<std::optional<T>>;

  // Conversations. Fields that changed on disk read as an empty object.
  virtual Found<Conversation> FindConversation(const std::string& id) = 0;
  // As the last used one, with no messages; its id is new.
  virtual base::Status InsertConversation(const Conversation& conversation) = 0;
  virtual base::Status UpdateConversation(const std::string& id,
                                          const ConversationChange& change) = 0;  // kNotFound
  virtual base::Result<ConversationPage> ListConversations(const std::string& state,
                                                           const ListPage& page) = 0;  // "": all
  // In order of ids after `after`; `owner` is not empty.
  virtual base::Result<std::vector<Conversation>> OwnedConversations(const std::string& owner,
                                                                     const std::string& after,
                                                                     int64_t limit) = 0;
  virtual Found<Conversation> LastUsed(const std::string& state, const std::string& owner) = 0;
  // Ids of conversations that were last used at `before_ms` or earlier, the oldest first.
  virtual base::Result<std::vector<std::string>> UnusedSince(const std::string& state,
                                                             int64_t before_ms, int64_t limit) = 0;
  // Bytes of messages, and removal of about `limit` rows: in a file of many owners only.
  virtual base::Result<int64_t> BytesOf(const std::string& id) = 0;
  virtual base::Result<RemovedRows> RemoveRows(const std::string& id, int64_t limit) = 0;

  // Messages. Those that changed on disk have checksum_ok false.
  // Numbers them from `first` on; without a time of their own they have `now_ms`.
  virtual base::Status InsertMessages(const std::string& id, int64_t first, int64_t now_ms,
                                      const std::vector<Message>& messages) = 0;
  // Charged to the thread's request (base::AnswerCharge); reads no row after the page.
  virtual base::Result<MessagePage> ReadMessages(const std::string& id, const MessageScan& scan,
                                                 const PageLimits& limits) = 0;
  // The messages with calls up to number `to`, the newest first; ends after `rows` or `bytes`.
  virtual base::Result<std::vector<MessageCalls>> ReadCalls(const std::string& id, int64_t to,
                                                            int64_t rows, size_t bytes) = 0;
  virtual base::Result<HeadPage> ReadHeads(const std::string& id, int64_t after, int64_t to,
                                           const HeadLimits& limits) = 0;
  // The newest messages of the user, the newest first.
  virtual base::Result<std::vector<UserRequest>> UserRequests(const std::string& id,
                                                              int64_t head_characters,
                                                              int64_t limit) = 0;

  // Blocks. Only FindBlock and LatestBlock return rows that changed on disk.
  virtual Found<BlockRow> FindBlock(const std::string& id, int64_t number) = 0;
  virtual Found<BlockRow> LatestBlock(const std::string& id) = 0;
  virtual base::Result<std::vector<Block>> ListBlocks(const std::string& id, int64_t from,
                                                      int64_t limit) = 0;
  // Closed ones, the newest first; `digested`: only those with, or only those without a form.
  virtual base::Result<std::vector<Block>> NewestClosedBlocks(const std::string& id, bool digested,
                                                              int64_t limit) = 0;
  virtual base::Status SaveBlock(const std::string& id, const BlockRow& row) = 0;  // by its number
  // The compact form of a block, JSON; nullopt: missing, removed, or changed on disk.
  virtual Found<std::string> FindParts(const std::string& id, int64_t number) = 0;
  virtual base::Status SaveParts(const std::string& id, int64_t number,
                                 const std::optional<std::string>& parts) = 0;

  // Checkpoints, expired or not, the newest first.
  virtual base::Result<std::vector<CheckpointRow>> Checkpoints(const std::string& conversation) = 0;
  virtual base::Status InsertCheckpoint(const std::string& owner, const std::string& conversation,
                                        const CheckpointRow& row, const std::string& document) = 0;
  virtual base::Status RemoveCheckpoints(const std::string& conversation, int64_t up_to_generation,
                                         int64_t expired_ms) = 0;
  virtual Found<StoredDocument> CheckpointDocument(const std::string& conversation,
                                                   int64_t generation) = 0;
  virtual base::Result<int64_t> RemoveExpiredCheckpoints(int64_t expired_ms, int64_t limit) = 0;
  virtual base::Result<int64_t> CheckpointBytes(const std::string& owner) = 0;

  // Fields of working memory, one row per conversation, and the clock of their expiry (0: none).
  virtual Found<FieldsRow> FindFields(const std::string& conversation) = 0;
  // An existing row keeps its owner.
  virtual base::Status SaveFields(const std::string& owner, const FieldsRow& row) = 0;
  virtual base::Result<FieldTotals> TotalsOfFields(const std::string& owner) = 0;
  virtual base::Status RefreshFields(const FieldRefreshMap& refreshes) = 0;  // to the later expiry
  virtual base::Result<int64_t> RemoveExpiredFields(int64_t expired_ms, int64_t limit) = 0;
  // In order of conversations after `after`.
  virtual base::Result<std::vector<FieldsRow>> ListFields(const std::string& owner,
                                                          const std::string& after,
                                                          int64_t limit) = 0;
  virtual base::Result<int64_t> LoadClock() = 0;
  virtual base::Status SaveClock(int64_t now_ms) = 0;  // not without fields and checkpoints

  // The ledger.
  virtual base::Result<Ledger> ReadLedger(const std::string& conversation) = 0;
  // In the order of marking.
  virtual base::Result<std::vector<LedgerEntry>> ListLedger(const std::string& conversation,
                                                            const LedgerPlace& behind,
                                                            int64_t limit) = 0;
  virtual Found<LedgerEntry> FindInLedger(const std::string& conversation,
                                          const std::string& item) = 0;
  virtual base::Result<int64_t> CountLedger(const std::string& conversation,
                                            const std::string& except_item) = 0;
  virtual base::Status SaveInLedger(const std::string& conversation,
                                    const std::vector<LedgerEntry>& entries) = 0;
  // One item, or all. → the number of removed entries.
  virtual base::Result<int64_t> RemoveFromLedger(const std::string& conversation,
                                                 const std::optional<std::string>& item) = 0;
  // The next conversation with a ledger; empty: none.
  virtual base::Result<std::string> NextLedger(const std::string& after) = 0;

  // The task state, JSON; nullopt: none, or changed on disk.
  virtual Found<std::string> FindTask(const std::string& conversation) = 0;
  virtual base::Status SaveTask(const std::string& conversation, const std::string& state,
                                int64_t now_ms) = 0;
};

}  // namespace conversation
