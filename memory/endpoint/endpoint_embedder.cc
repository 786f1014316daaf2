// Queries and rows have separate pauses: an endpoint that is too slow for a query's 150 ms may
// still embed rows in the background (ADR 58).
#include "memory/endpoint/endpoint_embedder.h"

#include <charconv>
#include <utility>

#include "lib/base/process/log.h"
#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"
#include "lib/embedding/openai_bodies.h"
#include "memory/endpoint/bounded_call.h"
#include "memory/endpoint/endpoint_url.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;

namespace {

constexpr size_t kKeptQuestions = 256;
constexpr std::ptrdiff_t kQuestionsAtOnce = 8;  // further queries get no vector
// docs/adr: meaning without a model measured it for encoders.
constexpr double kEncoderWeight = 0.3;

std::string Beginning(const std::string& text) {
  size_t end = std::min(text.size(), embedding::kMaxInputBytes);
  while (end > 0 && end < text.size() && (static_cast<uint8_t>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

// The number of a model: vectors with different numbers are not comparable. 62 bits of a digest, >
// 0.
int64_t NumberOf(const std::string& model, size_t dimensions) {
  const std::string digest = base::Sha256Hex(model + "\n" + std::to_string(dimensions));
  uint64_t number = 0;
  std::from_chars(digest.data(), digest.data() + 16, number, 16);
  return static_cast<int64_t>(number >> 2 | 1);
}

}  // namespace

Status CheckEndpoint(const EndpointOptions& options) {
  return CheckEndpointAddress(options, "embedding");
}

EndpointEmbedder::EndpointEmbedder(EndpointOptions options, const base::Clock& clock,
                                   telemetry::Metrics& metrics)
    : options_(std::move(options)),
      clock_(clock),
      metrics_(metrics),
      questions_(kQuestionsAtOnce),
      dimensions_(options_.dimensions),
      recent_(kKeptQuestions) {}

Result<std::unique_ptr<EndpointEmbedder>> EndpointEmbedder::Make(EndpointOptions options,
                                                                 const base::Clock& clock,
                                                                 telemetry::Metrics& metrics) {
  RETURN_IF_ERROR(CheckEndpoint(options));
  ASSIGN_OR_RETURN(EndpointUrl url, ParseEndpointUrl(options.url, "/embeddings"));
  std::unique_ptr<EndpointEmbedder> made(new EndpointEmbedder(std::move(options), clock, metrics));
  made->path_ = std::move(url.path);
  ASSIGN_OR_RETURN(made->client_,
                   MakeEndpointClient(made->options_, std::move(url.base), made->options_.rows_ms));
  if (made->options_.dimensions > 0) made->Learn(made->options_.dimensions);
  metrics.SetGauge("agent_memory_server_embedding_endpoint_up", 1);
  return made;
}

FusionWeights EndpointEmbedder::weights() const { return {kEncoderWeight, true, options_.floor}; }

bool EndpointEmbedder::failing() const {
  const std::lock_guard lock(mutex_);
  return question_pause_.failing() || row_pause_.failing();
}

void EndpointEmbedder::Learn(size_t dimensions) {
  dimensions_ = dimensions;
  known_model_ = NumberOf(options_.model, dimensions);
}

bool EndpointEmbedder::Enter(EndpointPause& pause) {
  const std::lock_guard lock(mutex_);
  return pause.Enter(clock_.MonotonicMs());
}

void EndpointEmbedder::Note(EndpointPause& pause, const std::optional<Failure>& failure) {
  bool was_away = false, is_away = false;
  {
    const std::lock_guard lock(mutex_);
    was_away = question_pause_.failing() || row_pause_.failing();
    if (failure)
      pause.Fail(clock_.MonotonicMs(), failure->wait_ms);
    else
      pause.Succeed();
    is_away = question_pause_.failing() || row_pause_.failing();
  }
  metrics_.SetGauge("agent_memory_server_embedding_endpoint_up", is_away ? 0 : 1);
  if (is_away && !was_away)
    base::LogWarn("the embedding endpoint is paused: searches use the table or words",
                  {{"url", options_.url}, {"reason", failure->error.message}});
  if (was_away && !is_away)
    base::LogInfo("the embedding endpoint is used again", {{"url", options_.url}});
}

std::optional<EndpointEmbedder::Failure> EndpointEmbedder::Exchange(
    const std::vector<std::string>& texts, int64_t timeout_ms, const std::stop_token& stop,
    Vectors& vectors) {
  std::vector<std::string> cut;
  for (const std::string& text : texts) cut.push_back(Beginning(text));
  const http::ClientRequest request = EndpointRequest(
      path_, embedding::EncodeEmbeddingRequest(options_.model, cut, options_.dimensions),
      timeout_ms);
  auto answer = CallBounded(*client_, request, embedding::MostAnswerBytes(texts.size()), stop);
  if (!answer) {
    const bool late = answer.error().code == Code::kTimeout;
    const bool large = answer.error().code == Code::kTooLarge;
    return Failure{answer.error(), large, 0, 0, late ? "late" : large ? "refused" : "away"};
  }
  if (answer->status != 200) {
    const int status = answer->status;
    const bool refused = status == 400 || status == 413 || status == 422;
    return Failure{{Code::kUnavailable, "status " + std::to_string(status)},
                   refused,
                   status,
                   RetryAfterMs(*answer),
                   refused ? "refused" : "away"};
  }
  auto decoded = embedding::DecodeEmbeddingAnswer(answer->body, texts.size(), dimensions_);
  if (!decoded) return Failure{decoded.error(), true, 0, 0, "refused"};
  vectors = std::move(*decoded);
  if (known_model_ == 0) Learn(vectors.front().size());
  return std::nullopt;
}

std::optional<EndpointEmbedder::Failure> EndpointEmbedder::Request(
    const std::vector<std::string>& texts, int64_t timeout_ms, const char* purpose,
    const std::stop_token& stop, Vectors& vectors) {
  const int64_t begun_ms = clock_.MonotonicMs();
  auto failure = Exchange(texts, timeout_ms, stop, vectors);
  if (stop.stop_requested()) return Failure{{Code::kUnavailable, "the caller no longer waits"}};
  metrics_.Count("agent_memory_server_embedding_requests_total",
                 {{"for", purpose}, {"outcome", failure ? failure->outcome : "ok"}});
  metrics_.Observe("agent_memory_server_embedding_request_seconds",
                   static_cast<double>(clock_.MonotonicMs() - begun_ms) / 1000, {{"for", purpose}});
  return failure;
}

Result<int64_t> EndpointEmbedder::Model(const std::stop_token& stop) {
  if (!Enter(row_pause_)) return Error{Code::kUnavailable, "the endpoint is asked again later"};
  if (known_model_ != 0) return known_model_.load();
  Vectors vectors;
  const auto failure = Request({"memory"}, options_.rows_ms, "rows", stop, vectors);
  if (!stop.stop_requested()) Note(row_pause_, failure);
  if (failure) return Error{Code::kUnavailable, failure->error.message};
  return known_model_.load();
}

std::vector<int8_t> EndpointEmbedder::OfQuestion(const std::string& text,
                                                 const std::stop_token& stop) {
  const std::string digest = base::Sha256Hex(text);
  const auto count = [&](const char* outcome) {
    metrics_.Count("agent_memory_server_embedding_requests_total",
                   {{"for", "question"}, {"outcome", outcome}});
  };
  {
    const std::lock_guard lock(mutex_);
    if (const std::vector<int8_t>* known = recent_.Find(digest)) {
      count("cached");
      return *known;
    }
    if (!question_pause_.Enter(clock_.MonotonicMs())) {
      count("paused");
      return {};
    }
  }
  if (!questions_.try_acquire()) {
    count("busy");
    return {};
  }
  Vectors vectors;
  const auto failure = Request({text}, options_.deadline_ms, "question", stop, vectors);
  questions_.release();
  if (stop.stop_requested()) return {};
  // A refusal of this query's text says nothing about the next query.
  if (!failure || !failure->refused || failure->status == 0) Note(question_pause_, failure);
  if (failure) return {};
  const std::lock_guard lock(mutex_);
  recent_.Put(digest, vectors.front());
  return std::move(vectors.front());
}

std::optional<EndpointEmbedder::Failure> EndpointEmbedder::RequestHalves(
    const std::vector<std::string>& texts, const std::stop_token& stop, Vectors& vectors) {
  Vectors asked;
  auto failure = Request(texts, options_.rows_ms, "rows", stop, asked);
  if (failure && !failure->refused) return failure;
  if (failure && texts.size() > 1) {
    const auto middle = texts.begin() + static_cast<std::ptrdiff_t>(texts.size() / 2);
    if (auto first = RequestHalves({texts.begin(), middle}, stop, vectors)) return first;
    return RequestHalves({middle, texts.end()}, stop, vectors);
  }
  if (failure) asked.assign(1, {});
  vectors.insert(vectors.end(), std::make_move_iterator(asked.begin()),
                 std::make_move_iterator(asked.end()));
  return std::nullopt;
}

Result<EndpointEmbedder::Vectors> EndpointEmbedder::OfRows(const std::vector<std::string>& texts,
                                                           const std::stop_token& stop) {
  Vectors vectors, sound;
  auto failure = Request(texts, options_.rows_ms, "rows", stop, vectors);
  if (failure && failure->refused) {
    // The texts are at fault only if the endpoint still embeds another text.
    failure = Request({"memory"}, options_.rows_ms, "rows", stop, sound);
    if (!failure) failure = RequestHalves(texts, stop, vectors);
  }
  if (!stop.stop_requested()) Note(row_pause_, failure);
  if (failure) return Error{Code::kUnavailable, failure->error.message};
  return vectors;
}

}  // namespace memory
