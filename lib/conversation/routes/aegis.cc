// Export reads both tables in pages, each in its own transaction. Import validates a hash like the
// routes, then adds its missing fields or marks.
#include "lib/conversation/routes/aegis.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/process/clock.h"
#include "lib/base/text/text.h"
#include "lib/conversation/routes/host.h"
#include "lib/conversation/working/field_life.h"
#include "lib/conversation/working/ledger.h"

namespace conversation {
namespace {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

constexpr const char* kFieldsKey = "working_memory:";
constexpr const char* kFieldsLifeKey = "working_memory_ttl:";  // in Redis a TTL of the key
constexpr const char* kLedgerKey = "skill:ledger:";
// Of a value in an import: as in the body of a write, which has it in "fields".
constexpr size_t kFieldLevels = base::JsonLimits().max_depth - 2;
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
    ASSIGN_OR_RETURN(const Json last, host.Read([&](Rows& rows) -> Result<Json> {
      page.clear();
      ASSIGN_OR_RETURN(std::string read,
                       WalkFields(rows, host.Key(""), after, kFieldRows, host.Fields().Now(),
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
    ASSIGN_OR_RETURN(const Json next, host.Read([&](Rows& rows) -> Result<Json> {
      hash = Json::object();
      ASSIGN_OR_RETURN(const std::string key, rows.NextLedger(after));
      ASSIGN_OR_RETURN(const Ledger ledger, rows.ReadLedger(key));
      for (const auto& [item, value] : ledger) hash[item] = value;
      return Json(key);
    }));
    after = next.get<std::string>();
    if (after.empty() || !after.starts_with(host.Key(""))) return {};
    RETURN_IF_ERROR(on_hash(kLedgerKey + host.IdOf(after), hash));
  }
}

// Whether the error concerns this hash only, and the import continues with the others.
bool OfTheHash(const Error& error) {
  return error.code == Code::kInvalid || error.code == Code::kTooLarge;
}

Result<FieldChanges> FieldsOf(const Json& hash) {
  Json fields = Json::object();
  for (const auto& [name, text] : hash.items()) {
    if (!text.is_string())
      return Error{Code::kInvalid, "the value of a field must be JSON as a string"};
    ASSIGN_OR_RETURN(fields[name], base::ParseJson(text.get_ref<const std::string&>(),
                                                   {.max_depth = kFieldLevels}));
  }
  return DecodeFieldChanges({{"fields", std::move(fields)}});
}

}  // namespace

Status WalkAegisHashes(Host& host, const OnHash& on_hash) {
  RETURN_IF_ERROR(WalkFieldHashes(host, on_hash));
  return WalkLedgerHashes(host, on_hash);
}

Result<bool> AegisImport::ImportFields(Rows& rows, const std::string& id, const Json& hash) {
  FieldLife& life = host_.Fields();
  FieldWrite write;
  write.owner = host_.Key("");
  write.conversation = host_.Key(id);
  write.default_ttl_ms = life.default_ttl_ms();
  ASSIGN_OR_RETURN(write.changes, FieldsOf(hash));
  RETURN_IF_ERROR(host_.Redact(write.changes.fields, Host::Text::kContent));
  ASSIGN_OR_RETURN(const WorkingFields here, ReadFields(rows, write.conversation, life.Now()));
  for (const auto& kept : here.fields.items()) write.changes.fields.erase(kept.key());
  if (write.changes.fields.empty()) return false;
  RETURN_IF_ERROR(WriteFields(rows, write, life.Now()));
  if (here.version == 0) made_.insert(std::hash<std::string>()(id));
  return true;
}

// `life`: {"ttl_seconds"?, "expires_at"}
Result<bool> AegisImport::ImportTtl(Rows& rows, const std::string& id, const Json& life) {
  ASSIGN_OR_RETURN(const auto ttl_seconds, base::OptionalInt(life, "ttl_seconds"));
  ASSIGN_OR_RETURN(const std::string end, base::RequiredString(life, "expires_at"));
  ASSIGN_OR_RETURN(const int64_t end_ms, base::ParseTime(end));
  if (ttl_seconds && (*ttl_seconds < 1 || *ttl_seconds > kMaxFieldTtlSeconds))
    return Error{Code::kInvalid, "ttl_seconds must be from 1 to " +
                                     std::to_string(kMaxFieldTtlSeconds) + ", it is " +
                                     std::to_string(*ttl_seconds)};
  if (!made_.contains(std::hash<std::string>()(id))) return false;
  const FieldTime now = host_.Fields().Now();
  const int64_t left_ms = std::clamp<int64_t>(end_ms - host_.Fields().WallMs(now.now_ms), 0,
                                              kMaxFieldTtlSeconds * 1000);
  RETURN_IF_ERROR(
      SetLife(rows, host_.Key(id), ttl_seconds.value_or(0) * 1000, now.now_ms + left_ms));
  return true;
}

Result<bool> AegisImport::ImportEntries(Rows& rows, const std::string& id, const Json& hash) {
  std::vector<LedgerEntry> entries;
  for (const auto& [item, value] : hash.items()) {
    if (!value.is_string()) return Error{Code::kInvalid, "the value of an item must be a string"};
    RETURN_IF_ERROR(CheckLedgerText("item", item));
    RETURN_IF_ERROR(CheckLedgerText("value", value.get_ref<const std::string&>()));
    Json name = item, version = value;
    for (Json* text : {&name, &version}) RETURN_IF_ERROR(host_.Redact(*text, Host::Text::kName));
    entries.push_back({{name.get<std::string>(), version.get<std::string>()}, 0, host_.NowMs()});
  }
  ASSIGN_OR_RETURN(const int64_t added, AddToLedger(rows, host_.Key(id), entries));
  return added > 0;
}

Result<bool> AegisImport::ImportOne(Rows& rows, const AegisHash& given) {
  constexpr std::pair<std::string_view,
                      Result<bool> (AegisImport::*)(Rows&, const std::string&, const Json&)>
      kKinds[] = {{kFieldsKey, &AegisImport::ImportFields},
                  {kFieldsLifeKey, &AegisImport::ImportTtl},
                  {kLedgerKey, &AegisImport::ImportEntries}};
  for (const auto& [prefix, take] : kKinds) {
    if (!given.key.starts_with(prefix)) continue;
    const std::string id = given.key.substr(prefix.size());
    RETURN_IF_ERROR(CheckConversationId(id));
    if (!given.hash.is_object()) return Error{Code::kInvalid, "it must be an object"};
    return (this->*take)(rows, id, given.hash);
  }
  return Error{Code::kInvalid, "the key \"" + base::Ellipsize(given.key, 40) +
                                   "\" is none of an AEGIS memory service"};
}

Result<AegisImport::Outcomes> AegisImport::Import(const std::vector<AegisHash>& hashes) {
  Outcomes outcomes;
  ASSIGN_OR_RETURN([[maybe_unused]] const Json done, host_.Write([&](Rows& rows) -> Result<Json> {
    outcomes.clear();
    for (const AegisHash& given : hashes) {
      Result<bool> outcome = ImportOne(rows, given);
      if (!outcome && !OfTheHash(outcome.error())) return outcome.error();
      outcomes.push_back(std::move(outcome));
    }
    return Json();
  }));
  return outcomes;
}

}  // namespace conversation
