// Expiry times that reads renewed and that are not in the file yet, so that a read writes nothing.
// A crash loses them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "lib/base/guarded.h"

namespace conversation {

// Any thread.
class FieldRefreshes {
 public:
  struct Refresh {
    int64_t version = 0;  // of the fields; the refresh applies to no other
    int64_t expires_ms = 0;
    bool operator==(const Refresh&) const = default;
  };
  using ByConversation = std::map<std::string, Refresh>;
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

}  // namespace conversation
