// Forms are read in pages, and those of several blocks are stored per transaction. A context is
// built in one read transaction, so that the open block and the closed ones are consistent.
#include "lib/conversation/routes/block_views.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "lib/base/text/text.h"
#include "lib/conversation/block/blocks.h"
#include "lib/conversation/block/context_plan.h"
#include "lib/conversation/conversations.h"
#include "lib/http/message/page_query.h"

namespace conversation {

using base::Json;
using base::Result;
using base::Status;

namespace {

constexpr size_t kKeptTogether = 20;

Status KeepAll(Host& host, const std::string& key, const std::vector<BlockDigest>& digests) {
  if (digests.empty()) return {};
  const auto kept = host.Write([&](Rows& rows) -> Result<Json> {
    for (const BlockDigest& digest : digests) RETURN_IF_ERROR(KeepDigest(rows, key, digest));
    return Json();
  });
  return kept ? Status() : kept.error();
}

constexpr size_t kMostContextBytes = http::kMostAnswerBytes - (256 << 10);  // beside other fields

// Drops results of calls that are not among the messages: models refuse them.
void DropLoneResults(std::vector<Message>& messages) {
  std::set<std::string> calls;
  std::erase_if(messages, [&](const Message& message) {
    calls.merge(CallIds(message.tool_calls));
    return message.role == "tool" && !calls.contains(message.tool_call_id);
  });
}

Result<std::vector<Message>> OpenMessages(Rows& rows, const std::string& conversation) {
  ASSIGN_OR_RETURN(const auto open, FindOpenBlock(rows, conversation));
  if (!open) return std::vector<Message>();
  const PageLimits limits = {INT64_MAX, kMostContextBytes};
  ASSIGN_OR_RETURN(auto page, MessagesBetween(rows, conversation, open->first, open->last, limits));
  if (page.more != 0) {
    return base::Error{base::Code::kTooLarge,
                       "the open block " + std::to_string(open->number) + " has over " +
                           std::to_string(kMostContextBytes) +
                           " bytes, the limit of a context; read it by pages with GET …/blocks/" +
                           std::to_string(open->number)};
  }
  DropLoneResults(page.messages);
  return std::move(page.messages);
}

int64_t TokensOf(const std::vector<Message>& messages) {
  int64_t characters = 0;
  for (const Message& message : messages) {
    characters += static_cast<int64_t>(base::CountCharacters(message.content));
    if (message.tool_calls.is_null()) continue;
    characters += static_cast<int64_t>(base::CountCharacters(base::DumpJson(message.tool_calls)));
  }
  return characters / 3;
}

}  // namespace

BlockReader ReaderOf(Host& host) {
  return [&host](const std::function<Status(Rows&)>& use) -> Status {
    const auto read = host.Read([&](Rows& rows) -> Result<Json> {
      RETURN_IF_ERROR(use(rows));
      return Json();
    });
    return read ? Status() : read.error();
  };
}

Status CutIfNeeded(Host& host, const std::string& id) {
  const std::string key = host.Key(id);
  bool uncut = false;
  RETURN_IF_ERROR(ReaderOf(host)([&](Rows& rows) -> Status {
    ASSIGN_OR_RETURN(const auto found, rows.FindConversation(key));
    if (!found) return NoConversation(id);
    ASSIGN_OR_RETURN(uncut, IsUncut(rows, key));
    return {};
  }));
  if (!uncut) return {};
  const auto cut = host.Write([&](Rows& rows) -> Result<Json> {
    ASSIGN_OR_RETURN(const bool still, IsUncut(rows, key));
    if (still) RETURN_IF_ERROR(CutIntoBlocks(rows, key));
    return Json();
  });
  return cut ? Status() : cut.error();
}

Result<bool> MakeForms(Host& host, const std::string& id) {
  const std::string key = host.Key(id);
  const BlockReader reader = ReaderOf(host);
  std::vector<Block> blocks;
  RETURN_IF_ERROR(reader([&](Rows& rows) -> Status {
    ASSIGN_OR_RETURN(blocks, rows.NewestClosedBlocks(key, false, kFormsTogether));
    return {};
  }));
  std::vector<BlockDigest> digests;
  int64_t messages = 0;
  bool all = std::ssize(blocks) < kFormsTogether;
  for (const Block& block : blocks) {
    const int64_t more = block.last - block.first + 1;
    all = all && (messages == 0 || messages + more <= kMessagesTogether);
    if (messages > 0 && messages + more > kMessagesTogether) break;
    messages += more;
    digests.push_back(DigestOf(block));
    RETURN_IF_ERROR(ReadOn(reader, key, block.last, digests.back()));
    if (digests.size() < kKeptTogether) continue;
    RETURN_IF_ERROR(KeepAll(host, key, std::exchange(digests, {})));
  }
  RETURN_IF_ERROR(KeepAll(host, key, digests));
  return all;
}

Status MakeForm(Host& host, const std::string& id, const Block& block) {
  const std::string key = host.Key(id);
  std::vector<BlockDigest> digest = {DigestOf(block)};
  RETURN_IF_ERROR(ReadOn(ReaderOf(host), key, block.last, digest.front()));
  return KeepAll(host, key, digest);
}

Result<std::optional<CompactMessagesView>> CompactView(Rows& rows, const std::string& conversation,
                                                       int64_t number, size_t max_bytes) {
  ASSIGN_OR_RETURN(const auto parts, FindParts(rows, conversation, number));
  std::optional<CompactMessagesView> view = CompactMessagesView();
  const auto add = [&](const Message& message) -> Result<bool> {
    const size_t bytes = EncodedBytes(message);
    if (view->bytes + bytes > max_bytes) return false;
    view->bytes += bytes;
    view->messages.push_back(EncodeMessage(message));
    return true;
  };
  if (!parts) return view;
  for (const CompactPart& part : *parts) {
    MessagePage page;
    if (part.tool_use.empty()) {
      const PageLimits limits = {INT64_MAX, max_bytes - view->bytes + 1};
      ASSIGN_OR_RETURN(page, MessagesBetween(rows, conversation, part.from, part.to, limits));
    } else {
      page.messages.push_back(ToolUseMessage(part.tool_use));
    }
    for (const Message& message : page.messages) {
      ASSIGN_OR_RETURN(const bool fits, add(message));
      if (!fits) return std::optional<CompactMessagesView>();
    }
    if (page.more != 0) return std::optional<CompactMessagesView>();
  }
  return view;
}

Result<Json> BuildContext(Rows& rows, const std::string& conversation, int64_t max_tokens) {
  ASSIGN_OR_RETURN(const auto open, OpenMessages(rows, conversation));
  ASSIGN_OR_RETURN(const auto closed, ClosedSizes(rows, conversation, kMaxBlocksRead));
  ContextPlan plan = PlanContext(closed, TokensOf(open), max_tokens);
  size_t room = kMostContextBytes;
  Json current = Json::array();
  for (const Message& message : open) {
    room -= std::min(room, EncodedBytes(message));
    current.push_back(EncodeMessage(message));
  }
  std::vector<Json> views;  // the newest first
  Json blocks = Json::array();
  for (const BlockSize& block : closed) {
    if (!std::ranges::binary_search(plan.blocks, block.number)) continue;
    ASSIGN_OR_RETURN(auto view, CompactView(rows, conversation, block.number, room));
    if (!view) {  // fits the tokens, but not the bytes
      plan.tokens -= block.tokens;
      plan.left_out.push_back(block.number);
      continue;
    }
    room -= view->bytes;
    views.push_back(std::move(view->messages));
    blocks.push_back(block.number);
  }
  std::ranges::sort(plan.left_out);
  std::reverse(blocks.begin(), blocks.end());
  Json messages = Json::array();
  for (auto view = views.rbegin(); view != views.rend(); ++view) {
    for (Json& message : *view) messages.push_back(std::move(message));
  }
  for (Json& message : current) messages.push_back(std::move(message));
  return Json{{"messages", std::move(messages)},
              {"tokens", plan.tokens},
              {"budget", plan.budget},
              {"blocks", std::move(blocks)},
              {"left_out", plan.left_out}};
}

}  // namespace conversation
