// Decodes, calls the items, encodes.
#include <time.h>

#include <charconv>

#include "lib/api/limits.h"
#include "lib/api/operations/operations.h"
#include "lib/base/text/text.h"
#include "memory/api/handlers.h"
#include "memory/api/items/item_json.h"
#include "memory/api/items/store_rules.h"
#include "memory/api/validate.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using http::Request;
using http::Response;

namespace {

constexpr size_t kItemsFound = 5;         // when no limit is given
constexpr size_t kMaxConsidered = 8'000;  // characters of the input, in an item's metadata

struct ItemPlace {
  std::string project, key;
};
Result<ItemPlace> PlaceOf(const Request& request) {
  ItemPlace place{"", request.parameters.at("key")};
  RETURN_IF_ERROR(CheckItemKey(place.key));
  ASSIGN_OR_RETURN(place.project, ProjectOf(request, Json::object()));
  return place;
}

Response ItemAnswer(int status, const Cell& item) {
  const Result<Json> json = EncodeItem(item);
  if (!json) return http::ErrorResponse(json.error());
  Response response = http::JsonResponse(status, *json);
  response.headers.Set("ETag", "\"" + std::to_string(item.version) + "\"");
  return response;
}

Response WrittenAnswer(const Result<CellWritten>& written) {
  if (!written) return http::ErrorResponse(written.error());
  if (!written->differs) return ItemAnswer(written->created ? 201 : 200, written->cell);
  const std::string now = written->cell.version == 0
                              ? "no such item"
                              : "its version is " + std::to_string(written->cell.version);
  return http::JsonResponse(
      412, {{"error", "the condition does not hold: " + now + "; nothing was changed"},
            {"code", "precondition_failed"}});
}

// The parameters of a GET.
struct ItemQuestion {
  std::string project, query;
  size_t limit = kItemsFound;
};
Result<ItemQuestion> QuestionOf(const Request& request) {
  ItemQuestion question;
  ASSIGN_OR_RETURN(question.project, ProjectOf(request, Json::object()));
  question.query = request.Query("query").value_or("");
  if (const size_t characters = base::CountCharacters(question.query);
      characters > api::kMaxQuestion) {
    return Error{Code::kInvalid, "query has " + std::to_string(characters) +
                                     " characters, the limit is " +
                                     std::to_string(api::kMaxQuestion)};
  }
  ASSIGN_OR_RETURN(const auto limit, NumberParameter(request, "limit"));
  if (const int64_t most = api::MostOf("find_items", "limit"); limit && *limit > most) {
    return Error{Code::kInvalid, "limit must be a whole number from 1 to " + std::to_string(most) +
                                     ", it is " + std::to_string(*limit)};
  }
  if (limit) question.limit = static_cast<size_t>(*limit);
  return question;
}

Result<FoundItems> Retrieved(const Api& api, const Request& request) {
  ASSIGN_OR_RETURN(const ItemQuestion question, QuestionOf(request));
  return api.store.items().Retrieve(question.project, question.query, question.limit,
                                    request.client_gone);
}

Response PutItem(const Api& api, const Request& request) {
  return WrittenAnswer([&]() -> Result<CellWritten> {
    ASSIGN_OR_RETURN(const ItemPlace place, PlaceOf(request));
    ASSIGN_OR_RETURN(const Precondition condition, DecodePrecondition(request.headers));
    ASSIGN_OR_RETURN(const Json body, ObjectBody(request));
    ASSIGN_OR_RETURN(Cell item, DecodeItem(place.key, body));
    item.owner = place.project;
    return api.store.items().Put(std::move(item), condition);
  }());
}

Response PatchItem(const Api& api, const Request& request) {
  return WrittenAnswer([&]() -> Result<CellWritten> {
    ASSIGN_OR_RETURN(const ItemPlace place, PlaceOf(request));
    ASSIGN_OR_RETURN(const Precondition condition, DecodePrecondition(request.headers));
    ASSIGN_OR_RETURN(const Json body, ObjectBody(request));
    ASSIGN_OR_RETURN(const ItemChange change, DecodeItemChange(body));
    return api.store.items().Change(place.project, place.key, change, condition);
  }());
}

Response GetItem(const Api& api, const Request& request) {
  const Result<Cell> item = [&]() -> Result<Cell> {
    ASSIGN_OR_RETURN(const ItemPlace place, PlaceOf(request));
    return api.store.items().Get(place.project, place.key);
  }();
  return item ? ItemAnswer(200, *item) : http::ErrorResponse(item.error());
}

Response DeleteItem(const Api& api, const Request& request) {
  const Result<CellWritten> gone = [&]() -> Result<CellWritten> {
    ASSIGN_OR_RETURN(const ItemPlace place, PlaceOf(request));
    return api.store.items().Remove(place.project, place.key);
  }();
  return gone ? http::EmptyResponse(204) : http::ErrorResponse(gone.error());
}

Response FindItems(const Api& api, const Request& request) {
  const Result<FoundItems> found = Retrieved(api, request);
  if (!found) return http::ErrorResponse(found.error());
  Json answer = {{"items", Json::array()}};
  for (const FoundItem& one : found->rows) {
    Result<Json> item = EncodeItem(one.item);
    if (!item) return http::ErrorResponse(item.error());
    (*item)["score"] = one.score;
    (*item)["method"] = one.method;
    answer["items"].push_back(*std::move(item));
  }
  if (found->partial) answer["partial"] = true;
  return http::JsonResponse(200, answer);
}

Response RenderFoundItems(const Api& api, const Request& request) {
  const Result<FoundItems> found = Retrieved(api, request);
  if (!found) return http::ErrorResponse(found.error());
  Json keys = Json::array();
  for (const FoundItem& one : found->rows) keys.push_back(one.item.key);
  return http::JsonResponse(
      200,
      {{"text", RenderItems(found->rows)}, {"suggested_role", "user"}, {"items", std::move(keys)}});
}

int64_t SpentByThread() {
  timespec spent{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return int64_t{spent.tv_sec} * 1'000'000 + spent.tv_nsec / 1000;
}

// Stores the agent's answer under a key derived from the user's input.
Response ConsiderItem(const Api& api, const Request& request) {
  const Result<Json> answer = [&]() -> Result<Json> {
    ASSIGN_OR_RETURN(const Json body, ObjectBody(request));
    ASSIGN_OR_RETURN(const std::string input, base::RequiredString(body, "user_input"));
    ASSIGN_OR_RETURN(const std::string said, base::RequiredString(body, "answer"));
    ASSIGN_OR_RETURN(const std::string project, ProjectOf(request, body));
    ASSIGN_OR_RETURN(const auto rules, DecodeStoreRules(body.value("rules", Json())));
    ASSIGN_OR_RETURN(const Consideration considered,
                     Consider(input, said, rules, SpentByThread, request.client_gone));
    Json verdict = {{"store", considered.store}, {"rule", considered.rule}};
    verdict["key"] = considered.key;
    if (!considered.store) return verdict;
    const Json metadata = {{"user_input", base::Ellipsize(input, kMaxConsidered)},
                           {"timestamp", base::FormatTime(api.clock.NowMs())}};
    ASSIGN_OR_RETURN(Cell item,
                     DecodeItem(considered.key, {{"value", said}, {"metadata", metadata}}));
    item.owner = project;
    RETURN_IF_ERROR(api.store.items().Put(std::move(item), {}));
    return verdict;
  }();
  return answer ? http::JsonResponse(200, *answer) : http::ErrorResponse(answer.error());
}

}  // namespace

HandlerTable ItemHandlers() {
  return {
      {"find_items", FindItems},       {"render_items", RenderFoundItems},
      {"consider_item", ConsiderItem}, {"put_item", PutItem},
      {"get_item", GetItem},           {"change_item", PatchItem},
      {"delete_item", DeleteItem},
  };
}

}  // namespace memory
