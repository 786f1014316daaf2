// Digests with a tenant's salt, by which an engine recognizes a text without storing it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/api/memory_api.h"

namespace memory {

// Of these texts, in this order.
int64_t SaltedDigest(std::string salt, const std::vector<std::string_view>& parts);

// The digests that identify a deleted row.
struct DeletionDigests {
  std::optional<int64_t> place;  // of id, session, project and time; nullopt without id or time
  int64_t text = 0;              // content, type, scope, rule and project
  int64_t created_ms = 0;        // 0: unknown, matches any time
};
DeletionDigests DigestsOf(const std::string& salt, const api::Observation& row);
// The digest of the text of a write.
int64_t TextDigest(const std::string& salt, const std::string& hash, const std::string& type,
                   const std::string& scope, const std::string& rule, const std::string& project);
// The digest of whom a trace belongs to.
int64_t OwnerDigest(const std::string& salt, const std::string& scope, const std::string& scope_id);

}  // namespace memory
