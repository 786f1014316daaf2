// The fields of conversations in SQLite, one row a conversation. Calls run inside the caller's
// transaction. Times are those of the clock by which things expire (base::AgingClock).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/conversation/working/field_refreshes.h"
#include "lib/conversation/working/fields.h"
#include "lib/sqlite/database.h"

namespace conversation {

extern const char* const kFieldsStep;  // a migration

// Of one owner (Host::Key of nothing: a caller's conversations begin with it).
inline constexpr int64_t kMaxFieldConversations = 200'000;
inline constexpr int64_t kMaxFieldsOfOwner = 256 << 20;  // bytes
// Expired rows stay so long, hidden: a version is not given twice while a client may remember it.
inline constexpr int64_t kKeepExpiredMs = 600'000;

// Shared by the calls of one file.
struct FieldTime {
  int64_t now_ms = 0;
  const FieldRefreshes& refreshes;
};

struct WorkingFields {
  base::Json fields = base::Json::object();
  int64_t version = 0;  // 0: there are none
  int64_t ttl_ms = 0;   // its own; 0: the default
  int64_t expires_ms = 0;
};

// Without fields when there are none or they are over. kInternal: the disk changed the row.
base::Result<WorkingFields> ReadFields(sqlite::Database& db, const std::string& conversation,
                                       const FieldTime& time);
// Merges and begins the whole life anew. kConflict: the version is not `expected`; kTooLarge:
// kMaxWorkingBytes; kFull: a limit of the owner. `default_ttl_ms` counts without a ttl of its own.
struct FieldWrite {
  std::string owner, conversation;
  FieldChanges changes;
  std::optional<int64_t> expected;
  int64_t default_ttl_ms = kDefaultFieldTtlMs;
};
base::Result<WorkingFields> WriteFields(sqlite::Database& db, const FieldWrite& write,
                                        const FieldTime& time);
// Those of `names`, or all; the last one takes the conversation's row along. → how many there were.
base::Result<int64_t> DeleteFields(sqlite::Database& db, const std::string& conversation,
                                   const std::optional<std::vector<std::string>>& names,
                                   const FieldTime& time);

base::Status WriteRefreshes(sqlite::Database& db, const FieldRefreshes::ByConversation& refreshes);
// Rows that are over for kKeepExpiredMs, `limit` at most. → how many. After WriteRefreshes.
base::Result<int64_t> RemoveExpiredFields(sqlite::Database& db, int64_t now_ms, int64_t limit);

// Those of an owner that are not over, in order of conversations, `limit` rows behind `after`. →
// the last conversation; empty: there are no more.
using OnFields =
    std::function<base::Status(const std::string& conversation, const WorkingFields& fields)>;
base::Result<std::string> WalkFields(sqlite::Database& db, const std::string& owner,
                                     const std::string& after, int64_t limit, const FieldTime& time,
                                     const OnFields& on_fields);

}  // namespace conversation
