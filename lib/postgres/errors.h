// The mapping of SQLSTATEs and of failures of a connection.
#pragma once

#include <string>
#include <string_view>

#include "lib/base/result.h"
#include "lib/postgres/libpq.h"

namespace postgres {

base::Code CodeOf(std::string_view state);  // of a SQLSTATE
// The transaction may succeed when it runs again: serialization, deadlock, a lock not got in time.
bool IsPassing(std::string_view state);
// A prepared statement does not fit any more: its tables changed, or the server forgot it.
bool IsOutdated(std::string_view state);
// libpq's words in one line, without `secret`.
std::string OneLine(const char* message, const std::string& secret = "");
// Of a failed statement. The server's DETAIL quotes rows, so it is left out.
base::Error MakeError(const PGresult* result, const std::string& server);

}  // namespace postgres
