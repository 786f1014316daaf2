// Uses no model by default.
#include "memory/extractors.h"

#include <utility>

#include "lib/base/process/log.h"
#include "memory/endpoint/facts/endpoint_extractor.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Setting;
using base::Status;

std::vector<Setting> ExtractionFlags() {
  return {
      {"extraction-url", Setting::Kind::kString, "",
       "OpenAI-compatible endpoint of a chat model that extracts facts from turns, for example "
       "https://api.openai.com/v1; it receives the redacted texts of turns. Empty: none. When it "
       "is unreachable or late, patterns extract the facts"},
      {"extraction-model", Setting::Kind::kString, "gpt-4o-mini", "model of the endpoint"},
      {"extraction-key-file", Setting::Kind::kString, "",
       "file of the API key of the endpoint, read for each request; default: OPENAI_API_KEY of the "
       "environment when it is set, else no key is sent"},
      {"extraction-ca-file", Setting::Kind::kString, "",
       "PEM file of the certificate authorities of the endpoint; empty: the system's"},
      {"extraction-deadline", Setting::Kind::kDuration, "20s",
       "how long a turn waits for the facts of the endpoint, before patterns extract them", 100,
       300'000},
      {"extraction-tokens-per-day", Setting::Kind::kInt, "200000",
       "tokens that all tenants may use per day (UTC); then patterns extract facts until midnight",
       0, int64_t{1} << 40},
      {"extraction-derive", Setting::Kind::kBool, "false",
       "ask the model for insights after each run of consolidation, and store them as traces; it "
       "receives the texts of traces"},
  };
}

ExtractionSettings ReadExtractionSettings(const base::Settings& settings,
                                          const AegisEnvironment& aegis) {
  ExtractionSettings read;
  read.url = settings.Text("extraction-url");
  read.model = settings.Text("extraction-model");
  read.key_file = settings.Text("extraction-key-file");
  read.key = aegis.openai_key.value_or("");
  read.ca_file = settings.Text("extraction-ca-file");
  read.deadline_ms = settings.Milliseconds("extraction-deadline");
  read.tokens_per_day = settings.Int("extraction-tokens-per-day");
  read.derive = settings.Bool("extraction-derive");
  return read;
}

Status CheckExtractionSettings(const ExtractionSettings& settings) {
  RETURN_IF_ERROR(CheckChat(settings));
  if (settings.derive && settings.url.empty())
    return Error{Code::kInvalid,
                 "extraction-derive: it needs extraction-url, the model that finds insights; set "
                 "it, or leave extraction-derive out"};
  return {};
}

Result<std::unique_ptr<ChatEndpoint>> MakeChat(ChatOptions options, const std::string& data_dir,
                                               const base::Clock& clock,
                                               telemetry::Metrics& metrics) {
  if (options.url.empty()) return std::unique_ptr<ChatEndpoint>();
  options.tokens_file = data_dir + "/extraction-tokens.json";
  base::LogInfo("facts of turns are found by a model of an endpoint, which gets their texts",
                {{"url", options.url}, {"model", options.model}});
  return ChatEndpoint::Make(std::move(options), clock, metrics);
}

std::unique_ptr<Extractor> MakeExtractor(ChatEndpoint* chat) {
  if (chat) return std::make_unique<EndpointExtractor>(*chat);
  return std::make_unique<PatternExtractor>();
}

}  // namespace memory
