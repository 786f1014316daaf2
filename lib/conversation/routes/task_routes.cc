// Decodes, reads or changes the task state, encodes. Redacts bodies before storing them.
#include "lib/conversation/routes/task_routes.h"

#include <algorithm>
#include <utility>

#include "lib/base/text/text.h"
#include "lib/conversation/block/catalogue.h"
#include "lib/conversation/conversations.h"
#include "lib/conversation/messages.h"
#include "lib/conversation/routes/block_forms.h"
#include "lib/conversation/task/task_changes.h"
#include "lib/conversation/task/task_table.h"
#include "lib/conversation/task/task_text.h"
#include "lib/http/message/page_query.h"

namespace conversation {
namespace {

using base::Json;
using base::Result;

constexpr int64_t kMostTextCharacters = 100'000;

Result<TaskState> ShownTask(Host& host, sqlite::Database& db, const std::string& id) {
  ASSIGN_OR_RETURN(const auto found, Find(db, host.Key(id)));
  if (!found || !host.IsShown(*found)) return NoConversation(id);
  return ReadTask(db, host.Key(id));
}

Result<http::Response> RenderTask(Host& host, const http::Request& request) {
  ASSIGN_OR_RETURN(const std::string id, ConversationId(request));
  ASSIGN_OR_RETURN(const auto asked,
                   http::WholeNumber(request, "max_chars", 0, kMostTextCharacters));
  const int64_t most = asked.value_or(static_cast<int64_t>(kTaskTextCharacters));
  RETURN_IF_ERROR(CutIfNeeded(host, id));
  ASSIGN_OR_RETURN(const bool all, MakeForms(host, id));
  return AsResponse(host.Read([&](sqlite::Database& db) -> Result<Json> {
    ASSIGN_OR_RETURN(const TaskState state, ShownTask(host, db, id));
    ASSIGN_OR_RETURN(const auto catalogue,
                     Catalogue(db, host.Key(id), state.blocks_from, static_cast<size_t>(most)));
    const std::string text = TaskText(state, catalogue, static_cast<size_t>(most));
    Json answer = {
        {"text", text}, {"suggested_role", "user"}, {"chars", base::CountCharacters(text)}};
    if (!all) answer["partial"] = true;  // some blocks have no summary yet
    return answer;
  }));
}

Result<http::Response> GetSnapshot(Host& host, const http::Request& request) {
  ASSIGN_OR_RETURN(const std::string id, ConversationId(request));
  return AsResponse(host.Read([&](sqlite::Database& db) -> Result<Json> {
    ASSIGN_OR_RETURN(const TaskState state, ShownTask(host, db, id));
    return EncodeSnapshot(state);
  }));
}

// Calls `change` with the stored state and the body; creates a missing conversation.
Result<http::Response> ChangeTask(Host& host, const http::Request& request,
                                  Result<TaskState> (*change)(TaskState state, const Json& body)) {
  ASSIGN_OR_RETURN(const std::string id, ConversationId(request));
  ASSIGN_OR_RETURN(Json body, base::ParseJson(request.body));
  RETURN_IF_ERROR(host.Redact(body, Host::Text::kContent));
  const std::string key = host.Key(id);
  return AsResponse(host.Write([&](sqlite::Database& db) -> Result<Json> {
    ASSIGN_OR_RETURN(const TaskState stored, ReadTask(db, key));
    ASSIGN_OR_RETURN(const TaskState state, change(stored, body));
    ASSIGN_OR_RETURN(const auto made, GetOrCreate(db, key, host.NowMs()));
    RETURN_IF_ERROR(Append(db, key, {}, host.NowMs()));  // marks it as used
    RETURN_IF_ERROR(WriteTask(db, key, state, host.NowMs()));
    return EncodeSnapshot(state);
  }));
}

Result<http::Response> PutWorking(Host& host, const http::Request& request) {
  return ChangeTask(host, request, TakeWorking);
}

Result<http::Response> PutSnapshot(Host& host, const http::Request& request) {
  return ChangeTask(host, request, [](TaskState state, const Json& body) -> Result<TaskState> {
    ASSIGN_OR_RETURN(state, RestoreSnapshot(std::move(state), body));
    state.lost = true;  // the present transcript never had it
    return state;
  });
}

}  // namespace

std::vector<HostedRoute> TaskRoutes() {
  return {{"GET", "/conversations/{id}/render", RenderTask},
          {"GET", "/conversations/{id}/snapshot", GetSnapshot},
          {"PUT", "/conversations/{id}/snapshot", PutSnapshot},
          {"PUT", "/conversations/{id}/working", PutWorking}};
}

}  // namespace conversation
