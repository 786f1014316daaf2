// Nothing leaves before it was redacted; no text of a turn, an answer or a key is in a log.
#include "memory/endpoint/facts/endpoint_extractor.h"

#include <utility>

#include "lib/base/process/log.h"
#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"
#include "memory/endpoint/bounded_call.h"
#include "memory/endpoint/endpoint_url.h"
#include "memory/endpoint/facts/fact_bodies.h"
#include "memory/extract/prose/prose.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;

namespace {

constexpr size_t kKnownTurns = 64;
constexpr int kMostUnusable = 3;  // answers in a row, then the model is left alone for a while
constexpr const char* kUp = "agent_memory_server_extraction_endpoint_up";
constexpr const char* kTokensLeft = "agent_memory_server_extraction_tokens_left";

}  // namespace

Status CheckExtraction(const ExtractionOptions& options) {
  return CheckEndpointAddress(options, "extraction");
}

EndpointExtractor::EndpointExtractor(ExtractionOptions options, const base::Clock& clock,
                                     telemetry::Metrics& metrics, redaction::Redactor redactor)
    : options_(std::move(options)),
      clock_(clock),
      metrics_(metrics),
      redactor_(std::move(redactor)),
      budget_(options_.tokens_file, options_.tokens_per_day, clock),
      known_(kKnownTurns) {}

Result<std::unique_ptr<EndpointExtractor>> EndpointExtractor::Make(ExtractionOptions options,
                                                                   const base::Clock& clock,
                                                                   telemetry::Metrics& metrics) {
  RETURN_IF_ERROR(CheckExtraction(options));
  if (auto key = KeyOfEndpoint(options); !key)
    return base::Wrap("extraction-key-file", {Code::kInvalid, key.error().message});
  ASSIGN_OR_RETURN(EndpointUrl url, ParseEndpointUrl(options.url, "/chat/completions"));
  ASSIGN_OR_RETURN(redaction::Redactor redactor, redaction::Redactor::Compile({}));
  std::unique_ptr<EndpointExtractor> made(
      new EndpointExtractor(std::move(options), clock, metrics, std::move(redactor)));
  made->path_ = std::move(url.path);
  ASSIGN_OR_RETURN(made->client_, MakeEndpointClient(made->options_, std::move(url.base),
                                                     made->options_.deadline_ms));
  metrics.SetGauge(kUp, 1);
  metrics.SetGauge(kTokensLeft, static_cast<double>(made->budget_.Left()));
  return made;
}

// What is left of a text for a model: no secrets, no code, no memories that a recall injected.
std::string EndpointExtractor::Shown(const std::string& text) const {
  redaction::Redactor::Counts counts;
  return ProseOf(redactor_.Redact(std::string_view(text).substr(0, kMaxProse), counts));
}

void EndpointExtractor::Count(const char* outcome) {
  metrics_.Count("agent_memory_server_extraction_requests_total", {{"outcome", outcome}});
}

// nullopt: the budget is spent, or cannot be kept.
std::optional<TokenBudget::Taken> EndpointExtractor::Take(const std::string& request) {
  auto taken = budget_.Take(MostTokensOf(request));
  metrics_.SetGauge(kTokensLeft, static_cast<double>(budget_.Left()));
  const bool spent = !taken || !*taken;
  const int64_t today = clock_.NowMs() / TokenBudget::kDayMs;
  bool said = true;
  if (spent) {
    const std::lock_guard lock(mutex_);
    said = std::exchange(spent_day_, today) == today;
  }
  if (!said)
    base::LogWarn("the token budget of the extraction endpoint is spent: patterns find facts",
                  {{"setting", "extraction-tokens-per-day"},
                   {"reason", taken ? "until midnight UTC" : taken.error().message}});
  return taken ? *taken : std::nullopt;
}

EndpointExtractor::Reply EndpointExtractor::Exchange(const std::string& request, Speaker said_by,
                                                     const std::stop_token& stop) {
  Reply reply;
  const auto answer = CallBounded(*client_, EndpointRequest(path_, request, options_.deadline_ms),
                                  kMostFactAnswer, stop);
  if (!answer) {
    const Code code = answer.error().code;
    reply.trouble = answer.error().message;
    reply.outcome = code == Code::kTimeout ? "late" : code == Code::kTooLarge ? "unusable" : "away";
    // Nobody answered: nothing was used. Else as many as were taken may have been.
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
  auto decoded = DecodeFactAnswer(answer->body, said_by);
  if (!decoded) {
    reply.outcome = "unusable";
    reply.trouble = decoded.error().message;
    return reply;
  }
  if (decoded->tokens > 0) reply.tokens = decoded->tokens;
  if (decoded->facts) {
    reply.facts = *std::move(decoded->facts);
  } else {
    reply.outcome = "unusable";
    reply.unusable = decoded->facts.error();
  }
  return reply;
}

EndpointExtractor::Reply EndpointExtractor::Ask(const std::string& request, Speaker said_by,
                                                const std::stop_token& stop) {
  const auto taken = Take(request);
  if (!taken) {
    Reply spent;
    spent.outcome = "spent";
    return spent;
  }
  const int64_t begun_ms = clock_.MonotonicMs();
  Reply reply = Exchange(request, said_by, stop);
  const int64_t used = reply.tokens < 0 ? taken->tokens : reply.tokens;
  budget_.Settle(*taken, used);
  metrics_.SetGauge(kTokensLeft, static_cast<double>(budget_.Left()));
  metrics_.Count("agent_memory_server_extraction_tokens_total", {}, static_cast<double>(used));
  metrics_.Observe("agent_memory_server_extraction_request_seconds",
                   static_cast<double>(clock_.MonotonicMs() - begun_ms) / 1000);
  if (!stop.stop_requested()) Note(reply);
  return reply;
}

// A turn that the model answers badly is that turn's trouble; several in a row are the model's.
void EndpointExtractor::Note(const Reply& reply) {
  std::string trouble = reply.trouble;
  bool was_troubled = false;
  {
    const std::lock_guard lock(mutex_);
    unusable_in_a_row_ = reply.unusable ? unusable_in_a_row_ + 1 : 0;
    if (unusable_in_a_row_ >= kMostUnusable) trouble = reply.unusable->message;
    if (!trouble.empty() && reply.pause) pause_.Fail(clock_.MonotonicMs(), reply.wait_ms);
    if (reply.facts) pause_.Succeed();
    if (trouble.empty() && !reply.facts) return;
    was_troubled = std::exchange(troubled_, !trouble.empty());
  }
  metrics_.SetGauge(kUp, trouble.empty() ? 1 : 0);
  if (!trouble.empty() && !was_troubled)
    base::LogWarn("the extraction endpoint does not answer as it should: patterns find facts",
                  {{"url", options_.url}, {"reason", trouble}});
  if (trouble.empty() && was_troubled)
    base::LogInfo("the extraction endpoint answers again", {{"url", options_.url}});
}

Result<std::vector<FactCandidate>> EndpointExtractor::FactsOf(const std::string& user,
                                                              const std::string& assistant,
                                                              const std::stop_token& stop) {
  const std::string asked = Shown(user), answered = Shown(assistant);
  if (base::IsBlank(asked) && base::IsBlank(answered)) return Facts();
  const std::string request = EncodeFactRequest(options_.model, asked, answered);
  const std::string digest = base::Sha256Hex(request);
  bool paused = false;
  {
    const std::lock_guard lock(mutex_);
    if (const Facts* known = known_.Find(digest)) return *known;
    paused = !pause_.Enter(clock_.MonotonicMs());
  }
  if (paused) {
    Count("paused");
    return ExtractFacts(user, assistant);
  }
  // What a model says that it has from the user may come out of what the assistant repeated: of
  // both sides the less trusted one counts.
  const Speaker said_by = base::IsBlank(answered) ? Speaker::kUser : Speaker::kAssistant;
  Reply reply = Ask(request, said_by, stop);
  if (stop.stop_requested()) return Error{Code::kUnavailable, "the program is stopping"};
  Count(reply.outcome);
  if (reply.unusable) return *reply.unusable;
  if (!reply.facts) return ExtractFacts(user, assistant);
  const std::lock_guard lock(mutex_);
  known_.Put(digest, *reply.facts);
  return *std::move(reply.facts);
}

}  // namespace memory
