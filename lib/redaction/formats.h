// Formats that identify a secret by its form: published ones, which are generated, and our own.
// Values that are secrets by their name are assignments.h.
#pragma once

#include <span>

namespace redaction {

struct Format {
  const char* kind;
  // What a match begins with, several parted by '|', in any case. It says where to try the
  // expression, which decides.
  const char* begins;
  const char* expression;  // RE2's
  int lead = 0;            // so many characters of a match, at most, stand before that
  bool bound = true;       // no letter and no digit stands before a match
  bool named = false;     // the name of a product and what is assigned to it: many characters apart
  int group = -1;         // that is the secret; -1: the first that matched, else all of it
  double least_bits = 0;  // of entropy a character
};

// Where a match may be of any length and begin anywhere: the whole text is searched once, for
// looking from one beginning to the next would not be linear.
inline constexpr int kAnywhere = -1;

std::span<const Format> PublishedFormats();
std::span<const Format> OwnFormats();

}  // namespace redaction
