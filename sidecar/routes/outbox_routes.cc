// GET /v1/dead-letters, GET and DELETE /v1/dead-letters/{sequence}, POST /v1/dead-letters/replay.
#include "sidecar/routes/outbox_routes.h"

#include <utility>

#include "lib/base/json/stored.h"
#include "lib/base/process/clock.h"
#include "lib/base/process/log.h"
#include "lib/http/message/page_query.h"
#include "sidecar/outbox/dead_letters.h"
#include "sidecar/routes/handlers.h"

namespace sidecar {
namespace {

using base::Code;
using base::Error;
using base::Json;
using base::Result;

constexpr int64_t kListed = 100, kMostListed = 1'000;
constexpr size_t kMostNamed = 1'000;
constexpr const char* kHowToReplay =
    R"(the body must be {"all": true}, {"cause": "400"} or {"sequences": [1, 2]})";

Result<int64_t> Whole(const std::string& text, const char* name, int64_t most) {
  const auto value = http::ParseWhole(text);
  if (value && *value >= 1 && *value <= most) return *value;
  return Error{Code::kInvalid, std::string(name) + " is \"" + text +
                                   "\" and must be a whole number from 1 to " +
                                   std::to_string(most)};
}

Result<int64_t> WholeQuery(const http::Request& request, const char* name, int64_t otherwise,
                           int64_t most) {
  const auto text = request.Query(name);
  if (!text) return otherwise;
  return Whole(*text, name, most);
}

Result<std::vector<int64_t>> DecodeSequences(const Json& list) {
  if (!list.is_array() || list.empty() || list.size() > kMostNamed) {
    return Error{Code::kInvalid, "sequences must be a list of 1 to " + std::to_string(kMostNamed) +
                                     " numbers of GET /v1/dead-letters"};
  }
  std::vector<int64_t> sequences;
  for (const Json& one : list) {
    if (!one.is_number_integer()) {
      return Error{Code::kInvalid, "sequences must be whole numbers"};
    }
    sequences.push_back(one.get<int64_t>());
  }
  return sequences;
}

// Exactly one selector, so that a typing error does not replay everything.
Result<ReplayChoice> DecodeChoice(const std::string& text) {
  ASSIGN_OR_RETURN(const Json body, base::ParseJson(text));
  ReplayChoice choice;
  if (!body.is_object() || body.size() != 1) return Error{Code::kInvalid, kHowToReplay};
  if (body.contains("sequences")) {
    ASSIGN_OR_RETURN(choice.sequences, DecodeSequences(body["sequences"]));
    return choice;
  }
  if (body.contains("cause")) {
    ASSIGN_OR_RETURN(choice.cause, base::RequiredString(body, "cause"));
    if (!choice.cause.empty()) return choice;
  }
  if (body.value("all", Json()) == true) return choice;
  return Error{Code::kInvalid, kHowToReplay};
}

}  // namespace

OutboxRoutes::OutboxRoutes(State& state, const PolicyWatch& policies, OutboxLimits limits,
                           std::function<void()> wake)
    : state_(state), policies_(policies), limits_(limits), wake_(std::move(wake)) {}

std::vector<http::Route> OutboxRoutes::Routes() {
  return {
      {"GET", "/v1/dead-letters", JsonHandler(this, &OutboxRoutes::List)},
      {"GET", "/v1/dead-letters/{sequence}", JsonHandler(this, &OutboxRoutes::Get)},
      {"DELETE", "/v1/dead-letters/{sequence}", JsonHandler(this, &OutboxRoutes::Discard)},
      {"POST", "/v1/dead-letters/replay", JsonHandler(this, &OutboxRoutes::Replay)},
  };
}

Result<Json> OutboxRoutes::List(const http::Request& request) {
  ASSIGN_OR_RETURN(const int64_t before, WholeQuery(request, "before", 0, INT64_MAX));
  ASSIGN_OR_RETURN(const int64_t limit, WholeQuery(request, "limit", kListed, kMostListed));
  ASSIGN_OR_RETURN(const auto letters, state_.Read([&](sqlite::Database& db) {
    return DeadLetters(db, before, limit);
  }));
  Json list = Json::array();
  for (const DeadLetter& letter : letters) list.push_back(EncodeDeadLetter(letter));
  Json answer = {{"dead_letters", std::move(list)}};
  if (static_cast<int64_t>(letters.size()) == limit) answer["before"] = letters.back().sequence;
  return answer;
}

Result<Json> OutboxRoutes::Get(const http::Request& request) {
  ASSIGN_OR_RETURN(const int64_t sequence,
                   Whole(request.parameters.at("sequence"), "sequence", INT64_MAX));
  return state_.Read([&](sqlite::Database& db) -> Result<Json> {
    // The list before the next number begins with this letter.
    ASSIGN_OR_RETURN(const auto letters, DeadLetters(db, sequence + 1, 1));
    ASSIGN_OR_RETURN(const auto row, LoadDeadLetter(db, sequence));
    if (!row || letters.empty() || letters[0].sequence != sequence) {
      return Error{Code::kNotFound, "no dead letter " + std::to_string(sequence) +
                                        "; GET /v1/dead-letters lists them"};
    }
    Json answer = EncodeDeadLetter(letters[0]);
    answer["method"] = row->method;
    answer["sound"] = row->checksum_ok;
    answer["body"] = Json();
    if (row->checksum_ok) {
      ASSIGN_OR_RETURN(answer["body"], base::ParseStored(row->body, Json()));
    }
    return answer;
  });
}

Result<Json> OutboxRoutes::Replay(const http::Request& request) {
  ASSIGN_OR_RETURN(const ReplayChoice choice, DecodeChoice(request.body));
  ASSIGN_OR_RETURN(const Replayed done, state_.Write<Replayed>([&](sqlite::Database& db) {
    return ReplayDeadLetters(db, choice, limits_);
  }));
  base::LogInfo("dead letters are sent again",
                {{"replayed", done.replayed}, {"no_room_yet", done.left}});
  if (done.replayed > 0) wake_();
  return Json{{"replayed", done.replayed}, {"left", done.left}};
}

// One letter at a time, by number, since a discard is final. Needs memory.allowAdmin, since agents
// use this listener and must not destroy acknowledged writes.
Result<Json> OutboxRoutes::Discard(const http::Request& request) {
  const auto policy = policies_.Current();
  if (!policy || !policy->policy.allow_admin) {
    return Error{Code::kDenied,
                 "the policy of this agent does not allow to discard (memory.allowAdmin)"};
  }
  ASSIGN_OR_RETURN(const int64_t sequence,
                   Whole(request.parameters.at("sequence"), "sequence", INT64_MAX));
  RETURN_IF_ERROR(
      state_.Change([&](sqlite::Database& db) { return DiscardDeadLetter(db, sequence); }));
  base::LogWarn("a dead letter is discarded", {{"sequence", sequence}});
  return Json{{"sequence", sequence}, {"discarded", true}};
}

}  // namespace sidecar
