// Reads both tables in pages.
#include "lib/conversation/routes/aegis_export.h"

#include <utility>
#include <vector>

#include "lib/base/process/clock.h"
#include "lib/conversation/working/field_life.h"
#include "lib/conversation/working/ledger.h"

namespace conversation {
namespace {

using base::Json;
using base::Result;
using base::Status;

constexpr int64_t kFieldRows = 32;  // of up to 64 KiB each

using Hashes = std::vector<std::pair<std::string, Json>>;

Json AsTexts(const Json& fields) {
  Json texts = Json::object();
  for (const auto& [name, value] : fields.items()) texts[name] = base::DumpJson(value);
  return texts;
}

Json LifeOf(const FieldLife& life, const WorkingFields& found) {
  Json told = {{"expires_at", base::FormatTime(life.WallMs(found.expires_ms))}};
  if (found.ttl_ms > 0) told["ttl_seconds"] = found.ttl_ms / 1000;
  return told;
}

Status WalkFieldHashes(Host& host, const OnHash& on_hash) {
  std::string after = host.Key("");
  do {
    Hashes page;
    ASSIGN_OR_RETURN(const Json last, host.Read([&](sqlite::Database& db) -> Result<Json> {
      page.clear();
      ASSIGN_OR_RETURN(std::string read,
                       WalkFields(db, host.Key(""), after, kFieldRows, host.Fields().Now(),
                                  [&](const std::string& key, const WorkingFields& found) {
                                    const std::string id = host.IdOf(key);
                                    page.emplace_back(kFieldsKey + id, AsTexts(found.fields));
                                    page.emplace_back(kFieldsLifeKey + id,
                                                      LifeOf(host.Fields(), found));
                                    return Status();
                                  }));
      return Json(std::move(read));
    }));
    after = last.get<std::string>();
    for (const auto& [key, hash] : page) RETURN_IF_ERROR(on_hash(key, hash));
  } while (!after.empty());
  return {};
}

Status WalkLedgerHashes(Host& host, const OnHash& on_hash) {
  for (std::string after = host.Key("");;) {
    Json hash = Json::object();
    ASSIGN_OR_RETURN(const Json next, host.Read([&](sqlite::Database& db) -> Result<Json> {
      hash = Json::object();
      ASSIGN_OR_RETURN(const std::string key, LedgerAfter(db, after));
      ASSIGN_OR_RETURN(const Ledger ledger, ReadLedger(db, key));
      for (const auto& [item, value] : ledger) hash[item] = value;
      return Json(key);
    }));
    after = next.get<std::string>();
    if (after.empty() || !after.starts_with(host.Key(""))) return {};
    RETURN_IF_ERROR(on_hash(kLedgerKey + host.IdOf(after), hash));
  }
}

}  // namespace

Status WalkAegisHashes(Host& host, const OnHash& on_hash) {
  RETURN_IF_ERROR(WalkFieldHashes(host, on_hash));
  return WalkLedgerHashes(host, on_hash);
}

}  // namespace conversation
