// Values in PostgreSQL's binary format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace postgres {

// Types of pg_type.dat, which no version changes.
enum Type : unsigned {
  kBool = 16,
  kBytea = 17,
  kChar = 18,
  kName = 19,
  kInt8 = 20,
  kInt2 = 21,
  kInt4 = 23,
  kText = 25,
  kOid = 26,
  kJson = 114,
  kFloat4 = 700,
  kFloat8 = 701,
  kUnknown = 705,
  kBpchar = 1042,
  kVarchar = 1043,
  kNumeric = 1700,
  kVoid = 2278,
};

// A value to bind; type 0: NULL.
struct Parameter {
  unsigned type = 0;
  std::string bytes;
};
Parameter IntParameter(int64_t value);
Parameter RealParameter(double value);

bool IsReadable(unsigned type);
struct Number {
  // Also of a whole number of type numeric, as sum(bigint) is. nullopt: it is real, or does not
  // fit.
  std::optional<int64_t> whole;
  double real = 0;
};
// nullopt: a type without numbers.
std::optional<Number> ReadNumber(unsigned type, std::string_view bytes);

}  // namespace postgres
