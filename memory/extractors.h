// What finds the facts of turns, by the settings.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lib/base/process/config.h"
#include "memory/aegis_settings.h"
#include "memory/endpoint/facts/endpoint_extractor.h"

namespace memory {

std::vector<base::Setting> ExtractionFlags();
// A flag goes over what an AEGIS deployment has in its environment.
ExtractionOptions ReadExtractionSettings(const base::Settings& settings,
                                         const AegisEnvironment& aegis);

// Patterns, unless an endpoint is set. kInvalid as EndpointExtractor::Make; an endpoint that is
// away is no error.
base::Result<std::unique_ptr<Extractor>> MakeExtractor(ExtractionOptions options,
                                                       const std::string& data_dir,
                                                       const base::Clock& clock,
                                                       telemetry::Metrics& metrics);

}  // namespace memory
