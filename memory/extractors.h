// Creates the extractor of facts from the settings.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lib/base/process/config.h"
#include "memory/aegis_settings.h"
#include "memory/endpoint/chat/chat_endpoint.h"
#include "memory/extract/extractor.h"

namespace memory {

// Without a url: patterns only.
struct ExtractionSettings : ChatOptions {
  bool derive = false;  // the model derives insights of traces too
  bool Derives() const { return derive && !url.empty(); }
};

std::vector<base::Setting> ExtractionFlags();
// Flags override the environment of an AEGIS deployment.
ExtractionSettings ReadExtractionSettings(const base::Settings& settings,
                                          const AegisEnvironment& aegis);
// Validates the settings (kInvalid), also `derive` without a url.
base::Status CheckExtractionSettings(const ExtractionSettings& settings);

// Null: no endpoint is set. kInvalid as ChatEndpoint::Make; an endpoint that is away is no error.
base::Result<std::unique_ptr<ChatEndpoint>> MakeChat(ChatOptions options,
                                                     const std::string& data_dir,
                                                     const base::Clock& clock,
                                                     telemetry::Metrics& metrics);
// `chat` outlives it; null: patterns.
std::unique_ptr<Extractor> MakeExtractor(ChatEndpoint* chat);

}  // namespace memory
