// Decodes, calls the turns, encodes.
#include "lib/api/limits.h"
#include "memory/api/handlers.h"
#include "memory/api/traces/trace_json.h"
#include "memory/api/validate.h"
#include "memory/ingest/ingest_settings.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using http::Request;
using http::Response;

namespace {

Result<std::string> TurnText(const Json& body, const char* field) {
  ASSIGN_OR_RETURN(const auto text, base::OptionalString(body, field));
  if (text && text->size() > api::kMaxTurnText) {
    return Error{Code::kTooLarge, std::string(field) + " has " + std::to_string(text->size()) +
                                      " bytes, the limit is " + std::to_string(api::kMaxTurnText)};
  }
  return text.value_or("");
}

Result<Turn> DecodeTurn(const Request& request, const Json& body) {
  Turn turn;
  ASSIGN_OR_RETURN(turn.context, ContextOf(request, body));
  ASSIGN_OR_RETURN(turn.user, TurnText(body, "user"));
  ASSIGN_OR_RETURN(turn.assistant, TurnText(body, "assistant"));
  if (turn.user.empty() && turn.assistant.empty())
    return Error{Code::kInvalid, "user or assistant is required: the texts of the turn"};
  if (const auto given = body.find("settings"); given != body.end() && !given->is_null()) {
    RETURN_IF_ERROR(DecodeIngestSettings(*given));
    turn.settings = *given;
  }
  ASSIGN_OR_RETURN(turn.source, api::DecodeSource(body));
  return turn;
}

Error NoSuchTurn(const std::string& id) {
  return {Code::kNotFound, "there is no turn " + id + " of this user and agent"};
}

Response PostTurn(const Api& api, const Request& request) {
  const Result<TurnAccepted> accepted = [&]() -> Result<TurnAccepted> {
    ASSIGN_OR_RETURN(const Json body, ObjectBody(request));
    ASSIGN_OR_RETURN(const Turn turn, DecodeTurn(request, body));
    ASSIGN_OR_RETURN(const std::string key, IdempotencyKeyOf(request));
    return api.store.turns().Accept(turn, {key, api.caller});
  }();
  if (!accepted) return http::ErrorResponse(accepted.error());
  if (accepted->key_reused) {
    return http::JsonResponse(
        422, {{"error", "the Idempotency-Key of this request came before with another turn, " +
                            accepted->id + "; nothing was stored"},
              {"code", api::kKeyReused}});
  }
  return http::JsonResponse(202, {{"turn", accepted->id}});
}

Response GetTurn(const Api& api, const Request& request) {
  const Result<Json> answer = [&]() -> Result<Json> {
    const std::string& id = request.parameters.at("turn");
    ASSIGN_OR_RETURN(const TraceContext context, ContextOf(request, Json::object()));
    ASSIGN_OR_RETURN(const auto state, api.store.turns().Find(context, id));
    if (!state) return NoSuchTurn(id);
    Json json = {{"state", state->state}, {"facts", state->facts}};
    if (state->state == "failed") json["reason"] = state->reason;
    return json;
  }();
  return answer ? http::JsonResponse(200, *answer) : http::ErrorResponse(answer.error());
}

Response RetryTurn(const Api& api, const Request& request) {
  const std::string& id = request.parameters.at("turn");
  const base::Status retried = [&]() -> base::Status {
    ASSIGN_OR_RETURN(const TraceContext context, ContextOf(request, Json::object()));
    ASSIGN_OR_RETURN(const auto before, api.store.turns().Retry(context, id));
    if (!before) return NoSuchTurn(id);
    if (*before == "done")
      return Error{Code::kConflict, "turn " + id + " is done: there is nothing to try again"};
    return {};
  }();
  return retried ? http::JsonResponse(202, {{"turn", id}}) : http::ErrorResponse(retried.error());
}

}  // namespace

HandlerTable IngestHandlers() {
  return {
      {"post_turn", PostTurn},
      {"get_turn", GetTurn},
      {"retry_turn", RetryTurn},
  };
}

}  // namespace memory
