// Limits of shared memory.
#include "memory/keeping/shared_items.h"

namespace memory {

namespace {

std::string FullShared(const std::string& owner, int64_t CellKind::*limit, int64_t value) {
  const std::string most = std::to_string(kSharedCells.*limit);
  if (limit == &CellKind::owners)
    return "shared-owners: " + most +
           " Agents of this namespace share something, which is the limit; nothing was stored: "
           "delete what one of them shares first";
  const std::string what = limit == &CellKind::cells ? "keys" : "bytes";
  return "shared-" + what + ": Agent " + owner + " would share " + std::to_string(value) + " " +
         what + ", the limit is " + most + "; nothing was stored: delete some first";
}

std::string MissingShared(const std::string& /*owner*/, const std::string& /*key*/) {
  return "there is no such shared memory, or it is not shared with this caller";
}

}  // namespace

const CellKind kSharedCells = {kMostSharedKeys, kMostSharedBytes, kMostSharedOwners, FullShared,
                               MissingShared,   "shared",         "shared",          true};

}  // namespace memory
