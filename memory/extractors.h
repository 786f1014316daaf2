// What finds the facts of turns, by the settings.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lib/base/process/config.h"
#include "memory/aegis_settings.h"
#include "memory/endpoint/chat/chat_endpoint.h"
#include "memory/extract/extractor.h"

namespace memory {

// Without a url no model is asked.
struct ExtractionSettings : ChatOptions {
  bool derive = false;  // the model says insights of traces, too
  bool Derives() const { return derive && !url.empty(); }
};

std::vector<base::Setting> ExtractionFlags();
// A flag goes over what an AEGIS deployment has in its environment.
ExtractionSettings ReadExtractionSettings(const base::Settings& settings,
                                          const AegisEnvironment& aegis);
// kInvalid: what they say cannot be asked, or nobody is there to be asked.
base::Status CheckExtractionSettings(const ExtractionSettings& settings);

// Null: no endpoint is set. kInvalid as ChatEndpoint::Make; an endpoint that is away is no error.
base::Result<std::unique_ptr<ChatEndpoint>> MakeChat(ChatOptions options,
                                                     const std::string& data_dir,
                                                     const base::Clock& clock,
                                                     telemetry::Metrics& metrics);
// `chat` outlives it; null: patterns.
std::unique_ptr<Extractor> MakeExtractor(ChatEndpoint* chat);

}  // namespace memory
