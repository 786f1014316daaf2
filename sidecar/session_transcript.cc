// Reads a session's messages row by row: the whole of a long session may not fit in memory.
#include "sidecar/session_transcript.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "lib/base/text.h"
#include "sidecar/journal.h"
#include "sidecar/redaction.h"
#include "sidecar/tool_text.h"

namespace sidecar {
namespace {

using base::Json;
using base::Result;

constexpr size_t kTranscriptEnds = 50;         // messages at either end that keep more text
constexpr size_t kTranscriptCharacters = 400;  // of those; the server cuts its summary at 200
constexpr size_t kTranscriptMiddle = 20;
constexpr size_t kReadBytes = 4 << 10;     // of a text; a digest and a summary keep much less
constexpr size_t kUncertainBytes = 1'024;  // before a cut, where a secret may have lost its end

// The last one is kept: to compile it takes 10 ms, and an end is a commit that others wait for.
Result<Redactor> RedactorFor(const api::Redaction& settings) {
  struct Last {
    std::mutex mutex;
    std::vector<std::string> patterns;
    std::optional<Redactor> redactor;
  };
  static Last& last = *new Last;
  const std::lock_guard lock(last.mutex);
  if (!last.redactor || last.patterns != settings.extra_patterns) {
    ASSIGN_OR_RETURN(last.redactor, Redactor::Compile(settings));
    last.patterns = settings.extra_patterns;
  }
  return *last.redactor;
}

// Also where working memory keeps no secrets: the policy was another one when they were stored.
class Cleaner {
 public:
  static Result<Cleaner> For(const api::Policy& policy) {
    Cleaner cleaner;
    if (policy.redaction.enabled) {
      ASSIGN_OR_RETURN(cleaner.redactor_, RedactorFor(policy.redaction));
    }
    return cleaner;
  }

  // The head of it: what is redacted is bounded, since this runs within the commit of an end.
  std::string Head(std::string_view text) {
    const bool cut = text.size() > kReadBytes;
    std::string head(text.substr(0, base::BorderBefore(text, std::min(text.size(), kReadBytes))));
    if (!redactor_) return head;
    head = redactor_->Redact(head, counts_);
    if (!cut) return head;
    const size_t certain = head.size() - std::min(head.size(), kUncertainBytes);
    return head.substr(0, base::BorderBefore(head, certain));
  }
  // Arguments become objects: as text in a string they would hide what their quotes part.
  void Clean(Json& tool_calls) {
    if (!redactor_) return;
    for (Json* arguments : CallArguments(tool_calls)) *arguments = Arguments(*arguments);
    CutStrings(tool_calls);
    redactor_->RedactStrings(tool_calls, counts_);
  }

 private:
  void CutStrings(Json& value) {
    if (value.is_string()) {
      auto& text = value.get_ref<std::string&>();
      if (text.size() > kReadBytes) text = Head(text);
    }
    if (!value.is_structured()) return;
    for (Json& inner : value) CutStrings(inner);
  }

  std::optional<Redactor> redactor_;
  Redactor::Counts counts_;
};

Result<int64_t> BeginOf(sqlite::Database& db, const conversation::Conversation& conversation) {
  ASSIGN_OR_RETURN(const auto session, FindMemorySession(db, conversation.memory_session_id));
  return session ? session->after_sequence : 0;
}

}  // namespace

Result<std::vector<api::SummaryMessage>> Transcript(sqlite::Database& db,
                                                    const conversation::Conversation& conversation,
                                                    const api::Policy& policy) {
  ASSIGN_OR_RETURN(const int64_t after, BeginOf(db, conversation));
  ASSIGN_OR_RETURN(Cleaner cleaner, Cleaner::For(policy));
  ASSIGN_OR_RETURN(auto query,
                   db.Prepare("SELECT role, substr(content, 1, ?3) FROM messages"
                              " WHERE conversation = ?1 AND sequence > ?2 AND content <> ''"
                              " AND role IN ('user', 'assistant')"
                              " AND row_is_sound('messages', number, checksum, conversation,"
                              " sequence, role, content, tool_calls, tool_call_id, created_ms)"
                              " ORDER BY sequence"));
  query.Bind(conversation.id).Bind(after);
  query.Bind(static_cast<int64_t>(kReadBytes + 1));  // characters; the one tells of a cut
  std::vector<api::SummaryMessage> said;
  while (true) {
    ASSIGN_OR_RETURN(const bool more, query.Step());
    if (!more) return said;
    // Redacted before the cut: half a secret has no recognisable form.
    const std::string text = cleaner.Head(query.Text(1));
    said.push_back({query.Text(0), std::string(base::Prefix(text, kTranscriptCharacters))});
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
  ASSIGN_OR_RETURN(Cleaner cleaner, Cleaner::For(policy));
  // Of a tool's result only whether it failed: its text is nobody's word (rulings K26).
  ASSIGN_OR_RETURN(
      auto query,
      db.Prepare("SELECT role, iif(role = 'tool', '', substr(content, 1, ?3)), tool_calls,"
                 " tool_call_id, is_error FROM messages"
                 " WHERE conversation = ?1 AND sequence > ?2"
                 " AND row_is_sound('messages', number, checksum, conversation,"
                 " sequence, role, content, tool_calls, tool_call_id, created_ms)"
                 " ORDER BY sequence"));
  query.Bind(conversation.id).Bind(after).Bind(static_cast<int64_t>(kReadBytes + 1));
  SessionDigest digest;
  while (true) {
    ASSIGN_OR_RETURN(const bool more, query.Step());
    if (!more) return digest;
    conversation::Message message;
    message.role = query.Text(0);
    message.content = cleaner.Head(query.Text(1));
    if (!query.IsNull(2)) message.tool_calls = base::ParseJson(query.Text(2)).value_or(Json());
    message.tool_call_id = query.Text(3);
    message.is_error = query.Int(4) != 0;
    cleaner.Clean(message.tool_calls);
    digest.Add(message);
  }
}

}  // namespace sidecar
