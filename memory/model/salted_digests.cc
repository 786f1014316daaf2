// The first 64 bits of SHA-256.
#include "memory/model/salted_digests.h"

#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"

namespace memory {

int64_t SaltedDigest(std::string salt, const std::vector<std::string_view>& parts) {
  for (std::string_view part : parts) {
    // With a length prefix, else "ab", "c" and "a", "bc" would be equal.
    salt.append(std::to_string(part.size())).append(":").append(part);
  }
  return static_cast<int64_t>(std::stoull(base::Sha256Hex(salt).substr(0, 16), nullptr, 16));
}

int64_t TextDigest(const std::string& salt, const std::string& hash, const std::string& type,
                   const std::string& scope, const std::string& rule, const std::string& project) {
  return SaltedDigest(salt, {"text", hash, type, scope, rule, base::FoldCase(project)});
}

DeletionDigests DigestsOf(const std::string& salt, const api::Observation& row) {
  DeletionDigests digests;
  digests.created_ms = row.created_ms;
  digests.text =
      TextDigest(salt, row.normalized_hash, row.type, row.scope, row.source.rule, row.project);
  if (row.id > 0 && row.created_ms != 0) {
    digests.place =
        SaltedDigest(salt, {"place", std::to_string(row.id), row.session_id,
                            base::FoldCase(row.project), std::to_string(row.created_ms)});
  }
  return digests;
}

int64_t OwnerDigest(const std::string& salt, const std::string& scope,
                    const std::string& scope_id) {
  return SaltedDigest(salt, {"owner", scope, scope_id});
}

}  // namespace memory
