// Derives topic keys from the words of a tool's arguments. Pure.
#pragma once

#include <string>
#include <string_view>

namespace sidecar {

// "type/the-words-of-the-title": 1 to 60 bytes, deterministic.
std::string TopicKeyFor(std::string_view type, std::string_view title);

}  // namespace sidecar
