// Decodes, reads or changes the ledger, encodes. Names are redacted before a store and before a
// lookup alike.
#include "sidecar/routes/ledger_routes.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"
#include "lib/conversation/conversations.h"
#include "sidecar/routes/json_handler.h"
#include "sidecar/routes/page_query.h"
#include "sidecar/service/working_memory.h"
#include "sidecar/tables/ledger.h"

namespace sidecar {

using base::Json;
using base::Result;

namespace {

constexpr size_t kItemCharacters = 500;
// A character has at most six bytes as JSON, so that a page of entries fits whatever is in them.
static_assert(kMostOfAPage * (2 * 6 * kItemCharacters + 300) < kMostAnswerBytes);

Result<std::string> ConversationOf(const http::Request& request) {
  const std::string& id = request.parameters.at("conversation");
  RETURN_IF_ERROR(CheckConversationId(id));
  return id;
}

base::Status CheckLength(const char* field, const std::string& text) {
  const size_t length = base::CountCharacters(text);
  if (length <= kItemCharacters && !base::IsBlank(text)) return {};
  return base::Error{base::Code::kInvalid, std::string(field) + " must have 1 to " +
                                               std::to_string(kItemCharacters) +
                                               " characters, it has " + std::to_string(length)};
}

Json EncodeEntry(const LedgerEntry& entry) {
  return {{"item", entry.mark.item},
          {"value", entry.mark.value},
          {"turn", entry.turn},
          {"marked_at", base::FormatTime(entry.marked_ms)}};
}

// Where a page ended: "<milliseconds>-<item in hexadecimal>".
std::string EncodeCursor(const LedgerEntry& last) {
  return std::to_string(last.marked_ms) + "-" + base::Hex(last.mark.item);
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

}  // namespace

struct LedgerRoutes::Question {
  std::string conversation;
  LedgerMark mark;
  Json Answer(bool injected) const {
    return {{"conversation", conversation}, {"item", mark.item}, {"injected", injected}};
  }
};

std::vector<http::Route> LedgerRoutes::Routes() {
  return {
      {"GET", "/ledger/{conversation}", JsonHandler(this, &LedgerRoutes::Get)},
      {"POST", "/ledger/{conversation}/check", JsonHandler(this, &LedgerRoutes::Check)},
      {"POST", "/ledger/{conversation}/mark", JsonHandler(this, &LedgerRoutes::Mark)},
      {"POST", "/ledger/{conversation}/evict", JsonHandler(this, &LedgerRoutes::Evict)},
  };
}

Result<LedgerRoutes::Question> LedgerRoutes::ReadQuestion(const http::Request& request) const {
  ASSIGN_OR_RETURN(const auto policy, policies_.InForce());
  Question question;
  ASSIGN_OR_RETURN(question.conversation, ConversationOf(request));
  ASSIGN_OR_RETURN(const Json body, base::ParseJson(request.body));
  if (!body.is_object()) return base::Error{base::Code::kInvalid, "the body must be an object"};
  ASSIGN_OR_RETURN(question.mark.item, base::RequiredString(body, "item"));
  ASSIGN_OR_RETURN(const auto value, base::OptionalString(body, "value"));
  if (value) question.mark.value = *value;
  RETURN_IF_ERROR(CheckLength("item", question.mark.item));
  RETURN_IF_ERROR(CheckLength("value", question.mark.value));
  Redactor::Counts counts;
  for (std::string* text : {&question.mark.item, &question.mark.value}) {
    *text = policy->redactor.Redact(*text, counts);
  }
  return question;
}

Result<Json> LedgerRoutes::Get(const http::Request& request) {
  ASSIGN_OR_RETURN(const std::string id, ConversationOf(request));
  ASSIGN_OR_RETURN(const int64_t limit, PageLimit(request));
  ASSIGN_OR_RETURN(const LedgerPlace behind, DecodeCursor(request));
  ASSIGN_OR_RETURN(auto entries, state_.Read([&](sqlite::Database& db) {
    return LedgerEntries(db, id, behind, limit + 1);
  }));
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
}

Result<Json> LedgerRoutes::Check(const http::Request& request) {
  ASSIGN_OR_RETURN(const Question question, ReadQuestion(request));
  ASSIGN_OR_RETURN(const auto entry, state_.Read([&](sqlite::Database& db) {
    return FindInLedger(db, question.conversation, question.mark.item);
  }));
  Json answer = question.Answer(entry.has_value());
  if (entry) answer.update(EncodeEntry(*entry));
  return answer;
}

Result<Json> LedgerRoutes::Mark(const http::Request& request) {
  ASSIGN_OR_RETURN(const Question question, ReadQuestion(request));
  LedgerEntry entry{question.mark, 0, clock_.NowMs()};
  RETURN_IF_ERROR(state_.Change([&](sqlite::Database& db) -> base::Status {
    ASSIGN_OR_RETURN(const auto conversation, conversation::Find(db, question.conversation));
    if (conversation) entry.turn = conversation->turn;
    return MarkInLedger(db, question.conversation, entry);
  }));
  Json answer = question.Answer(true);
  answer.update(EncodeEntry(entry));
  return answer;
}

Result<Json> LedgerRoutes::Evict(const http::Request& request) {
  ASSIGN_OR_RETURN(const Question question, ReadQuestion(request));
  ASSIGN_OR_RETURN(const bool evicted, state_.Write<bool>([&](sqlite::Database& db) {
    return EvictFromLedger(db, question.conversation, question.mark.item);
  }));
  Json answer = question.Answer(false);
  answer["evicted"] = evicted;
  return answer;
}

}  // namespace sidecar
