// Big-endian numbers, and the digits of numeric: groups of four, of which `weight` + 1 are whole.
#include "lib/postgres/values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

namespace postgres {
namespace {

std::string BigEndian(uint64_t bits) {
  std::string bytes(8, '\0');
  for (int i = 7; i >= 0; --i, bits >>= 8)
    bytes[static_cast<size_t>(i)] = static_cast<char>(bits & 0xFF);
  return bytes;
}

uint64_t Bits(std::string_view bytes) {
  uint64_t bits = 0;
  for (const char c : bytes) bits = bits << 8 | static_cast<unsigned char>(c);
  return bits;
}

int16_t Short(std::string_view bytes, size_t index) {
  return static_cast<int16_t>(Bits(bytes.substr(2 * index, 2)));
}

Number ReadNumeric(std::string_view bytes) {
  constexpr uint16_t kNegative = 0x4000, kPositive = 0;
  const int digits = Short(bytes, 0), weight = Short(bytes, 1);
  const auto sign = static_cast<uint16_t>(Short(bytes, 2));
  if (sign != kNegative && sign != kPositive) {  // NaN and infinities
    const double huge = sign == 0xF000 ? -HUGE_VAL : HUGE_VAL;
    return {std::nullopt, sign == 0xC000 ? NAN : huge};
  }
  Number number;
  int64_t whole = 0;
  bool fits = true;
  for (int i = 0; i < digits || i <= weight; ++i) {
    const int digit = i < digits ? Short(bytes, static_cast<size_t>(4 + i)) : 0;
    number.real += digit * std::pow(10000.0, weight - i);
    if (i > weight)
      fits = fits && digit == 0;
    else
      fits = fits && !__builtin_mul_overflow(whole, int64_t{10000}, &whole) &&
             !__builtin_sub_overflow(whole, int64_t{digit}, &whole);
  }
  // Summed up as a negative number, since the least int64 has no positive counterpart.
  if (sign == kNegative)
    number.real = -number.real;
  else
    fits = fits && !__builtin_sub_overflow(int64_t{0}, whole, &whole);
  if (fits) number.whole = whole;
  return number;
}

}  // namespace

Parameter IntParameter(int64_t value) { return {kInt8, BigEndian(static_cast<uint64_t>(value))}; }
Parameter RealParameter(double value) {
  return {kFloat8, BigEndian(std::bit_cast<uint64_t>(value))};
}

bool IsReadable(unsigned type) {
  static constexpr unsigned kReadable[] = {kBool,    kBytea,  kChar,    kName,    kInt8,   kInt2,
                                           kInt4,    kText,   kOid,     kJson,    kFloat4, kFloat8,
                                           kUnknown, kBpchar, kVarchar, kNumeric, kVoid};
  return std::find(std::begin(kReadable), std::end(kReadable), type) != std::end(kReadable);
}

std::optional<Number> ReadNumber(unsigned type, std::string_view bytes) {
  const auto whole = [](int64_t value) { return Number{value, static_cast<double>(value)}; };
  switch (type) {
    case kInt2:
      return whole(static_cast<int16_t>(Bits(bytes)));
    case kInt4:
      return whole(static_cast<int32_t>(Bits(bytes)));
    case kBool:
    case kInt8:
    case kOid:
      return whole(static_cast<int64_t>(Bits(bytes)));
    case kFloat4:
      return Number{{}, std::bit_cast<float>(static_cast<uint32_t>(Bits(bytes)))};
    case kFloat8:
      return Number{{}, std::bit_cast<double>(Bits(bytes))};
    case kNumeric:
      return ReadNumeric(bytes);
    default:
      return std::nullopt;
  }
}

}  // namespace postgres
