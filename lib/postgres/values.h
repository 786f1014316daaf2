// Values in PostgreSQL's binary format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

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

// A value to bind; its type is 'i', 'r', 't', 'b', or 'n' (NULL).
struct Parameter {
  char type = 'n';
  std::string bytes;
};
Parameter IntParameter(int64_t value);
Parameter RealParameter(double value);
unsigned TypeOf(char parameter);  // 0: the server infers it

bool IsReadable(unsigned type);
enum class Kind { kInt, kReal, kText, kBlob };
// Of a readable type. A whole number of type numeric, as sum(bigint) is, counts as kInt if it fits.
Kind KindOf(unsigned type, std::string_view bytes);
int64_t ReadInt(unsigned type, std::string_view bytes);  // of kInt
double ReadReal(unsigned type, std::string_view bytes);  // of kReal

}  // namespace postgres
