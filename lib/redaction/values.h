// Decides whether `name = value` is a secret, by the words of the name and the form of the value.
// Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace redaction {

// kWeak: a token or a key, whose value is random when it is one. kStrong: a password, whose value
// may be a word.
enum class Promise { kNone, kWeak, kStrong };
Promise PromiseOf(std::string_view name);

// True for mixed letters and digits with few repetitions: not written by hand.
bool LooksRandom(std::string_view text);
double EntropyOf(std::string_view text);  // bits a character

// How the value is written. kJoined: `name=value` without blanks or quotes.
enum class Writing { kLoose, kJoined, kQuoted };
bool IsSecretValue(Promise promise, std::string_view value, Writing writing);

}  // namespace redaction
