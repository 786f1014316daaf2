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
       "OpenAI-compatible endpoint of a chat model that finds the facts of turns, as "
       "https://api.openai.com/v1; the texts of turns are sent there, redacted. Empty: none. Where "
       "it is away or late, patterns find them"},
      {"extraction-model", Setting::Kind::kString, "gpt-4o-mini", "the model to ask for there"},
      {"extraction-key-file", Setting::Kind::kString, "",
       "file of the key for it, read again for each request; default: OPENAI_API_KEY of the "
       "environment when it is set, else no key is sent"},
      {"extraction-ca-file", Setting::Kind::kString, "",
       "PEM file of the authorities that its certificate may be of; empty: the system's"},
      {"extraction-deadline", Setting::Kind::kDuration, "20s",
       "a turn waits so long for its facts from there, and then takes those of patterns", 100,
       300'000},
      {"extraction-tokens-per-day", Setting::Kind::kInt, "200000",
       "tokens that it may use a day (UTC), of all tenants; then patterns find facts until "
       "midnight",
       0, int64_t{1} << 40},
      {"extraction-derive", Setting::Kind::kBool, "false",
       "after each run of consolidation the model is asked what traces say together, and its "
       "insights become traces; the texts of traces are sent there"},
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
                 "extraction-derive: there is no extraction-url: no model can be asked for "
                 "insights; set it, or leave extraction-derive out"};
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
