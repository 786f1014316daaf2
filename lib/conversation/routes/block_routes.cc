// Decodes, begins, closes or reads blocks, encodes. An answer has at most kMostAnswerBytes.
#include <algorithm>
#include <optional>
#include <utility>

#include "lib/base/text/text.h"
#include "lib/conversation/block/blocks.h"
#include "lib/conversation/conversations.h"
#include "lib/conversation/route_limits.h"
#include "lib/conversation/routes/block_views.h"
#include "lib/conversation/routes/host.h"
#include "lib/http/message/page_query.h"

namespace conversation {

using base::Json;
using base::Result;

namespace {

constexpr size_t kMostOriginalBytes = http::kMostAnswerBytes - (64 << 10);  // beside the block

base::Error NoBlock() { return {base::Code::kNotFound, "Block not found"}; }

Result<int64_t> BlockNumber(const http::Request& request) {
  const auto number = http::ParseWhole(request.parameters.at("n"));
  if (!number) return NoBlock();
  return *number;
}

Result<http::Response> Prepare(Host& host, const http::Request& request) {
  ASSIGN_OR_RETURN(const std::string id, ConversationId(request));
  if (!request.body.empty()) {
    ASSIGN_OR_RETURN(const Json body, base::ParseJson(request.body));
    if (!body.is_object()) return base::Error{base::Code::kInvalid, "the body must be an object"};
  }
  const std::string key = host.Key(id);
  ASSIGN_OR_RETURN(const auto prepared, PrepareClose(ReaderOf(host), key));
  const auto begun = host.Write([&](Rows& rows) -> Result<Json> {
    ASSIGN_OR_RETURN(const auto found, GetOrCreate(rows, key, host.NowMs()));
    ASSIGN_OR_RETURN(const bool uncut, IsUncut(rows, key));
    if (uncut) RETURN_IF_ERROR(CutIntoBlocks(rows, key));
    ASSIGN_OR_RETURN(const auto closed,
                     CloseBlock(rows, key, host.NowMs(), prepared ? &*prepared : nullptr));
    ASSIGN_OR_RETURN(const int64_t number, BeginBlock(rows, key, host.NowMs()));
    return Json{{"block", number}};
  });
  if (!begun) return begun.error();
  return http::JsonResponse(201, *begun);
}

Result<http::Response> Close(Host& host, const http::Request& request) {
  ASSIGN_OR_RETURN(const std::string id, ConversationId(request));
  Json outcome = "";
  if (!request.body.empty()) {
    ASSIGN_OR_RETURN(const Json body, base::ParseJson(request.body));
    if (!body.is_object()) return base::Error{base::Code::kInvalid, "the body must be an object"};
    ASSIGN_OR_RETURN(const auto given, base::OptionalString(body, "outcome"));
    outcome = given.value_or("");
  }
  RETURN_IF_ERROR(host.Redact(outcome, Host::Text::kContent));
  RETURN_IF_ERROR(CutIfNeeded(host, id));
  const std::string key = host.Key(id);
  ASSIGN_OR_RETURN(const auto prepared, PrepareClose(ReaderOf(host), key));
  return AsResponse(host.Write([&](Rows& rows) -> Result<Json> {
    ASSIGN_OR_RETURN(const auto closed,
                     CloseBlock(rows, key, host.NowMs(), prepared ? &*prepared : nullptr,
                                outcome.get<std::string>()));
    if (closed) return EncodeBlock(*closed);
    return base::Error{base::Code::kConflict,
                       "no block of conversation \"" + id +
                           "\" is open: POST …/blocks or a message of the user opens one"};
  }));
}

// Sets query and tools of an open block as closing would, and the size of its unchanged messages.
base::Status Measure(Host& host, const std::string& key, Block& block) {
  BlockDigest digest = DigestOf(block);
  RETURN_IF_ERROR(ReadOn(ReaderOf(host), key, block.last, digest));
  block.query = digest.compaction.Query();
  block.tools = digest.compaction.Tools();
  block.tokens = digest.compaction.OriginalTokens();
  return {};
}

Result<http::Response> List(Host& host, const http::Request& request) {
  ASSIGN_OR_RETURN(const std::string id, ConversationId(request));
  ASSIGN_OR_RETURN(const int64_t limit, http::PageLimit(request));
  ASSIGN_OR_RETURN(const int64_t from, http::PageCursor(request));
  RETURN_IF_ERROR(CutIfNeeded(host, id));
  ASSIGN_OR_RETURN(const bool all, MakeForms(host, id));
  const std::string key = host.Key(id);
  std::vector<Block> blocks;
  RETURN_IF_ERROR(ReaderOf(host)([&](Rows& rows) -> base::Status {
    ASSIGN_OR_RETURN(blocks, rows.ListBlocks(key, from, limit + 1));
    return {};
  }));
  Json answer = {{"conversation", id}, {"blocks", Json::array()}};
  const bool more = std::ssize(blocks) > limit;
  const int64_t next = more ? blocks.back().number : 0;
  if (more) blocks.pop_back();
  for (Block& block : blocks) {
    if (block.open) RETURN_IF_ERROR(Measure(host, key, block));
    answer["blocks"].push_back(EncodeBlock(block));
  }
  if (!all) answer["partial"] = true;  // some have no summary yet: repeat the request
  http::AddNextPage(answer, next);
  return http::JsonResponse(200, answer);
}

Result<Json> Originals(Rows& rows, const std::string& key, const Block& block,
                       const http::Request& request) {
  ASSIGN_OR_RETURN(const int64_t limit, http::PageLimit(request));
  ASSIGN_OR_RETURN(const int64_t cursor, http::PageCursor(request));
  Json answer = EncodeBlock(block);
  const PageLimits limits = {limit, kMostOriginalBytes};
  ASSIGN_OR_RETURN(const auto page,
                   MessagesBetween(rows, key, std::max(block.first, cursor), block.last, limits));
  answer["messages"] = EncodeMessages(page);
  http::AddNextPage(answer, page.more);
  return answer;
}

Result<Json> Compacted(Rows& rows, const std::string& key, const Block& block) {
  Json answer = EncodeBlock(block);
  ASSIGN_OR_RETURN(auto view, CompactView(rows, key, block.number, kMostOriginalBytes));
  if (!view) {
    return base::Error{base::Code::kTooLarge, "the compact form of block " +
                                                  std::to_string(block.number) + " has over " +
                                                  std::to_string(kMostOriginalBytes) +
                                                  " bytes; read the originals by pages"};
  }
  answer["messages"] = std::move(view->messages);
  return answer;
}

Result<http::Response> Get(Host& host, const http::Request& request) {
  ASSIGN_OR_RETURN(const std::string id, ConversationId(request));
  ASSIGN_OR_RETURN(const int64_t number, BlockNumber(request));
  const std::string form = request.Query("form").value_or("original");
  if (form != "original" && form != "compact") {
    return base::Error{base::Code::kInvalid, "form must be original or compact, it is \"" +
                                                 base::Ellipsize(form, 40) + "\""};
  }
  RETURN_IF_ERROR(CutIfNeeded(host, id));
  const std::string key = host.Key(id);
  std::optional<Block> block;
  bool has_form = false;
  RETURN_IF_ERROR(ReaderOf(host)([&](Rows& rows) -> base::Status {
    ASSIGN_OR_RETURN(block, FindBlock(rows, key, number));
    ASSIGN_OR_RETURN(const auto parts, FindParts(rows, key, number));
    has_form = parts.has_value();
    return {};
  }));
  if (!block) return NoBlock();
  if (block->open && form == "compact") {
    return base::Error{base::Code::kConflict, "block " + std::to_string(number) +
                                                  " is open: its compact form is made when it "
                                                  "closes"};
  }
  if (block->open) RETURN_IF_ERROR(Measure(host, key, *block));
  if (!block->open && !has_form) RETURN_IF_ERROR(MakeForm(host, id, *block));
  return AsResponse(host.Read([&](Rows& rows) -> Result<Json> {
    if (block->open) return Originals(rows, key, *block, request);
    ASSIGN_OR_RETURN(const auto closed, FindBlock(rows, key, number));
    if (!closed) return NoBlock();
    return form == "compact" ? Compacted(rows, key, *closed)
                             : Originals(rows, key, *closed, request);
  }));
}

Result<http::Response> GetContext(Host& host, const http::Request& request) {
  ASSIGN_OR_RETURN(const std::string id, ConversationId(request));
  ASSIGN_OR_RETURN(const auto max_tokens,
                   http::WholeNumber(request, "max_tokens", 0, kMaxWindowTokens));
  if (!max_tokens) {
    return base::Error{base::Code::kInvalid,
                       "max_tokens is required: the size of the model's window"};
  }
  RETURN_IF_ERROR(CutIfNeeded(host, id));
  ASSIGN_OR_RETURN(const bool all, MakeForms(host, id));
  return AsResponse(host.Read([&](Rows& rows) -> Result<Json> {
    ASSIGN_OR_RETURN(Json context, BuildContext(rows, host.Key(id), *max_tokens));
    if (!all) context["partial"] = true;
    return context;
  }));
}

}  // namespace

std::vector<HostedHandler> BlockRoutes() {
  return {{"begin_block", Prepare},
          {"close_block", Close},
          {"list_blocks", List},
          {"get_block", Get},
          {"get_conversation_context", GetContext}};
}

}  // namespace conversation
