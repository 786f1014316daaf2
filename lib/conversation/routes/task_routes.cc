// Decodes, reads or changes the task state, encodes. Redacts bodies before storing them.
#include <algorithm>
#include <utility>

#include "lib/base/text/text.h"
#include "lib/conversation/block/blocks.h"
#include "lib/conversation/conversations.h"
#include "lib/conversation/route_limits.h"
#include "lib/conversation/routes/block_views.h"
#include "lib/conversation/routes/host.h"
#include "lib/conversation/task/task_changes.h"
#include "lib/conversation/task/task_state.h"
#include "lib/conversation/task/task_text.h"
#include "lib/http/message/page_query.h"

namespace conversation {
namespace {

using base::Json;
using base::Result;

Result<TaskState> ShownTask(Host& host, Rows& rows, const std::string& id) {
  ASSIGN_OR_RETURN(const auto found, rows.FindConversation(host.Key(id)));
  if (!found || !host.IsShown(*found)) return NoConversation(id);
  return ReadTask(rows, host.Key(id));
}

Result<http::Response> RenderTask(Host& host, const http::Request& request) {
  ASSIGN_OR_RETURN(const std::string id, ConversationId(request));
  ASSIGN_OR_RETURN(const auto asked,
                   http::WholeNumber(request, "max_chars", 0, kMaxRenderedCharacters));
  const int64_t most = asked.value_or(static_cast<int64_t>(kTaskTextCharacters));
  RETURN_IF_ERROR(CutIfNeeded(host, id));
  ASSIGN_OR_RETURN(const bool all, MakeForms(host, id));
  return AsResponse(host.Read([&](Rows& rows) -> Result<Json> {
    ASSIGN_OR_RETURN(const TaskState state, ShownTask(host, rows, id));
    ASSIGN_OR_RETURN(const auto catalogue,
                     Catalogue(rows, host.Key(id), state.blocks_from, static_cast<size_t>(most)));
    const std::string text = TaskText(state, catalogue, static_cast<size_t>(most));
    Json answer = {
        {"text", text}, {"suggested_role", "user"}, {"chars", base::CountCharacters(text)}};
    if (!all) answer["partial"] = true;  // some blocks have no summary yet
    return answer;
  }));
}

Result<http::Response> GetSnapshot(Host& host, const http::Request& request) {
  ASSIGN_OR_RETURN(const std::string id, ConversationId(request));
  return AsResponse(host.Read([&](Rows& rows) -> Result<Json> {
    ASSIGN_OR_RETURN(const TaskState state, ShownTask(host, rows, id));
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
  return AsResponse(host.Write([&](Rows& rows) -> Result<Json> {
    ASSIGN_OR_RETURN(const TaskState stored, ReadTask(rows, key));
    ASSIGN_OR_RETURN(const TaskState state, change(stored, body));
    ASSIGN_OR_RETURN(const auto made, GetOrCreate(rows, key, host.NowMs()));
    RETURN_IF_ERROR(Append(rows, key, {}, host.NowMs()));  // marks it as used
    RETURN_IF_ERROR(WriteTask(rows, key, state, host.NowMs()));
    return EncodeSnapshot(state);
  }));
}

Result<http::Response> PutWorking(Host& host, const http::Request& request) {
  return ChangeTask(host, request, ApplyWorking);
}

Result<http::Response> PutSnapshot(Host& host, const http::Request& request) {
  return ChangeTask(host, request, [](TaskState state, const Json& body) -> Result<TaskState> {
    ASSIGN_OR_RETURN(state, RestoreSnapshot(std::move(state), body));
    state.lost = true;  // the present transcript never had it
    return state;
  });
}

}  // namespace

std::vector<HostedHandler> TaskRoutes() {
  return {{"render_task", RenderTask},
          {"get_snapshot", GetSnapshot},
          {"put_snapshot", PutSnapshot},
          {"put_working", PutWorking}};
}

}  // namespace conversation
