// A compiled statement over SQLite's C interface.
#include "lib/sqlite/connection.h"

namespace sqlite {

void SqliteCursor::BindInt(int parameter, int64_t value) {
  bind_error_ |= sqlite3_bind_int64(statement_, parameter, value);
}
void SqliteCursor::BindReal(int parameter, double value) {
  bind_error_ |= sqlite3_bind_double(statement_, parameter, value);
}
void SqliteCursor::BindText(int parameter, std::string_view text) {
  bind_error_ |= sqlite3_bind_text64(statement_, parameter, text.data() ? text.data() : "",
                                     text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}
void SqliteCursor::BindBlob(int parameter, std::string_view bytes) {
  bind_error_ |= sqlite3_bind_blob64(statement_, parameter, bytes.data() ? bytes.data() : "",
                                     bytes.size(), SQLITE_TRANSIENT);
}
void SqliteCursor::BindNull(int parameter) {
  bind_error_ |= sqlite3_bind_null(statement_, parameter);
}

base::Result<bool> SqliteCursor::Step() {
  if (bind_error_ != SQLITE_OK) return connection_.Fail(bind_error_, "bind");
  int rc = sqlite3_step(statement_);
  if (rc == SQLITE_ROW) return true;
  if (rc == SQLITE_DONE) return false;
  return connection_.Fail(rc, "step");
}

int SqliteCursor::Columns() const { return sqlite3_column_count(statement_); }
bool SqliteCursor::IsNull(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}
bool SqliteCursor::IsBlob(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_BLOB;
}
bool SqliteCursor::IsReal(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_FLOAT;
}
bool SqliteCursor::IsInt(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_INTEGER;
}
int64_t SqliteCursor::Int(int column) const { return sqlite3_column_int64(statement_, column); }
double SqliteCursor::Real(int column) const { return sqlite3_column_double(statement_, column); }
std::string_view SqliteCursor::Text(int column) const {
  const void* bytes = sqlite3_column_blob(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  return bytes ? std::string_view(static_cast<const char*>(bytes), static_cast<size_t>(size))
               : std::string_view();
}

void SqliteCursor::GiveBack() {
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
  bind_error_ = SQLITE_OK;
  connection_.statements.Give(*this);
}

}  // namespace sqlite
