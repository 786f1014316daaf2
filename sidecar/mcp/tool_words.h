// What of the memory tools is only about words: operators in a query, the key of a topic. Pure.
#pragma once

#include <string>
#include <string_view>

namespace sidecar {

// True when `query` is meant as operators: a phrase in balanced quotes, a word with * at its end,
// AND, OR or NOT between words (rulings K32).
bool HasOperators(std::string_view query);
// "type/the-words-of-the-title": at most 60 bytes, the same for the same title; never empty.
std::string TopicKeyFor(std::string_view type, std::string_view title);

}  // namespace sidecar
