// A long session may not fit in memory, so its messages are read in pages, of each only the head.
// Redaction precedes every cut: half of a secret has no recognizable form.
#include "sidecar/session/transcript.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "lib/base/text/text.h"
#include "lib/conversation/conversations.h"
#include "lib/conversation/sqlite/rows.h"
#include "lib/redaction/redaction.h"
#include "sidecar/tables/memory_sessions.h"
#include "sidecar/text/persons_words.h"
#include "sidecar/text/tool_text.h"

namespace sidecar {
namespace {

using base::Json;
using base::Result;
using base::Status;

constexpr size_t kTranscriptEnds = 50;         // messages at each end that keep more text
constexpr size_t kTranscriptCharacters = 400;  // of these; the server cuts its summary at 200
constexpr size_t kTranscriptMiddle = 20;
constexpr size_t kReadBytes = 4 << 10;     // of a text; digests and summaries keep much less
constexpr size_t kUncertainBytes = 1'024;  // before a cut, where a secret may be incomplete
// Of one read; small, since the delivery uses the same reader.
constexpr conversation::PageLimits kTogether = {200, 1 << 20};

// Caches the last redactor, since compiling takes 10 ms.
Result<std::shared_ptr<const redaction::Redactor>> RedactorFor(const api::Redaction& settings) {
  struct Last {
    std::mutex mutex;
    std::vector<std::string> patterns;
    std::shared_ptr<const redaction::Redactor> redactor;
  };
  static Last& last = *new Last;
  const std::lock_guard lock(last.mutex);
  if (!last.redactor || last.patterns != settings.extra_patterns) {
    ASSIGN_OR_RETURN(redaction::Redactor compiled, redaction::Redactor::Compile(settings));
    last.redactor = std::make_shared<const redaction::Redactor>(std::move(compiled));
    last.patterns = settings.extra_patterns;
  }
  return last.redactor;
}

// Redacts even messages that were stored redacted, since they may be older than the policy.
class TranscriptRedactor {
 public:
  explicit TranscriptRedactor(const redaction::Redactor* redactor) : redactor_(redactor) {}

  // The redacted head of a text.
  std::string Text(std::string_view text) {
    const bool cut = text.size() > kReadBytes;
    std::string head(text.substr(0, base::BorderBefore(text, std::min(text.size(), kReadBytes))));
    if (redactor_ == nullptr) return head;
    head = redactor_->Redact(head, counts_);
    if (!cut) return head;
    const size_t certain = head.size() - std::min(head.size(), kUncertainBytes);
    return head.substr(0, base::BorderBefore(head, certain));
  }
  // Arguments become objects, since quotes in a string would hide secrets.
  void ToolCalls(Json& tool_calls) {
    if (redactor_ == nullptr) return;
    for (Json* arguments : CallArguments(tool_calls)) *arguments = Arguments(*arguments);
    CutStrings(tool_calls);
    redactor_->RedactStrings(tool_calls, counts_);
  }

 private:
  void CutStrings(Json& value) {
    if (value.is_string()) {
      auto& text = value.get_ref<std::string&>();
      if (text.size() > kReadBytes) text = Text(text);
    }
    if (!value.is_structured()) return;
    for (Json& inner : value) CutStrings(inner);
  }

  const redaction::Redactor* redactor_;
  redaction::Redactor::Counts counts_;
};

Result<conversation::MessagePage> HeadsAfter(sqlite::Database& db, const std::string& id,
                                             int64_t after) {
  conversation::SqliteRows rows(db);
  return conversation::HeadsAfter(rows, id, after, kReadBytes + 1, kTogether);
}

}  // namespace

Result<SessionAccount> SessionAccount::Begin(const std::string& session, int64_t after,
                                             const api::Policy& policy) {
  SessionAccount account;
  account.session_ = session;
  account.last_sequence_ = after;
  account.digests_ = policy.session_digest;
  if (policy.redaction.enabled) {
    ASSIGN_OR_RETURN(account.redactor_, RedactorFor(policy.redaction));
  }
  return account;
}

void SessionAccount::Add(const std::vector<conversation::Message>& heads, int64_t up_to) {
  TranscriptRedactor redact(redactor_.get());
  for (conversation::Message message : heads) {
    message.content = redact.Text(message.content);
    const bool talks = message.role == "user" || message.role == "assistant";
    const std::string said =
        message.role == "user" ? PersonsWords(message.content) : message.content;
    if (talks && !said.empty()) AddText(message.role, said);
    if (!digests_) continue;
    redact.ToolCalls(message.tool_calls);
    digest_.Add(message);
  }
  last_sequence_ = up_to;
}

void SessionAccount::AddText(const std::string& role, const std::string& text) {
  messages_.push_back({role, std::string(base::Prefix(text, kTranscriptCharacters))});
  if (role == "user") {
    first_user_ = std::min(first_user_, messages_.size() - 1);
    last_user_ = messages_.size() - 1;
  }
  if (messages_.size() >= 2 * kMostMessages) ShortenMiddle();
}

// Drops the middle of messages_ down to kMostMessages. Called at twice that size, so that each
// message moves only a few times.
void SessionAccount::ShortenMiddle() {
  std::vector<api::SummaryMessage> kept;
  constexpr size_t kHead = kMostMessages - kTranscriptEnds - 2;  // two: the user's first and last
  size_t first_user = SIZE_MAX, last_user = SIZE_MAX;
  for (size_t i = 0; i < messages_.size(); ++i) {
    const bool stays = kept.size() < kHead || i + kTranscriptEnds >= messages_.size() ||
                       i == first_user_ || i == last_user_;
    if (!stays) {
      ++omitted_;
      continue;
    }
    if (i == first_user_) first_user = kept.size();
    if (i == last_user_) last_user = kept.size();
    kept.push_back(std::move(messages_[i]));
  }
  messages_ = std::move(kept);
  first_user_ = first_user;
  last_user_ = last_user;
}

Json SessionAccount::EndBody() const {
  SessionAccount account = *this;
  if (account.messages_.size() > kMostMessages) account.ShortenMiddle();
  Json messages = Json::array();
  const auto& said = account.messages_;
  for (size_t i = 0; i < said.size(); ++i) {
    const bool whole = i < kTranscriptEnds || i + kTranscriptEnds >= said.size() ||
                       i == account.first_user_ || i == account.last_user_;
    const size_t limit = whole ? kTranscriptCharacters : kTranscriptMiddle;
    messages.push_back({{"role", said[i].role}, {"content", base::Prefix(said[i].content, limit)}});
  }
  Json body = {{"messages", std::move(messages)}};
  if (account.omitted_ > 0) body["omitted"] = account.omitted_;
  return body;
}

Status CompleteAccount(sqlite::Database& db, const conversation::Conversation& conversation,
                       SessionAccount& account) {
  while (account.last_sequence() < conversation.message_count) {
    ASSIGN_OR_RETURN(const auto page, HeadsAfter(db, conversation.id, account.last_sequence()));
    account.Add(page.messages, page.more != 0 ? page.more - 1 : conversation.message_count);
  }
  return {};
}

Result<std::unique_ptr<SessionAccount>> PrepareAccount(State& state, const std::string& id,
                                                       const api::Policy& policy) {
  if (!policy.auto_summarize) return std::unique_ptr<SessionAccount>();
  std::unique_ptr<SessionAccount> account;
  while (true) {
    std::optional<conversation::Conversation> found;
    std::optional<MemorySession> session;
    // Releases the reader before the text is processed.
    ASSIGN_OR_RETURN(
        const auto page, state.Read([&](sqlite::Database& db) -> Result<conversation::MessagePage> {
          ASSIGN_OR_RETURN(found, conversation::SqliteRows(db).FindConversation(id));
          if (!found || found->state != "open") return conversation::MessagePage();
          ASSIGN_OR_RETURN(session, FindMemorySession(db, found->memory_session_id));
          if (!session) return conversation::MessagePage();
          return HeadsAfter(db, id, account ? account->last_sequence() : session->after_sequence);
        }));
    if (!session) return std::unique_ptr<SessionAccount>();
    if (account && account->session() != session->id) {  // the session ended meanwhile
      account.reset();
      continue;
    }
    if (!account) {
      ASSIGN_OR_RETURN(auto begun,
                       SessionAccount::Begin(session->id, session->after_sequence, policy));
      account = std::make_unique<SessionAccount>(std::move(begun));
    }
    account->Add(page.messages, page.more != 0 ? page.more - 1 : found->message_count);
    if (page.more == 0) return account;
  }
}

}  // namespace sidecar
