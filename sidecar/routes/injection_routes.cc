// Encodes records of injections and compares them with current results.
#include "sidecar/routes/injection_routes.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "lib/api/memory_api.h"
#include "lib/base/text/text.h"
#include "lib/http/message/page_query.h"
#include "sidecar/recall/prompt.h"
#include "sidecar/recall/selection.h"
#include "sidecar/routes/handlers.h"
#include "sidecar/tables/memory_sessions.h"
#include "sidecar/text/tool_text.h"

namespace sidecar {
namespace {

using base::Json;
using base::Result;

constexpr int64_t kMostReplays = 100;  // of a page, since each calls the server
constexpr int kReplayLimit = 10;       // for a tool that the policy no longer names

Json EncodeInjection(const InjectionRecord& record) {
  return {{"event", record.event},
          {"tool_name", record.tool_name},
          {"tool_use_id", record.tool_use_id},
          {"text", record.text},
          {"query", record.query},
          {"outcome", record.outcome},
          {"items", record.items},
          {"policy_digest", record.policy_digest},
          {"at", base::FormatTime(record.created_ms)}};
}

// The ids of `items` that are not in `others`, in order.
Json IdsBeyond(const Json& items, const Json& others) {
  Json ids = Json::array();
  for (const Json& item : items) {
    const bool there = std::any_of(others.begin(), others.end(),
                                   [&](const Json& other) { return other["id"] == item["id"]; });
    if (!there) ids.push_back(item["id"]);
  }
  return ids;
}

bool HaveSameOrder(const Json& items, const Json& others) {
  return std::equal(items.begin(), items.end(), others.begin(), others.end(),
                    [](const Json& a, const Json& b) { return a["id"] == b["id"]; });
}

SearchPlan SearchAgain(const InjectionRecord& record, const api::Policy& policy,
                       std::string query) {
  SearchPlan search{SearchPlan::Outcome::kSearches, std::move(query), 0, false};
  for (const api::InjectTool& entry : policy.inject_tools) {
    if (!ToolMatches(entry.tool, record.tool_name)) continue;
    search.limit = std::max(search.limit, entry.limit);
    search.inject |= entry.inject;
  }
  if (search.limit == 0) search.limit = kReplayLimit;
  return search;
}

}  // namespace

std::vector<http::Route> InjectionRoutes::Routes() {
  http::Route replay{"GET", "/v1/injections/{conversation}/{turn}/replay",
                     JsonHandler(this, &InjectionRoutes::Replay)};
  replay.waits = true;  // for the memory server
  return {{"GET", "/v1/injections/{conversation}/{turn}", JsonHandler(this, &InjectionRoutes::Get)},
          std::move(replay)};
}

struct InjectionRoutes::Question {
  static constexpr int64_t kMostTurn = 999'999'999;
  std::string conversation;
  int64_t turn = 0;
  InjectionPlace place;
  Json Answer(const char* name, Json list, int64_t more) const {
    Json answer = {{"conversation", conversation}, {"turn", turn}, {name, std::move(list)}};
    http::AddNextPage(answer, more);
    return answer;
  }
  static Result<Question> Read(const http::Request& request, size_t bytes) {
    Question question;
    question.conversation = request.parameters.at("conversation");
    const auto turn = http::ParseWhole(request.parameters.at("turn"));
    if (!turn || *turn > kMostTurn) {
      return base::Error{base::Code::kInvalid, "turn must be a whole number"};
    }
    question.turn = *turn;
    ASSIGN_OR_RETURN(question.place.limit, PageLimit(request));
    ASSIGN_OR_RETURN(question.place.from, PageCursor(request));
    question.place.bytes = bytes;
    return question;
  }
};

Result<InjectionPage> InjectionRoutes::Records(const Question& question) {
  ASSIGN_OR_RETURN(auto page, state_.Read([&](sqlite::Database& db) {
    return Injections(db, question.conversation, question.turn, question.place);
  }));
  if (!page.records.empty() || question.place.from > 0) return page;
  return base::Error{base::Code::kNotFound, "nothing was injected or searched for in turn " +
                                                std::to_string(question.turn) + " of \"" +
                                                question.conversation + "\""};
}

Result<Json> InjectionRoutes::Get(const http::Request& request) {
  ASSIGN_OR_RETURN(const auto question, Question::Read(request, http::kMostAnswerBytes));
  ASSIGN_OR_RETURN(const auto page, Records(question));
  Json list = Json::array();
  for (const InjectionRecord& record : page.records) list.push_back(EncodeInjection(record));
  return question.Answer("injections", std::move(list), page.more);
}

Result<Json> InjectionRoutes::Replay(const http::Request& request) {
  ASSIGN_OR_RETURN(const auto policy, policies_.InForce());
  if (!policy->policy.auto_search) {
    return base::Error{base::Code::kDenied, "autoSearch is off in this agent's policy"};
  }
  // The current results may be as large as the record.
  ASSIGN_OR_RETURN(auto question, Question::Read(request, http::kMostAnswerBytes / 2));
  question.place.limit = std::min(question.place.limit, kMostReplays);
  ASSIGN_OR_RETURN(const auto page, Records(question));
  Json list = Json::array();
  for (const InjectionRecord& record : page.records) list.push_back(ReplayOne(record, *policy));
  Json answer = question.Answer("replays", std::move(list), page.more);
  answer["policy_digest"] = policy->digest;
  return answer;
}

Json InjectionRoutes::ReplayOne(const InjectionRecord& record, const ActivePolicy& policy) {
  const std::string query(base::Prefix(record.query, api::kQueryCharacters));
  Recalled found, inject;
  if (record.tool_name.empty()) {
    found = recall_.ForPrompt(policy.policy, {record.conversation, query, record.turn <= 1}, {});
    const auto own = state_.Read([&](sqlite::Database& db) {
      return SessionsOf(db, record.conversation, SessionIds(found));
    });
    inject = WithoutOwn(found, own.value_or(std::set<std::string>()), 0);
    if (policy.policy.reinject != "everyTurn") inject = WithOneDigest(std::move(inject), {});
  } else {
    ToolRecall tool =
        recall_.ForTool(policy.policy, {SearchAgain(record, policy.policy, query)}, {});
    found = std::move(tool.found);
    inject = std::move(tool.inject);
  }
  const Injection injection = RenderInjection(inject, {}, policy.policy.budget_tokens);
  const Json items = EncodeItems(found.items, injection.items);
  return {{"event", record.event},
          {"query", query},
          {"then", EncodeInjection(record)},
          {"now", {{"outcome", found.outcome}, {"items", items}, {"text", injection.text}}},
          {"only_then", IdsBeyond(record.items, items)},
          {"only_now", IdsBeyond(items, record.items)},
          {"same_order", HaveSameOrder(record.items, items)}};
}

}  // namespace sidecar
