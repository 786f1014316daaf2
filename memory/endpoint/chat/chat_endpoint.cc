// The endpoint may be down, slow, expensive or wrong, and the memory works without it (ADR 61):
// each request has a deadline, reserves its maximum of tokens before it is sent, and pauses the
// endpoint when it fails. All texts are redacted before they are sent. Logs contain no sent text,
// no answer and no key.
#include "memory/endpoint/chat/chat_endpoint.h"

#include <utility>

#include "lib/base/process/log.h"
#include "memory/endpoint/bounded_call.h"
#include "memory/endpoint/chat/chat_bodies.h"
#include "memory/endpoint/endpoint_url.h"
#include "memory/extract/prose/prose.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;

namespace {

constexpr int kMostUnusable = 3;  // consecutive answers before a pause
constexpr const char* kUp = "agent_memory_server_extraction_endpoint_up";
constexpr const char* kTokensLeft = "agent_memory_server_extraction_tokens_left";

}  // namespace

Status CheckChat(const ChatOptions& options) { return CheckEndpointAddress(options, "extraction"); }

ChatEndpoint::ChatEndpoint(ChatOptions options, const base::Clock& clock,
                           telemetry::Metrics& metrics, redaction::Redactor redactor)
    : options_(std::move(options)),
      clock_(clock),
      metrics_(metrics),
      redactor_(std::move(redactor)),
      budget_(options_.tokens_file, options_.tokens_per_day, clock) {}

Result<std::unique_ptr<ChatEndpoint>> ChatEndpoint::Make(ChatOptions options,
                                                         const base::Clock& clock,
                                                         telemetry::Metrics& metrics) {
  RETURN_IF_ERROR(CheckChat(options));
  if (auto key = KeyOfEndpoint(options); !key)
    return base::Wrap("extraction-key-file", {Code::kInvalid, key.error().message});
  ASSIGN_OR_RETURN(EndpointUrl url, ParseEndpointUrl(options.url, "/chat/completions"));
  ASSIGN_OR_RETURN(redaction::Redactor redactor, redaction::Redactor::Compile({}));
  std::unique_ptr<ChatEndpoint> made(
      new ChatEndpoint(std::move(options), clock, metrics, std::move(redactor)));
  made->path_ = std::move(url.path);
  ASSIGN_OR_RETURN(made->client_, MakeEndpointClient(made->options_, std::move(url.base),
                                                     made->options_.deadline_ms));
  metrics.SetGauge(kUp, 1);
  metrics.SetGauge(kTokensLeft, static_cast<double>(made->budget_.Left()));
  return made;
}

std::string ChatEndpoint::Shown(const std::string& text) const {
  redaction::Redactor::Counts counts;
  return ProseOf(redactor_.Redact(std::string_view(text).substr(0, kMaxProse), counts));
}

// nullopt: the budget is spent, or cannot be persisted.
std::optional<TokenBudget::Reservation> ChatEndpoint::Reserve(const std::string& request) {
  auto reserved = budget_.Reserve(MostTokensOf(request));
  metrics_.SetGauge(kTokensLeft, static_cast<double>(budget_.Left()));
  const bool spent = !reserved || !*reserved;
  const int64_t today = clock_.NowMs() / TokenBudget::kDayMs;
  bool said = true;
  if (spent) {
    const std::lock_guard lock(mutex_);
    said = std::exchange(spent_day_, today) == today;
  }
  if (!said)
    base::LogWarn("the token budget of the extraction endpoint is spent: patterns extract facts",
                  {{"setting", "extraction-tokens-per-day"},
                   {"reason", reserved ? "until midnight UTC" : reserved.error().message}});
  return reserved ? *reserved : std::nullopt;
}

ChatEndpoint::Reply ChatEndpoint::Exchange(const std::string& request, const Use& use,
                                           const std::stop_token& stop) {
  Reply reply;
  const auto answer = CallBounded(*client_, EndpointRequest(path_, request, options_.deadline_ms),
                                  kMostChatAnswer, stop);
  if (!answer) {
    const Code code = answer.error().code;
    reply.trouble = answer.error().message;
    reply.outcome = code == Code::kTimeout ? "late" : code == Code::kTooLarge ? "unusable" : "away";
    // Without an answer no token was used; otherwise up to the reserved number.
    if (code == Code::kUnavailable && !stop.stop_requested()) reply.tokens = 0;
    return reply;
  }
  if (answer->status != 200) {
    reply.trouble = "status " + std::to_string(answer->status);
    reply.pause = answer->status != 400 && answer->status != 413 && answer->status != 422;
    reply.outcome = reply.pause ? "away" : "refused";
    reply.wait_ms = RetryAfterMs(*answer);
    reply.tokens = 0;
    return reply;
  }
  const auto decoded = DecodeChatAnswer(answer->body);
  if (!decoded) {
    reply.outcome = "unusable";
    reply.trouble = decoded.error().message;
    return reply;
  }
  if (decoded->tokens > 0) reply.tokens = decoded->tokens;
  const Status used = decoded->text ? use(*decoded->text) : Status(decoded->text.error());
  reply.used = static_cast<bool>(used);
  if (!used) {
    reply.outcome = "unusable";
    reply.unusable = used.error();
  }
  return reply;
}

ChatEndpoint::Reply ChatEndpoint::QueryWithin(const std::string& request, const Use& use,
                                              const std::stop_token& stop) {
  const auto reserved = Reserve(request);
  if (!reserved) {
    Reply spent;
    spent.outcome = "spent";
    return spent;
  }
  const int64_t begun_ms = clock_.MonotonicMs();
  Reply reply = Exchange(request, use, stop);
  const int64_t used = reply.tokens < 0 ? reserved->tokens : reply.tokens;
  budget_.Settle(*reserved, used);
  metrics_.SetGauge(kTokensLeft, static_cast<double>(budget_.Left()));
  metrics_.Count("agent_memory_server_extraction_tokens_total", {}, static_cast<double>(used));
  metrics_.Observe("agent_memory_server_extraction_request_seconds",
                   static_cast<double>(clock_.MonotonicMs() - begun_ms) / 1000);
  if (!stop.stop_requested()) Note(reply);
  return reply;
}

// One unusable answer is a fault of the request; several in a row are a fault of the model.
void ChatEndpoint::Note(const Reply& reply) {
  std::string trouble = reply.trouble;
  bool was_troubled = false;
  {
    const std::lock_guard lock(mutex_);
    unusable_in_a_row_ = reply.unusable ? unusable_in_a_row_ + 1 : 0;
    if (unusable_in_a_row_ >= kMostUnusable) trouble = reply.unusable->message;
    if (!trouble.empty() && reply.pause) pause_.Fail(clock_.MonotonicMs(), reply.wait_ms);
    if (reply.used) pause_.Succeed();
    if (trouble.empty() && !reply.used) return;
    was_troubled = std::exchange(troubled_, !trouble.empty());
  }
  metrics_.SetGauge(kUp, trouble.empty() ? 1 : 0);
  if (!trouble.empty() && !was_troubled)
    base::LogWarn("the extraction endpoint fails: patterns extract facts",
                  {{"url", options_.url}, {"reason", trouble}});
  if (trouble.empty() && was_troubled)
    base::LogInfo("the extraction endpoint answers again", {{"url", options_.url}});
}

Status ChatEndpoint::Query(const std::string& request, const Use& use,
                           const std::stop_token& stop) {
  bool paused = false;
  {
    const std::lock_guard lock(mutex_);
    paused = !pause_.Enter(clock_.MonotonicMs());
  }
  Reply reply;
  reply.outcome = "paused";
  if (!paused) reply = QueryWithin(request, use, stop);
  if (stop.stop_requested()) return Error{Code::kUnavailable, "the program is stopping"};
  metrics_.Count("agent_memory_server_extraction_requests_total", {{"outcome", reply.outcome}});
  if (reply.unusable) return *reply.unusable;
  if (reply.used) return {};
  return Error{Code::kUnavailable, std::string("the extraction endpoint: ") + reply.outcome};
}

}  // namespace memory
