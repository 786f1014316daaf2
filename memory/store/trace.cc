// Ids of imports.
#include "memory/store/trace.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "lib/base/text/digest.h"

namespace memory {

namespace {

constexpr size_t kNumberDigits = 12;

}  // namespace

std::string OtherTraceId(const std::string& id, const std::string& of) {
  const std::string digits = base::Sha256Hex(id + "\n" + of);
  return std::string(kTraceIdPrefix) + digits.substr(0, 8) + "-" + digits.substr(8, 4) + "-8" +
         digits.substr(12, 3) + "-8" + digits.substr(15, 3) + "-" + digits.substr(18, 12);
}

std::string NumberedTraceId(int64_t observation) {
  std::array<char, 2 * sizeof observation> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), observation, 16).ptr;
  const std::string number(digits.data(), end);
  return std::string(kNumberedPrefix) +
         std::string(kNumberDigits - std::min(kNumberDigits, number.size()), '0') + number;
}

std::optional<int64_t> NumberInTraceId(std::string_view id) {
  if (!id.starts_with(kNumberedPrefix)) return std::nullopt;
  const std::string_view digits = id.substr(kNumberedPrefix.size());
  int64_t number = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return digits.size() == kNumberDigits ? std::optional(number) : std::nullopt;
}

}  // namespace memory
