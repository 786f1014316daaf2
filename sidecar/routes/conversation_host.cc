// Transactions on state.db, and redaction by the policy in force.
#include "sidecar/routes/conversation_host.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "lib/api/operations/operations.h"
#include "lib/conversation/routes/host.h"
#include "lib/conversation/sqlite/rows.h"
#include "sidecar/session/sessions.h"
#include "sidecar/text/tool_text.h"

namespace sidecar {

using base::Json;
using base::Result;

namespace {

using WriterSpace = sqlite::Writer::Space;

// `rows` is of OnRows: the file, for the sidecar's own tables in the same transaction.
sqlite::Database& FileOf(conversation::Rows& rows) {
  return static_cast<sqlite::Database&>(static_cast<conversation::SqliteRows&>(rows).database());
}

}  // namespace

Result<Json> ConversationHost::Read(const Work& use) {
  return state_.Read(conversation::OnRows(use));
}

Result<Json> ConversationHost::Write(const Work& work, Space space) {
  return state_.Write<Json>(conversation::OnRows(work),
                            space == Space::kFrees ? WriterSpace::kFrees : WriterSpace::kConsumes);
}

base::Status ConversationHost::Redact(Json& value, Text text) const {
  ASSIGN_OR_RETURN(const auto policy, policies_.InForce());
  if (text == Text::kContent && !policy->policy.redaction.working_memory) return {};
  redaction::Redactor::Counts counts;
  policy->redactor.RedactStrings(value, counts);
  return {};
}

namespace {

void RedactCallsOf(Json& body, const redaction::Redactor& redactor,
                   redaction::Redactor::Counts& counts) {
  if (!body.is_object() || !body.contains("messages") || !body["messages"].is_array()) return;
  for (Json& message : body["messages"]) {
    if (!message.is_object() || !message.contains("tool_calls")) continue;
    for (Json* arguments : CallArguments(message["tool_calls"])) {
      redactor.RedactArguments(*arguments, counts);
    }
  }
}

}  // namespace

base::Status ConversationHost::RedactMessages(Json& body, Length length) const {
  ASSIGN_OR_RETURN(const auto policy, policies_.InForce());
  const bool redacts = policy->policy.redaction.working_memory;
  redaction::Redactor::Counts counts;
  if (redacts) RedactCallsOf(body, policy->redactor, counts);  // before the cut, which breaks JSON
  if (length == Length::kShortened) ShortenStrings(body);
  if (redacts) policy->redactor.RedactStrings(body, counts);
  return {};
}

Result<conversation::Conversation> ConversationHost::Open(conversation::Rows& rows,
                                                          const std::string& key) {
  ASSIGN_OR_RETURN(const auto policy, policies_.InForce());
  return OpenConversation(FileOf(rows), key, {policy->policy, limits_, clock_.NowMs()});
}

Result<conversation::Host::Ending> ConversationHost::PrepareEnd(const std::string& key) {
  ASSIGN_OR_RETURN(const auto policy, policies_.InForce());
  ASSIGN_OR_RETURN(std::shared_ptr<SessionAccount> account,
                   PrepareAccount(state_, key, policy->policy));
  return Ending([this, key, policy, account](conversation::Rows& rows) {
    return EndConversation(FileOf(rows), key, {policy->policy, limits_, clock_.NowMs()},
                           account.get());
  });
}

Result<int64_t> ConversationHost::SweepFields(const std::function<bool()>& stopping) {
  return fields_.Sweep(WritingFields(), stopping);
}

base::Status ConversationHost::KeepFields() { return fields_.Keep(WritingFields()); }

conversation::FieldLife::Write ConversationHost::WritingFields() {
  return [this](const auto& work) {
    return state_.Change(conversation::OnRows(work), WriterSpace::kFrees);
  };
}

std::vector<http::Route> ConversationHost::Routes() {
  std::vector<http::Route> routes;
  for (const conversation::HostedHandler& hosted : conversation::HostedHandlers()) {
    http::Route& route = routes.emplace_back(api::RouteOf(api::OperationNamed(hosted.name)));
    route.handler = [this, handler = hosted.handler](const http::Request& request) {
      Result<http::Response> answer = handler(*this, request);
      return answer ? *std::move(answer) : http::ErrorResponse(answer.error());
    };
  }
  return routes;
}

}  // namespace sidecar
