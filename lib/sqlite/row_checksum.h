// Checksums of rows, as SQL functions of every connection: a bit that changed inside a stored text
// leaves the file well-formed, so that SQLite does not see it. What becomes of such a row is its
// reader's to decide.
//
//   row_checksum(value, …)                        the CRC-32 of the values (ISO 3309, as in zlib)
//   row_is_sound(table, rowid, checksum, value, …)  1 when the checksum is theirs or NULL (a row
//   from
//                                                 before there were any), else 0
#pragma once

#include <sqlite3.h>

#include <vector>

#include "lib/base/result.h"
#include "lib/sqlite/database.h"

namespace sqlite {

// `unsound` gets each row that row_is_sound finds changed; it outlives the connection.
base::Status AddRowChecksum(sqlite3* handle, std::vector<UnsoundRow>* unsound);

}  // namespace sqlite
