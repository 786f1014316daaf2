// The tables of a tenant as both engines have them: copying their rows, and sums that show whether
// both have the same ones.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/sql/database.h"

namespace memory {

// What one engine calls a table. The columns of `read` are the values of `write`, in order.
struct TableStatements {
  std::string read, write, clear, any;
};
struct MovedTable {
  std::string name;
  // A new tenant has rows of it, or triggers keep it: its rows are replaced by those of the other
  // side, behind all other tables.
  bool replaced = false;
  TableStatements in_file, in_database;
};
enum class Side { kFile, kDatabase };

// All tables of a file with the present schema, in the order in which rows can be written. Without
// checksums of rows, which only files have, and what is about the file itself: its full-text index,
// which rows that index lacks, and where rounds over the file have got.
base::Result<std::vector<MovedTable>> MovedTables(sql::Database& file);

struct TableSum {
  std::string table;
  int64_t rows = 0;
  std::string sha256;  // of all values with their types, in the order of the keys
  bool operator==(const TableSum&) const = default;
};
using TableSums = std::vector<TableSum>;

using OnRows = std::function<base::Status(int64_t rows)>;  // since the last call; an error ends it
base::Result<TableSums> SumRows(sql::Database& database, Side side,
                                const std::vector<MovedTable>& tables, const OnRows& on_rows);
std::string DigestOf(const TableSums& sums);  // of all tables
int64_t RowsOf(const TableSums& sums);
// kConflict, naming the first table whose rows differ.
base::Status Compare(const TableSums& wanted, const TableSums& found);

base::Result<bool> AnyRows(sql::Database& database, Side side,
                           const std::vector<MovedTable>& tables);
// `to` is the other side, in a transaction. Errors name the table.
base::Status CopyRows(sql::Database& from, Side side, sql::Database& to,
                      const std::vector<MovedTable>& tables, const OnRows& on_rows);

}  // namespace memory
