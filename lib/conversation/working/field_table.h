// The fields of conversations in SQLite, one row per conversation. Calls run inside the caller's
// transaction. Times are of base::AgingClock.
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

// Limits of one owner (Host::Key(""), the prefix of a caller's conversations).
inline constexpr int64_t kMaxFieldConversations = 200'000;
inline constexpr int64_t kMaxFieldsOfOwner = 256 << 20;  // bytes
// Expired rows stay hidden for this time: no version is reused while a client may remember it.
inline constexpr int64_t kKeepExpiredMs = 600'000;

// Shared by the calls of one file.
struct FieldTime {
  int64_t now_ms = 0;
  const FieldRefreshes& refreshes;
};

struct WorkingFields {
  base::Json fields = base::Json::object();
  int64_t version = 0;  // 0: no fields
  int64_t ttl_ms = 0;   // its own; 0: the default
  int64_t expires_ms = 0;
};

// Empty for absent and for expired fields. kInternal: the row changed on disk.
base::Result<WorkingFields> ReadFields(sqlite::Database& db, const std::string& conversation,
                                       const FieldTime& time);
// Merges and restarts the TTL. kConflict: the version is not `expected`; kTooLarge:
// kMaxWorkingBytes; kFull: a limit of the owner. `default_ttl_ms` applies without an own TTL.
struct FieldWrite {
  std::string owner, conversation;
  FieldChanges changes;
  std::optional<int64_t> expected;
  int64_t default_ttl_ms = kDefaultFieldTtlMs;
};
base::Result<WorkingFields> WriteFields(sqlite::Database& db, const FieldWrite& write,
                                        const FieldTime& time);
// Deletes `names`, or all; without fields the row expires. → the number of deleted fields.
base::Result<int64_t> DeleteFields(sqlite::Database& db, const std::string& conversation,
                                   const std::optional<std::vector<std::string>>& names,
                                   const FieldTime& time);

base::Status WriteRefreshes(sqlite::Database& db, const FieldRefreshes::ByConversation& refreshes);
// Removes up to `limit` rows expired for kKeepExpiredMs. → their number. After WriteRefreshes.
base::Result<int64_t> RemoveExpiredFields(sqlite::Database& db, int64_t now_ms, int64_t limit);

// Visits the live fields of an owner in order of conversations, `limit` rows after `after`. → the
// last conversation; empty: the end.
using OnFields =
    std::function<base::Status(const std::string& conversation, const WorkingFields& fields)>;
base::Result<std::string> WalkFields(sqlite::Database& db, const std::string& owner,
                                     const std::string& after, int64_t limit, const FieldTime& time,
                                     const OnFields& on_fields);

}  // namespace conversation
