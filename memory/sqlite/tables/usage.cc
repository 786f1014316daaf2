// A trigger counts rows (schema.cc); SQLite's page count gives bytes.
#include "memory/sqlite/tables/usage.h"

#include "lib/base/process/log.h"

namespace memory {

using base::Code;
using base::Error;
using base::Status;

Status StoreUsage::Read(sql::Database& writer) {
  ASSIGN_OR_RETURN(auto count,
                   writer.Prepare("SELECT value FROM counters WHERE name = 'live_rows'"));
  ASSIGN_OR_RETURN(bool row, count.Step());
  ASSIGN_OR_RETURN(int64_t bytes, writer.UsedBytes());
  rows_ = row ? count.Int(0) : 0;
  bytes_ = bytes;
  return {};
}

Status StoreUsage::Admit() const {
  auto over = [&](const char* quota, int64_t value, int64_t limit, const char* what) {
    if (!told_.exchange(true)) {
      base::LogWarn("a namespace is at its quota: its writes are refused",
                    {{"file", file_}, {"quota", quota}, {"value", value}, {"limit", limit}});
    }
    return Error{Code::kFull, std::string(quota) + ": this namespace keeps " +
                                  std::to_string(value) + what + ", the limit is " +
                                  std::to_string(limit) +
                                  "; delete memories (hard=true gives their bytes back), or let "
                                  "an administrator of the server raise the limit"};
  };
  const int64_t rows = rows_, bytes = this->bytes();
  if (quota_.rows > 0 && rows >= quota_.rows)
    return over("quota-rows", rows, quota_.rows, " memories");
  if (quota_.bytes > 0 && bytes >= quota_.bytes)
    return over("quota-bytes", bytes, quota_.bytes, " bytes");
  told_ = false;
  return {};
}

}  // namespace memory
