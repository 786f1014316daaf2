// The grammar of resource.Quantity: a signed decimal with a binary, decimal or exponent suffix.
#include "lib/kube/object/quantity.h"

#include <array>
#include <charconv>
#include <string>

namespace kube {

namespace {

constexpr Nanos kUnit = 1'000'000'000;
constexpr Nanos kMost = Nanos{INT64_MAX} * kUnit;  // INT64_MAX whole units

struct Suffix {
  std::string_view text;
  int decimal;  // power of ten
  int binary;   // power of two
};
constexpr std::array<Suffix, 16> kSuffixes{{{"", 0, 0},
                                            {"n", -9, 0},
                                            {"u", -6, 0},
                                            {"m", -3, 0},
                                            {"k", 3, 0},
                                            {"M", 6, 0},
                                            {"G", 9, 0},
                                            {"T", 12, 0},
                                            {"P", 15, 0},
                                            {"E", 18, 0},
                                            {"Ki", 0, 10},
                                            {"Mi", 0, 20},
                                            {"Gi", 0, 30},
                                            {"Ti", 0, 40},
                                            {"Pi", 0, 50},
                                            {"Ei", 0, 60}}};

base::Error Bad(std::string_view text, const char* why) {
  return {base::Code::kInvalid, "quantity \"" + std::string(text.substr(0, 64)) + "\": " + why};
}

bool FindSuffix(std::string_view text, Suffix* suffix) {
  for (const Suffix& known : kSuffixes) {
    if (known.text == text) return *suffix = known, true;
  }
  if (text.size() < 2 || text.size() > 5 || (text[0] != 'e' && text[0] != 'E')) return false;
  std::string_view digits = text.substr(text[1] == '+' ? 2 : 1);
  int exponent = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  if (error != std::errc() || end != digits.data() + digits.size()) return false;
  *suffix = {text, exponent, 0};
  return true;
}

// value · 10^power, rounded up; false beyond the limit.
bool Scale(Nanos* value, int power) {
  for (; power > 0; --power) {
    if (*value > kMost) return false;
    *value *= 10;
  }
  for (; power < 0 && *value > 0; ++power) *value = (*value + 9) / 10;
  return *value <= kMost;
}

}  // namespace

base::Result<Nanos> ParseQuantity(std::string_view text) {
  std::string_view rest = text;
  bool negative = !rest.empty() && rest[0] == '-';
  if (negative || (!rest.empty() && rest[0] == '+')) rest.remove_prefix(1);
  size_t end = rest.find_first_not_of("0123456789.");
  if (end == std::string_view::npos) end = rest.size();
  std::string_view number = rest.substr(0, end);
  Suffix suffix{};
  if (!FindSuffix(rest.substr(end), &suffix)) return Bad(text, "unknown suffix");

  Nanos value = 0;
  int fraction = 0;
  bool point = false, digits = false;
  for (char c : number) {
    if (c == '.') {
      if (point) return Bad(text, "two points");
      point = true;
      continue;
    }
    digits = true;
    if (value > kMost) return Bad(text, "too long");
    value = value * 10 + (c - '0');
    fraction += point;
  }
  if (!digits) return Bad(text, "no digits");
  if (suffix.binary > 0) {
    if (value > (kMost >> suffix.binary)) return Bad(text, "too large");
    value <<= suffix.binary;
  }
  if (!Scale(&value, suffix.decimal + 9 - fraction)) return Bad(text, "too large");
  return negative ? -value : value;
}

bool SameQuantity(std::string_view left, std::string_view right) {
  auto a = ParseQuantity(left), b = ParseQuantity(right);
  return a && b && *a == *b;
}

}  // namespace kube
