// Judges the schema of an uploaded, untrusted SQLite file by what SQLite says of it: plain tables
// and indexes alone are taken, since anything else could run while rows are read.
#pragma once

#include <string>
#include <string_view>

#include "lib/sqlite/database.h"

namespace memory {

base::Error NoBrain(const std::string& why);  // kInvalid

// kInvalid: a view, a trigger, a virtual table other than FTS5's, a computed column, an index over
// an expression, a CHECK, or more than 200 objects.
base::Status CheckBrainSchema(sqlite::Database& file);

// Whether `name` is a plain table, as SQLite says.
base::Result<bool> IsPlainTable(sqlite::Database& file, const char* name);

// The words and signs of an SQL statement, in upper case, without blanks and comments; a quoted
// text or name is one sign. Pure.
class SqlTokens {
 public:
  explicit SqlTokens(std::string_view sql) : rest_(sql) {}
  std::string Next();  // empty: the end

 private:
  void SkipBlanks();
  std::string_view rest_;
};

}  // namespace memory
