// The key-value fields of a conversation (AEGIS working memory): decodes the writes of requests,
// merges them, and keeps their versions, expiry and limits. Pure, on Rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/guarded.h"
#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/conversation/rows.h"

namespace conversation {

// Expiry times that reads renewed and that are not in the file yet, so that a read writes nothing.
// A crash loses them. Any thread.
class FieldRefreshes {
 public:
  using Refresh = FieldRefresh;
  using ByConversation = FieldRefreshMap;
  static constexpr size_t kMost = 20'000;

  // Keeps the newest version with its latest time. False: kMost others are kept; the caller must
  // write the refresh.
  bool Note(const std::string& conversation, const Refresh& refresh) {
    return noted_.With([&](ByConversation& noted) {
      const auto found = noted.find(conversation);
      if (found == noted.end() && noted.size() >= kMost) return false;
      Refresh& kept = found == noted.end() ? noted[conversation] : found->second;
      if (std::pair(kept.version, kept.expires_ms) < std::pair(refresh.version, refresh.expires_ms))
        kept = refresh;
      return true;
    });
  }
  // The later of stored.expires_ms and the noted time of this version.
  int64_t Latest(const std::string& conversation, const Refresh& stored) const {
    return noted_.With([&](const ByConversation& noted) {
      const auto found = noted.find(conversation);
      const bool mine = found != noted.end() && found->second.version == stored.version;
      return mine ? std::max(found->second.expires_ms, stored.expires_ms) : stored.expires_ms;
    });
  }
  // Refreshes stay until Written, since reads need them.
  ByConversation Copy() const { return noted_.Copy(); }
  void Written(const ByConversation& written) {
    noted_.With([&](ByConversation& noted) {
      for (const auto& [conversation, refresh] : written) {
        const auto found = noted.find(conversation);
        if (found != noted.end() && found->second == refresh) noted.erase(found);
      }
    });
  }
  size_t Count() const {
    return noted_.With([](const ByConversation& noted) { return noted.size(); });
  }

 private:
  base::Guarded<ByConversation> noted_;
};

inline constexpr size_t kMaxWorkingBytes = 65'536;            // of a conversation's fields
inline constexpr int64_t kMaxFieldTtlSeconds = 31'536'000;    // a year
inline constexpr int64_t kDefaultFieldTtlMs = 86'400 * 1000;  // of fields without an own TTL

struct FieldChanges {
  base::Json fields = base::Json::object();
  std::optional<int64_t> ttl_ms;  // of the conversation, until another is given
};

// {"fields": {name: any JSON}, "ttl_seconds"?}. kInvalid: another shape or type; scratchpad is a
// string, entities a list of objects, and either may be null.
base::Result<FieldChanges> DecodeFieldChanges(const base::Json& body);
// The names to delete: {"fields": [name…]} of `body` (may be empty), and the comma-separated names
// of `query`; nullopt: all.
base::Result<std::optional<std::vector<std::string>>> DecodeFieldNames(
    std::string_view body, const std::optional<std::string>& query);
// The version of an If-Match header, with or without quotes; nullopt: no header, or *.
base::Result<std::optional<int64_t>> DecodeIfMatch(const std::optional<std::string>& header);

// The bytes of names and of values as JSON text.
size_t BytesOfFields(const base::Json& fields);
// Merges `changes` into `fields` by name; null is a value. kTooLarge: over kMaxWorkingBytes.
base::Result<base::Json> MergeWorkingFields(base::Json fields, const base::Json& changes);

// Calls with rows run inside the caller's transaction.

// Limits of one owner (Host::Key(""), the prefix of a caller's conversations).
inline constexpr int64_t kMaxFieldConversations = 200'000;
inline constexpr int64_t kMaxFieldsOfOwner = 256 << 20;  // bytes
// Expired rows stay hidden for this time: no version is reused while a client may remember it.
inline constexpr int64_t kKeepExpiredMs = 600'000;

// Shared by the calls of one file; times are of base::AgingClock.
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
base::Result<WorkingFields> ReadFields(Rows& rows, const std::string& conversation,
                                       const FieldTime& time);
// Merges and restarts the TTL. kConflict: the version is not `expected`; kTooLarge:
// kMaxWorkingBytes; kFull: a limit of the owner. `default_ttl_ms` applies without an own TTL.
struct FieldWrite {
  std::string owner, conversation;
  FieldChanges changes;
  std::optional<int64_t> expected;
  int64_t default_ttl_ms = kDefaultFieldTtlMs;
};
base::Result<WorkingFields> WriteFields(Rows& rows, const FieldWrite& write, const FieldTime& time);
// Deletes `names`, or all; without fields the row expires. → the number of deleted fields.
base::Result<int64_t> DeleteFields(Rows& rows, const std::string& conversation,
                                   const std::optional<std::vector<std::string>>& names,
                                   const FieldTime& time);

// Sets the TTL of a conversation's fields (`ttl_ms` 0: the default) and their expiry, which the
// next read or write renews. For imports.
base::Status SetLife(Rows& rows, const std::string& conversation, int64_t ttl_ms,
                     int64_t expires_ms);

// Removes up to `limit` rows expired for kKeepExpiredMs. → their number. After Rows::RefreshFields.
base::Result<int64_t> RemoveExpiredFields(Rows& rows, int64_t now_ms, int64_t limit);

// Visits the live fields of an owner in order of conversations, `limit` rows after `after`. → the
// last conversation; empty: the end.
using OnFields =
    std::function<base::Status(const std::string& conversation, const WorkingFields& fields)>;
base::Result<std::string> WalkFields(Rows& rows, const std::string& owner, const std::string& after,
                                     int64_t limit, const FieldTime& time,
                                     const OnFields& on_fields);

}  // namespace conversation
