// Reads a session's messages row by row: the whole of a long session may not fit in memory.
#include "sidecar/session_transcript.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/base/text.h"
#include "sidecar/journal.h"
#include "sidecar/redaction.h"

namespace sidecar {
namespace {

using base::Json;
using base::Result;

constexpr size_t kTranscriptEnds = 50;         // messages at either end that keep more text
constexpr size_t kTranscriptCharacters = 400;  // of those; the server cuts its summary at 200
constexpr size_t kTranscriptMiddle = 20;

// Only where working memory keeps secrets: else they are gone already.
Result<std::optional<Redactor>> RedactorFor(const api::Policy& policy) {
  if (!policy.redaction.enabled || policy.redaction.working_memory) {
    return std::optional<Redactor>();
  }
  ASSIGN_OR_RETURN(Redactor redactor, Redactor::Compile(policy.redaction));
  return std::optional<Redactor>(std::move(redactor));
}

Result<int64_t> BeginOf(sqlite::Database& db, const conversation::Conversation& conversation) {
  ASSIGN_OR_RETURN(const auto session, FindMemorySession(db, conversation.memory_session_id));
  return session ? session->after_sequence : 0;
}

}  // namespace

Result<std::vector<api::SummaryMessage>> Transcript(sqlite::Database& db,
                                                    const conversation::Conversation& conversation,
                                                    const api::Policy& policy) {
  ASSIGN_OR_RETURN(const int64_t after, BeginOf(db, conversation));
  ASSIGN_OR_RETURN(const auto redactor, RedactorFor(policy));
  // No more of each than ShortTranscript keeps.
  ASSIGN_OR_RETURN(auto query,
                   db.Prepare("SELECT role, iif(?3, content, substr(content, 1, ?4)) FROM messages"
                              " WHERE conversation = ?1 AND sequence > ?2 AND content <> ''"
                              " AND role IN ('user', 'assistant')"
                              " AND row_is_sound('messages', number, checksum, conversation,"
                              " sequence, role, content, tool_calls, tool_call_id, created_ms)"
                              " ORDER BY sequence"));
  query.Bind(conversation.id).Bind(after).Bind(int64_t{redactor.has_value()});
  query.Bind(static_cast<int64_t>(kTranscriptCharacters));
  std::vector<api::SummaryMessage> said;
  Redactor::Counts counts;
  while (true) {
    ASSIGN_OR_RETURN(const bool more, query.Step());
    if (!more) return said;
    std::string text = query.Text(1);
    // Before the cut: half a secret has no recognisable form.
    if (redactor) text = base::Prefix(redactor->Redact(text, counts), kTranscriptCharacters);
    said.push_back({query.Text(0), std::move(text)});
  }
}

Json ShortTranscript(const std::vector<api::SummaryMessage>& said) {
  auto is_user = [](const api::SummaryMessage& message) { return message.role == "user"; };
  const auto first = std::find_if(said.begin(), said.end(), is_user) - said.begin();
  const auto last = said.rend() - std::find_if(said.rbegin(), said.rend(), is_user) - 1;
  Json messages = Json::array();
  for (size_t i = 0; i < said.size(); ++i) {
    const bool whole = i < kTranscriptEnds || i + kTranscriptEnds >= said.size() ||
                       static_cast<int64_t>(i) == first || static_cast<int64_t>(i) == last;
    const size_t limit = whole ? kTranscriptCharacters : kTranscriptMiddle;
    messages.push_back({{"role", said[i].role}, {"content", base::Prefix(said[i].content, limit)}});
  }
  return messages;
}

Result<SessionDigest> DigestOf(sqlite::Database& db, const conversation::Conversation& conversation,
                               const api::Policy& policy) {
  ASSIGN_OR_RETURN(const int64_t after, BeginOf(db, conversation));
  ASSIGN_OR_RETURN(const auto redactor, RedactorFor(policy));
  // Of a tool's result only whether it failed: its text is nobody's word (rulings K26).
  ASSIGN_OR_RETURN(auto query,
                   db.Prepare("SELECT role, iif(role = 'tool', '', content), tool_calls,"
                              " tool_call_id, is_error FROM messages"
                              " WHERE conversation = ?1 AND sequence > ?2"
                              " AND row_is_sound('messages', number, checksum, conversation,"
                              " sequence, role, content, tool_calls, tool_call_id, created_ms)"
                              " ORDER BY sequence"));
  query.Bind(conversation.id).Bind(after);
  SessionDigest digest;
  Redactor::Counts counts;
  while (true) {
    ASSIGN_OR_RETURN(const bool more, query.Step());
    if (!more) return digest;
    conversation::Message message;
    message.role = query.Text(0);
    message.content = query.Text(1);
    if (!query.IsNull(2)) message.tool_calls = base::ParseJson(query.Text(2)).value_or(Json());
    message.tool_call_id = query.Text(3);
    message.is_error = query.Int(4) != 0;
    if (redactor) {
      message.content = redactor->Redact(message.content, counts);
      redactor->RedactStrings(message.tool_calls, counts);
    }
    digest.Add(message);
  }
}

}  // namespace sidecar
