// Decides whether a query is an expression with the operators of the search. Pure.
#pragma once

#include <string_view>

namespace api {

// True for a phrase in balanced quotes, a word with * at its end, or AND, OR or NOT between words.
bool HasOperators(std::string_view query);

}  // namespace api
