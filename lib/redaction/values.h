// Decides by the words of the name and the form of the value whether `name = value` has a secret.
// Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace redaction {

// The kind of secret that a name promises. kWeak: a token or key, with a random value. kStrong: a
// password, whose value may be a word.
enum class Promise { kNone, kWeak, kStrong };
Promise PromiseOf(std::string_view name);

// True for mixed letters and digits with few repetitions: a generated value.
bool LooksRandom(std::string_view text);
double EntropyOf(std::string_view text);  // bits per character

// The notation of a value. kJoined: `name=value` without blanks or quotes.
enum class Writing { kLoose, kJoined, kQuoted };
bool IsSecretValue(Promise promise, std::string_view value, Writing writing);

}  // namespace redaction
