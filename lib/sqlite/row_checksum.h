// Checksums of rows, as SQL functions of every connection: a flipped bit inside a stored text
// leaves the file well-formed, so that SQLite does not notice it. The reader decides what to do
// with such a row.
//
//   row_checksum(value, …)                        the CRC-32 of the values (ISO 3309, as in zlib)
//   row_is_sound(table, rowid, checksum, value, …)  1 when the checksum matches the values or is
//                                                 NULL (rows of an earlier version), else 0
#pragma once

#include <sqlite3.h>

#include <vector>

#include "lib/base/result.h"
#include "lib/sql/database.h"

namespace sqlite {

using sql::UnsoundRow;

// row_is_sound appends each row that it rejects to `unsound`, which outlives the connection.
base::Status AddRowChecksum(sqlite3* handle, std::vector<UnsoundRow>* unsound);

}  // namespace sqlite
