// Test code: rows in memory, the second engine of the seam. Keeps no transactions: what a refused
// call wrote stays. Nothing changes its rows on disk, so all of them are sound.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "lib/base/text/text.h"
#include "lib/conversation/page_builder.h"
#include "lib/conversation/rows.h"

namespace conversation {

class FakeRows : public Rows {
 public:
  using Id = const std::string&;
  template <class T>
  using List = base::Result<std::vector<T>>;

  Found<Conversation> FindConversation(Id id) override {
    const auto found = kept_.find(id);
    const bool there = found != kept_.end() && found->second.touched > 0;
    return there ? std::optional(found->second.conversation) : std::nullopt;
  }
  base::Status InsertConversation(const Conversation& conversation) override {
    kept_[conversation.id].conversation = conversation;
    kept_[conversation.id].touched = ++touched_;
    return {};
  }
  base::Status UpdateConversation(Id id, const ConversationChange& change) override {
    const auto found = kept_.find(id);
    if (found == kept_.end() || found->second.touched == 0)
      return base::Error{base::Code::kNotFound, "no conversation " + id};
    Conversation& one = found->second.conversation;
    one.memory_session_id = change.memory_session_id.value_or(one.memory_session_id);
    one.state = change.state.value_or(one.state);
    one.fields = change.fields.value_or(one.fields);
    one.turn = change.turn.value_or(one.turn);
    if (!change.used) return {};
    one.message_count = change.used->message_count;
    one.updated_ms = change.used->at_ms;
    found->second.touched = ++touched_;
    return {};
  }
  base::Result<ConversationPage> ListConversations(Id state, const ListPage& page) override {
    ConversationPage found;
    size_t bytes = 0;
    int64_t last = 0;
    for (const auto& [touched, one] : LastUsedFirst()) {
      if (page.behind > 0 && touched >= page.behind) continue;
      if (!state.empty() && one->state != state) continue;
      if (!one->id.starts_with(page.owner)) continue;
      bytes += 1'000 + base::DumpJson(one->fields).size();
      const bool fits = std::ssize(found.conversations) < page.limit && bytes <= page.bytes;
      if (!fits && !found.conversations.empty()) {
        found.more = last;
        return found;
      }
      found.conversations.push_back(*one);
      last = touched;
    }
    return found;
  }
  List<Conversation> OwnedConversations(Id owner, Id after, int64_t limit) override {
    std::vector<Conversation> found;
    for (auto at = kept_.upper_bound(std::max(owner, after));
         at != kept_.end() && std::ssize(found) < limit && at->first.starts_with(owner); ++at)
      if (at->second.touched > 0) found.push_back(at->second.conversation);
    return found;
  }
  Found<Conversation> LastUsed(Id state, Id owner) override {
    ASSIGN_OR_RETURN(const auto page, ListConversations(state, {.limit = 1, .owner = owner}));
    if (page.conversations.empty()) return std::optional<Conversation>();
    return std::optional(page.conversations.front());
  }
  List<std::string> UnusedSince(Id state, int64_t before_ms, int64_t limit) override {
    std::vector<std::pair<int64_t, std::string>> unused;
    for (const auto& [id, kept] : kept_)
      if (kept.conversation.state == state && kept.conversation.updated_ms <= before_ms)
        unused.emplace_back(kept.conversation.updated_ms, id);
    std::ranges::sort(unused);
    std::vector<std::string> ids;
    for (const auto& [at_ms, id] : unused | std::views::take(limit)) ids.push_back(id);
    return ids;
  }
  base::Result<int64_t> BytesOf(Id id) override {
    int64_t bytes = 0;
    for (const Message& message : kept_[id].messages | std::views::values)
      bytes += std::ssize(message.content) + 100 +
               (message.tool_calls.is_null() ? 0 : std::ssize(base::DumpJson(message.tool_calls)));
    return bytes;
  }
  base::Result<RemovedRows> RemoveRows(Id id, int64_t limit) override {
    RemovedRows removed;
    const auto cut = [&](auto& map) {
      for (; !map.empty() && removed.rows < limit; ++removed.rows) map.erase(map.begin());
      return removed.rows >= limit;
    };
    Kept& kept = kept_[id];
    if (cut(kept.messages) || cut(kept.blocks) || cut(checkpoints_[id]) || cut(ledgers_[id]))
      return removed;
    removed.rows += static_cast<int64_t>(tasks_.erase(id)) + (kept.touched > 0 ? 1 : 0);
    kept_.erase(id);
    removed.all = true;
    return removed;
  }

  base::Status InsertMessages(Id id, int64_t first, int64_t now_ms,
                              const std::vector<Message>& messages) override {
    for (Message message : messages) {
      message.sequence = first++;
      if (message.created_ms == 0) message.created_ms = now_ms;
      kept_[id].messages[message.sequence] = std::move(message);
    }
    return {};
  }
  base::Result<MessagePage> ReadMessages(Id id, const MessageScan& scan,
                                         const PageLimits& limits) override {
    using Kind = MessageScan::Kind;
    PageBuilder page(limits);
    std::vector<Message> scanned;
    for (Message message : kept_[id].messages | std::views::values) {
      const bool system = message.role == "system";
      if (scan.kind == Kind::kSystem ? !system : scan.kind == Kind::kNewestOthers && system)
        continue;
      if (message.sequence < scan.from || message.sequence > scan.to) continue;
      if (scan.kind == Kind::kHeads)
        message.content = message.role == "tool" ? "" : Head(message.content, scan.head_characters);
      scanned.push_back(std::move(message));
    }
    if (scan.kind == Kind::kNewestOthers) std::ranges::reverse(scanned);
    for (Message& message : scanned) {
      ASSIGN_OR_RETURN(const bool fits, page.Add(std::move(message)));
      if (!fits) break;
    }
    return page.Finish();
  }
  List<MessageCalls> ReadCalls(Id id, int64_t to, int64_t rows, size_t bytes) override {
    std::vector<MessageCalls> found;
    size_t read = 0;
    for (const Message& message : kept_[id].messages | std::views::values | std::views::reverse) {
      if (message.sequence > to || message.tool_calls.is_null()) continue;
      if (std::ssize(found) == rows || read > bytes) break;
      found.push_back({message.sequence, base::DumpJson(message.tool_calls)});
      read += found.back().calls.size();
    }
    return found;
  }
  base::Result<HeadPage> ReadHeads(Id id, int64_t after, int64_t to,
                                   const HeadLimits& limits) override {
    HeadPage page;
    int64_t characters = 0;
    for (const Message& message : kept_[id].messages | std::views::values) {
      if (message.sequence <= after || message.sequence > to) continue;
      const auto length = static_cast<int64_t>(base::CountCharacters(message.content));
      page.heads.push_back({message, length});
      page.heads.back().message.content = Head(message.content, limits.head_characters);
      page.up_to = message.sequence;
      characters += length + std::ssize(base::DumpJson(message.tool_calls));
      if (std::ssize(page.heads) == limits.messages || characters >= limits.characters) return page;
    }
    page.up_to = std::max(to, after);
    return page;
  }
  List<UserRequest> UserRequests(Id id, int64_t head_characters, int64_t limit) override {
    std::vector<UserRequest> found;
    for (const Message& message : kept_[id].messages | std::views::values | std::views::reverse)
      if (message.role == "user" && std::ssize(found) < limit)
        found.push_back(
            {message.sequence, message.created_ms, Head(message.content, head_characters)});
    return found;
  }

  Found<BlockRow> FindBlock(Id id, int64_t number) override {
    const auto found = Get(kept_[id].blocks, number);
    return found ? std::optional(Counted(id, found->row)) : std::nullopt;
  }
  Found<BlockRow> LatestBlock(Id id) override {
    const auto& blocks = kept_[id].blocks;
    if (blocks.empty()) return std::optional<BlockRow>();
    return std::optional(Counted(id, blocks.rbegin()->second.row));
  }
  List<Block> ListBlocks(Id id, int64_t from, int64_t limit) override {
    std::vector<Block> found;
    for (const auto& [number, kept] : kept_[id].blocks)
      if (number >= from && std::ssize(found) < limit) found.push_back(Counted(id, kept.row).block);
    return found;
  }
  List<Block> NewestClosedBlocks(Id id, bool digested, int64_t limit) override {
    std::vector<Block> found;
    for (const auto& [row, parts] : kept_[id].blocks | std::views::values | std::views::reverse)
      if (!row.block.open && row.block.digested == digested && std::ssize(found) < limit)
        found.push_back(row.block);
    return found;
  }
  base::Status SaveBlock(Id id, const BlockRow& row) override {
    kept_[id].blocks[row.block.number].row = row;
    return {};
  }
  Found<std::string> FindParts(Id id, int64_t number) override {
    const auto found = Get(kept_[id].blocks, number);
    return found ? found->parts : std::nullopt;
  }
  base::Status SaveParts(Id id, int64_t number, const std::optional<std::string>& parts) override {
    kept_[id].blocks[number].parts = parts;
    return {};
  }

  List<CheckpointRow> Checkpoints(Id conversation) override {
    std::vector<CheckpointRow> rows;
    for (const auto& kept : checkpoints_[conversation] | std::views::values | std::views::reverse)
      rows.push_back(kept.row);
    return rows;
  }
  base::Status InsertCheckpoint(Id owner, Id conversation, const CheckpointRow& row,
                                Id document) override {
    checkpoints_[conversation][row.generation] = {owner, row, document};
    return {};
  }
  base::Status RemoveCheckpoints(Id conversation, int64_t up_to_generation,
                                 int64_t expired_ms) override {
    std::erase_if(checkpoints_[conversation], [&](const auto& one) {
      return one.first <= up_to_generation || one.second.row.expires_ms <= expired_ms;
    });
    return {};
  }
  Found<StoredDocument> CheckpointDocument(Id conversation, int64_t generation) override {
    const auto found = Get(checkpoints_[conversation], generation);
    if (!found) return std::optional<StoredDocument>();
    return std::optional(StoredDocument{found->document, found->row.sha256});
  }
  base::Result<int64_t> RemoveExpiredCheckpoints(int64_t expired_ms, int64_t limit) override {
    int64_t removed = 0;
    for (auto& one : checkpoints_ | std::views::values)
      removed += static_cast<int64_t>(std::erase_if(one, [&](const auto& row) {
        return row.second.row.expires_ms <= expired_ms && limit-- > 0;
      }));
    return removed;
  }
  base::Result<int64_t> CheckpointBytes(Id owner) override {
    int64_t bytes = 0;
    for (const auto& one : checkpoints_ | std::views::values)
      for (const auto& kept : one | std::views::values)
        if (kept.owner == owner) bytes += kept.row.bytes + 512;
    return bytes;
  }

  Found<FieldsRow> FindFields(Id conversation) override {
    const auto found = Get(fields_, conversation);
    return found ? std::optional(found->second) : std::nullopt;
  }
  base::Status SaveFields(Id owner, const FieldsRow& row) override {
    fields_.try_emplace(row.conversation, owner, row).first->second.second = row;
    return {};
  }
  base::Result<FieldTotals> TotalsOfFields(Id owner) override {
    FieldTotals totals;
    for (const auto& [of, row] : fields_ | std::views::values)
      if (of == owner) ++totals.conversations, totals.bytes += row.bytes;
    return totals;
  }
  base::Status RefreshFields(const FieldRefreshMap& refreshes) override {
    for (const auto& [conversation, refresh] : refreshes) {
      const auto found = fields_.find(conversation);
      if (found == fields_.end() || found->second.second.version != refresh.version) continue;
      int64_t& expires_ms = found->second.second.expires_ms;
      expires_ms = std::max(expires_ms, refresh.expires_ms);
    }
    return {};
  }
  base::Result<int64_t> RemoveExpiredFields(int64_t expired_ms, int64_t limit) override {
    return static_cast<int64_t>(std::erase_if(fields_, [&](const auto& one) {
      return one.second.second.expires_ms <= expired_ms && limit-- > 0;
    }));
  }
  List<FieldsRow> ListFields(Id owner, Id after, int64_t limit) override {
    std::vector<FieldsRow> page;
    for (auto at = fields_.upper_bound(after); at != fields_.end(); ++at)
      if (at->second.first == owner && std::ssize(page) < limit) page.push_back(at->second.second);
    return page;
  }
  base::Result<int64_t> LoadClock() override { return clock_ms_; }
  base::Status SaveClock(int64_t now_ms) override {
    const bool any = !fields_.empty() || std::ranges::any_of(checkpoints_, [](const auto& one) {
      return !one.second.empty();
    });
    if (any) clock_ms_ = now_ms;
    return {};
  }

  base::Result<Ledger> ReadLedger(Id conversation) override {
    Ledger ledger;
    for (const auto& [item, entry] : ledgers_[conversation]) ledger[item] = entry.item.value;
    return ledger;
  }
  List<LedgerEntry> ListLedger(Id conversation, const LedgerPlace& behind, int64_t limit) override {
    const auto place = [](const LedgerEntry& entry) {
      return std::tie(entry.marked_ms, entry.item.name);
    };
    std::vector<LedgerEntry> found;
    for (const LedgerEntry& entry : ledgers_[conversation] | std::views::values)
      if (place(entry) > std::tie(behind.marked_ms, behind.item)) found.push_back(entry);
    std::ranges::sort(found, {}, place);
    if (std::ssize(found) > limit) found.resize(static_cast<size_t>(limit));
    return found;
  }
  Found<LedgerEntry> FindInLedger(Id conversation, Id item) override {
    return Get(ledgers_[conversation], item);
  }
  base::Result<int64_t> CountLedger(Id conversation, Id except_item) override {
    const auto& ledger = ledgers_[conversation];
    return static_cast<int64_t>(ledger.size() - ledger.count(except_item));
  }
  base::Status SaveInLedger(Id conversation, const std::vector<LedgerEntry>& entries) override {
    for (const LedgerEntry& entry : entries) ledgers_[conversation][entry.item.name] = entry;
    return {};
  }
  base::Result<int64_t> RemoveFromLedger(Id conversation,
                                         const std::optional<std::string>& item) override {
    auto& ledger = ledgers_[conversation];
    const size_t before = ledger.size();
    if (item) ledger.erase(*item);
    if (!item) ledger.clear();
    return static_cast<int64_t>(before - ledger.size());
  }
  base::Result<std::string> NextLedger(Id after) override {
    for (auto at = ledgers_.upper_bound(after); at != ledgers_.end(); ++at)
      if (!at->second.empty()) return at->first;
    return std::string();
  }

  Found<std::string> FindTask(Id conversation) override { return Get(tasks_, conversation); }
  base::Status SaveTask(Id conversation, Id state, int64_t /*now_ms*/) override {
    tasks_[conversation] = state;
    return {};
  }

 private:
  struct KeptBlock {
    BlockRow row;
    std::optional<std::string> parts;
  };
  struct Kept {
    Conversation conversation;
    int64_t touched = 0;  // 0: rows without a conversation
    std::map<int64_t, Message> messages;
    std::map<int64_t, KeptBlock> blocks;
  };
  struct KeptCheckpoint {
    std::string owner;
    CheckpointRow row;
    std::string document;
  };

  template <class Map>
  static std::optional<typename Map::mapped_type> Get(const Map& map,
                                                      const typename Map::key_type& key) {
    const auto found = map.find(key);
    return found == map.end() ? std::nullopt : std::optional(found->second);
  }
  static std::string Head(const std::string& content, int64_t characters) {
    return std::string(base::Prefix(content, static_cast<size_t>(characters)));
  }
  // An open block ends at the conversation's last message.
  BlockRow Counted(const std::string& id, BlockRow row) {
    if (row.block.open) row.block.last = kept_[id].conversation.message_count;
    return row;
  }
  std::vector<std::pair<int64_t, const Conversation*>> LastUsedFirst() const {
    std::vector<std::pair<int64_t, const Conversation*>> all;
    for (const Kept& kept : kept_ | std::views::values)
      if (kept.touched > 0) all.emplace_back(kept.touched, &kept.conversation);
    std::ranges::sort(all, std::greater<>());
    return all;
  }

  std::map<std::string, Kept> kept_;
  std::map<std::string, std::map<int64_t, KeptCheckpoint>> checkpoints_;
  std::map<std::string, std::pair<std::string, FieldsRow>> fields_;  // owner, row
  std::map<std::string, std::map<std::string, LedgerEntry>> ledgers_;
  std::map<std::string, std::string> tasks_;
  int64_t touched_ = 0, clock_ms_ = 0;
};

}  // namespace conversation
