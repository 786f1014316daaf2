// Takes the answer from the event, and the prompt from the conversation.
#include "sidecar/turn/turn_ingest.h"

#include <algorithm>
#include <string>
#include <utility>

#include "lib/api/memory_api.h"
#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"
#include "lib/conversation/block/blocks.h"
#include "lib/conversation/conversations.h"
#include "lib/conversation/sqlite/rows.h"
#include "sidecar/text/persons_words.h"
#include "sidecar/text/tool_text.h"

namespace sidecar {
namespace {

using base::Json;
using base::Result;

// A block begins with the prompt, after at most one system message.
constexpr int64_t kReadMessages = 2;

// The prompt of the open block; empty: none.
Result<std::string> PromptOf(sqlite::Database& db, const std::string& conversation) {
  conversation::SqliteRows rows(db);
  ASSIGN_OR_RETURN(const auto block, conversation::FindOpenBlock(rows, conversation));
  if (!block) return std::string();
  ASSIGN_OR_RETURN(auto page, conversation::MessagesBetween(rows, conversation, block->first,
                                                            block->last, {kReadMessages}));
  for (auto& message : page.messages)
    if (message.role == "user") return std::move(message.content);
  return std::string();
}

std::string Ingested(std::string_view text) {
  std::string kept = WithoutInjected(text);
  if (kept.size() > kMostIngestedBytes) kept.resize(base::BorderBefore(kept, kMostIngestedBytes));
  return kept;
}

// The same turn with the same words gives the same key.
std::string IngestKey(const Json& body, const conversation::Conversation& conversation,
                      const api::Policy& policy) {
  return base::Sha256Hex(base::DumpJson({kIngestKind, policy.agent_namespace, policy.agent,
                                         conversation.memory_session_id, conversation.turn, body}));
}

}  // namespace

Result<bool> QueueIngest(sqlite::Database& db, const TurnDraft& draft, const ActivePolicy& policy,
                         const OutboxContext& context) {
  const std::string& id = draft.event.session_id;
  if (!policy.policy.auto_ingest.enabled || base::IsBlank(draft.event.last_assistant_message))
    return false;
  ASSIGN_OR_RETURN(std::string prompt, PromptOf(db, id));
  ASSIGN_OR_RETURN(const auto conversation, conversation::SqliteRows(db).FindConversation(id));
  if (!conversation || base::IsBlank(prompt)) return false;
  if (!policy.policy.redaction.working_memory) {  // stored without redaction
    redaction::Redactor::Counts counted_with_the_prompt;
    prompt = policy.redactor.Redact(prompt, counted_with_the_prompt);
  }
  Json body = {{"user", Ingested(PersonsWords(prompt))},
               {"assistant", Ingested(draft.event.last_assistant_message)},
               {"conversation", id}};
  if (base::IsBlank(base::StringAt(body, {"user"})) ||
      base::IsBlank(base::StringAt(body, {"assistant"})))
    return false;
  const std::string key = IngestKey(body, *conversation, policy.policy);
  // Not of trust class user, since a program may have written the prompt.
  body["source"] = {{"origin", api::kOriginRule}, {"rule", "autoIngest"}};
  body["settings"] =
      api::EncodeIngestSettings(policy.policy.auto_ingest, policy.policy.personality);
  const base::Status queued =
      EnqueueIngest(db, conversation->memory_session_id, std::move(body), key, context);
  if (!queued && queued.error().code == base::Code::kFull) return true;
  if (!queued) return queued.error();
  return false;
}

}  // namespace sidecar
