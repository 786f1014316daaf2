// The checksum includes the type and the length of each value, so that a byte that moves from one
// value to the next changes it.
#include "lib/sqlite/row_checksum.h"

#include <zlib.h>

#include <cstring>
#include <optional>

#include "lib/sqlite/errors.h"

namespace sqlite {
namespace {

constexpr size_t kMostRemembered = 1'000;

uLong Add(uLong sum, const void* bytes, size_t size) {
  return crc32_z(sum, static_cast<const Bytef*>(bytes), size);
}

// Nullopt: no memory for a value.
std::optional<uLong> AddValue(uLong sum, sqlite3_value* value) {
  const int64_t type = sqlite3_value_type(value);
  sum = Add(sum, &type, sizeof type);
  if (type == SQLITE_INTEGER) {
    const int64_t number = sqlite3_value_int64(value);
    return Add(sum, &number, sizeof number);
  }
  if (type == SQLITE_FLOAT) {
    const double number = sqlite3_value_double(value);
    return Add(sum, &number, sizeof number);
  }
  const void* bytes = sqlite3_value_blob(value);  // of a text: its bytes without conversion
  const int64_t size = sqlite3_value_bytes(value);
  if (bytes == nullptr && size > 0) return std::nullopt;
  sum = Add(sum, &size, sizeof size);
  return size == 0 ? sum : Add(sum, bytes, static_cast<size_t>(size));
}

std::optional<int64_t> Checksum(int count, sqlite3_value** values) {
  uLong sum = crc32_z(0, nullptr, 0);
  for (int i = 0; i < count; ++i) {
    const std::optional<uLong> next = AddValue(sum, values[i]);
    if (!next) return std::nullopt;
    sum = *next;
  }
  return static_cast<int64_t>(sum);
}

void RowChecksum(sqlite3_context* context, int count, sqlite3_value** values) {
  const auto sum = Checksum(count, values);
  if (!sum) return sqlite3_result_error_nomem(context);
  sqlite3_result_int64(context, *sum);
}

void RowIsSound(sqlite3_context* context, int count, sqlite3_value** values) {
  constexpr int kFirst = 3;  // argument of the checksum
  if (count <= kFirst) return sqlite3_result_error(context, "row_is_sound: no values", -1);
  const auto sum = Checksum(count - kFirst, values + kFirst);
  if (!sum) return sqlite3_result_error_nomem(context);
  const bool sound =
      sqlite3_value_type(values[2]) == SQLITE_NULL || sqlite3_value_int64(values[2]) == *sum;
  auto* unsound = static_cast<std::vector<UnsoundRow>*>(sqlite3_user_data(context));
  if (!sound && unsound->size() < kMostRemembered) {
    const auto* table = reinterpret_cast<const char*>(sqlite3_value_text(values[0]));
    unsound->push_back({table ? table : "", sqlite3_value_int64(values[1])});
  }
  sqlite3_result_int(context, sound);
}

}  // namespace

base::Status AddRowChecksum(sqlite3* handle, std::vector<UnsoundRow>* unsound) {
  // SQLITE_DIRECTONLY: the schema of an untrusted file cannot call these functions.
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DIRECTONLY;
  int rc = sqlite3_create_function_v2(handle, "row_checksum", -1, kFlags | SQLITE_DETERMINISTIC,
                                      nullptr, RowChecksum, nullptr, nullptr, nullptr);
  if (rc == SQLITE_OK) {
    rc = sqlite3_create_function_v2(handle, "row_is_sound", -1, kFlags, unsound, RowIsSound,
                                    nullptr, nullptr, nullptr);
  }
  if (rc != SQLITE_OK) return MakeError(handle, rc, "row checksums");
  return {};
}

}  // namespace sqlite
