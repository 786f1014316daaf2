// Whether a question of a model or a client is an expression of the search's operators. Pure.
#pragma once

#include <string_view>

namespace api {

// True for a query with operators: a phrase in balanced quotes, a word with * at its end, AND, OR
// or NOT between words.
bool HasOperators(std::string_view query);

}  // namespace api
