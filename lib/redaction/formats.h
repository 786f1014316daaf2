// Formats that identify a secret by its form: generated ones of gitleaks, and our own.
// assignments.h finds values of secret names.
#pragma once

#include <span>

namespace redaction {

struct Format {
  const char* kind;
  // Keywords at the beginning of a match, separated by '|', ignoring case: the places where the
  // expression is tried.
  const char* begins;
  const char* expression;  // RE2
  int lead = 0;            // at most so many characters of a match before the keyword
  bool bound = true;       // no letter or digit before a match
  bool named = false;      // a product name and an assigned value, which must look random
  int group = -1;          // has the secret; -1: the first group that matched, else the match
  double least_bits = 0;   // the value needs more entropy per character
};

// A value of `lead` for matches of any length around the keyword: one search of the whole text,
// since a search from every keyword would not be linear.
inline constexpr int kAnywhere = -1;

std::span<const Format> PublishedFormats();
std::span<const Format> OwnFormats();

}  // namespace redaction
