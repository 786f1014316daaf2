// Decodes, reads or changes the ledger, encodes. Redacts names before a store and before a lookup.
#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "lib/base/process/clock.h"
#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"
#include "lib/conversation/conversations.h"
#include "lib/conversation/route_limits.h"
#include "lib/conversation/routes/host.h"
#include "lib/conversation/working/ledger.h"
#include "lib/http/message/page_query.h"

namespace conversation {

using base::Json;
using base::Result;

namespace {

// A character has at most six bytes as JSON, so a page of entries always fits an answer.
static_assert(http::kMostOfAPage * (2 * 6 * kMaxLedgerText + 300) < http::kMostAnswerBytes);

Json EncodeEntry(const LedgerEntry& entry) {
  return {{"item", entry.item.name},
          {"value", entry.item.value},
          {"turn", entry.turn},
          {"marked_at", base::FormatTime(entry.marked_ms)}};
}

// The cursor of a page's last entry: "<milliseconds>-<item in hexadecimal>".
std::string EncodeCursor(const LedgerEntry& last) {
  return std::to_string(last.marked_ms) + "-" + base::Hex(last.item.name);
}

std::optional<LedgerPlace> ParseCursor(const std::string& cursor) {
  const size_t dash = std::min(cursor.find('-'), cursor.size());
  const std::string_view digits = std::string_view(cursor).substr(0, dash);
  const std::string_view hex = std::string_view(cursor).substr(std::min(dash + 1, cursor.size()));
  constexpr const char* kDigits = "0123456789abcdef";
  LedgerPlace place{0, ""};
  const auto [end, problem] =
      std::from_chars(digits.data(), digits.data() + digits.size(), place.marked_ms);
  if (problem != std::errc() || end != digits.data() + digits.size() || hex.empty() ||
      hex.size() % 2 != 0 || hex.find_first_not_of(kDigits) != std::string_view::npos) {
    return std::nullopt;
  }
  for (size_t i = 0; i < hex.size(); i += 2) {
    int byte = 0;
    std::from_chars(hex.data() + i, hex.data() + i + 2, byte, 16);
    place.item.push_back(static_cast<char>(byte));
  }
  return place;
}

Result<LedgerPlace> DecodeCursor(const http::Request& request) {
  const auto cursor = request.Query("cursor");
  if (!cursor) return LedgerPlace();
  if (auto place = ParseCursor(*cursor)) return std::move(*place);
  return base::Error{base::Code::kInvalid,
                     "cursor must be the next_cursor of the page before, it is \"" +
                         base::Ellipsize(*cursor, 40) + "\""};
}

struct Question {
  std::string conversation;
  LedgerItem item;
  bool has_value = false;  // the request has a value
  Json Answer(bool injected) const {
    return {{"conversation", conversation}, {"item", item.name}, {"injected", injected}};
  }
};

Result<Question> ReadQuestion(const Host& host, const http::Request& request) {
  Question question;
  ASSIGN_OR_RETURN(question.conversation, ConversationId(request));
  ASSIGN_OR_RETURN(const Json body, base::ParseJson(request.body));
  if (!body.is_object()) return base::Error{base::Code::kInvalid, "the body must be an object"};
  ASSIGN_OR_RETURN(const auto item, base::RequiredString(body, "item"));
  ASSIGN_OR_RETURN(const auto value, base::OptionalString(body, "value"));
  RETURN_IF_ERROR(CheckLedgerText("item", item));
  RETURN_IF_ERROR(CheckLedgerText("value", value.value_or(kInjected)));
  Json name = item, version = value.value_or(kInjected);
  for (Json* text : {&name, &version}) RETURN_IF_ERROR(host.Redact(*text, Host::Text::kName));
  question.has_value = value.has_value();
  question.item = {name.get<std::string>(), version.get<std::string>()};
  return question;
}

Result<http::Response> GetLedger(Host& host, const http::Request& request) {
  ASSIGN_OR_RETURN(const std::string id, ConversationId(request));
  ASSIGN_OR_RETURN(const int64_t limit, http::PageLimit(request));
  ASSIGN_OR_RETURN(const LedgerPlace behind, DecodeCursor(request));
  return AsResponse(host.Read([&](Rows& rows) -> Result<Json> {
    ASSIGN_OR_RETURN(auto entries, rows.ListLedger(host.Key(id), behind, limit + 1));
    const bool more = std::ssize(entries) > limit;
    if (more) entries.pop_back();
    Json list = Json::array();
    for (const LedgerEntry& entry : entries) list.push_back(EncodeEntry(entry));
    Json answer = {{"conversation", id}, {"items", std::move(list)}};
    if (more) {
      answer["partial"] = true;
      answer["next_cursor"] = EncodeCursor(entries.back());
    }
    return answer;
  }));
}

Result<http::Response> CheckItem(Host& host, const http::Request& request) {
  ASSIGN_OR_RETURN(const Question question, ReadQuestion(host, request));
  return AsResponse(host.Read([&](Rows& rows) -> Result<Json> {
    ASSIGN_OR_RETURN(const auto entry,
                     rows.FindInLedger(host.Key(question.conversation), question.item.name));
    // Another value is another revision of the item, which may be injected again.
    const bool same = !question.has_value || (entry && entry->item.value == question.item.value);
    Json answer = question.Answer(entry && same);
    if (entry) answer.update(EncodeEntry(*entry));
    return answer;
  }));
}

Result<http::Response> MarkItem(Host& host, const http::Request& request) {
  ASSIGN_OR_RETURN(const Question question, ReadQuestion(host, request));
  return AsResponse(host.Write([&](Rows& rows) -> Result<Json> {
    LedgerEntry entry{question.item, 0, host.NowMs()};
    const std::string key = host.Key(question.conversation);
    ASSIGN_OR_RETURN(const auto conversation, rows.FindConversation(key));
    if (conversation) entry.turn = conversation->turn;
    RETURN_IF_ERROR(MarkInLedger(rows, key, entry));
    Json answer = question.Answer(true);
    answer.update(EncodeEntry(entry));
    return answer;
  }));
}

Result<http::Response> EvictItem(Host& host, const http::Request& request) {
  ASSIGN_OR_RETURN(const Question question, ReadQuestion(host, request));
  return AsResponse(host.Write(
      [&](Rows& rows) -> Result<Json> {
        ASSIGN_OR_RETURN(
            const int64_t evicted,
            rows.RemoveFromLedger(host.Key(question.conversation), question.item.name));
        Json answer = question.Answer(false);
        answer["evicted"] = evicted > 0;
        return answer;
      },
      Host::Space::kFrees));
}

}  // namespace

base::Status CheckLedgerText(const char* field, const std::string& text) {
  const size_t length = base::CountCharacters(text);
  if (length <= kMaxLedgerText && !base::IsBlank(text)) return {};
  return base::Error{base::Code::kInvalid, std::string(field) + " must have 1 to " +
                                               std::to_string(kMaxLedgerText) +
                                               " characters, it has " + std::to_string(length)};
}

std::vector<HostedHandler> LedgerRoutes() {
  return {{"list_ledger", GetLedger},
          {"check_ledger", CheckItem},
          {"mark_in_ledger", MarkItem},
          {"evict_from_ledger", EvictItem}};
}

}  // namespace conversation
