// Removes rows of the large tables in batches, then the rest in one commit.
#include "lib/conversation/routes/removal.h"

#include <optional>

#include "lib/conversation/working/field_life.h"

namespace conversation {

using base::Json;
using base::Result;

namespace {

constexpr int64_t kRowsTogether = 200;  // a message has up to 8 MiB, most have 1 KiB

}  // namespace

Result<bool> RemoveWhole(Host& host, const std::string& id) {
  bool any = false;
  const std::string key = host.Key(id);
  for (RemovedRows removed; !removed.all; any = any || removed.rows > 0) {
    RETURN_IF_ERROR(host.Write(
        [&](Rows& rows) -> Result<Json> {
          ASSIGN_OR_RETURN(removed, rows.RemoveRows(key, kRowsTogether));
          if (!removed.all) return Json();
          ASSIGN_OR_RETURN(const int64_t fields,
                           DeleteFields(rows, key, std::nullopt, host.Fields().Now()));
          removed.rows += fields;
          return Json();
        },
        Host::Space::kFrees));
  }
  return any;
}

}  // namespace conversation
