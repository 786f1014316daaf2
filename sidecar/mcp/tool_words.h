// Words of tool arguments: operators in a query, the key of a topic. Pure.
#pragma once

#include <string>
#include <string_view>

namespace sidecar {

// True for a query with operators: a phrase in balanced quotes, a word with * at its end, AND, OR
// or NOT between words.
bool HasOperators(std::string_view query);
// "type/the-words-of-the-title": 1 to 60 bytes, deterministic.
std::string TopicKeyFor(std::string_view type, std::string_view title);

}  // namespace sidecar
