// Decides by the words of a name and the form of a value whether `name = value` has a secret. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace redaction {

// How likely the value of a name is a secret. kWeak: a token or key, if its value looks random.
// kStrong: a password, whose value may be a word.
enum class SecretLikelihood { kNone, kWeak, kStrong };
SecretLikelihood LikelihoodOf(std::string_view name);

// True for mixed letters and digits with few repetitions: a generated value.
bool LooksRandom(std::string_view text);
double EntropyOf(std::string_view text);  // bits per character

// How a value is written. kJoined: `name=value` without blanks or quotes.
enum class Notation { kLoose, kJoined, kQuoted };
bool IsSecretValue(SecretLikelihood likelihood, std::string_view value, Notation notation);

}  // namespace redaction
