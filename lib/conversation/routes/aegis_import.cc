// Validates a hash like the routes, then adds its missing fields or marks.
#include "lib/conversation/routes/aegis_import.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "lib/base/process/clock.h"
#include "lib/base/text/text.h"
#include "lib/conversation/routes/aegis_export.h"
#include "lib/conversation/routes/ledger_routes.h"
#include "lib/conversation/working/field_import.h"
#include "lib/conversation/working/field_life.h"
#include "lib/conversation/working/ledger.h"

namespace conversation {
namespace {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

// Whether an error concerns one hash, which wrote nothing: the import continues with the others.
bool OfTheHash(const Error& error) {
  return error.code == Code::kInvalid || error.code == Code::kTooLarge;
}

Result<FieldChanges> FieldsOf(const Json& hash) {
  Json fields = Json::object();
  for (const auto& [name, text] : hash.items()) {
    if (!text.is_string())
      return Error{Code::kInvalid, "the value of a field must be JSON as a string"};
    ASSIGN_OR_RETURN(fields[name], base::ParseJson(text.get_ref<const std::string&>()));
  }
  return DecodeFieldChanges({{"fields", std::move(fields)}});
}

}  // namespace

Result<bool> AegisImport::TakeFields(sqlite::Database& db, const std::string& id,
                                     const Json& hash) {
  FieldLife& life = host_.Fields();
  FieldWrite write;
  write.owner = host_.Key("");
  write.conversation = host_.Key(id);
  write.default_ttl_ms = life.default_ttl_ms();
  ASSIGN_OR_RETURN(write.changes, FieldsOf(hash));
  RETURN_IF_ERROR(host_.Redact(write.changes.fields, Host::Text::kContent));
  ASSIGN_OR_RETURN(const WorkingFields here, ReadFields(db, write.conversation, life.Now()));
  for (const auto& kept : here.fields.items()) write.changes.fields.erase(kept.key());
  if (write.changes.fields.empty()) return false;
  RETURN_IF_ERROR(WriteFields(db, write, life.Now()));
  if (here.version == 0) made_.insert(std::hash<std::string>()(id));
  return true;
}

// `life`: {"ttl_seconds"?, "expires_at"}
Result<bool> AegisImport::TakeLife(sqlite::Database& db, const std::string& id, const Json& life) {
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
  RETURN_IF_ERROR(SetLife(db, host_.Key(id), ttl_seconds.value_or(0) * 1000, now.now_ms + left_ms));
  return true;
}

Result<bool> AegisImport::TakeMarks(sqlite::Database& db, const std::string& id, const Json& hash) {
  std::vector<LedgerEntry> entries;
  for (const auto& [item, value] : hash.items()) {
    if (!value.is_string()) return Error{Code::kInvalid, "the value of an item must be a string"};
    RETURN_IF_ERROR(CheckLedgerText("item", item));
    RETURN_IF_ERROR(CheckLedgerText("value", value.get_ref<const std::string&>()));
    Json name = item, version = value;
    for (Json* text : {&name, &version}) RETURN_IF_ERROR(host_.Redact(*text, Host::Text::kName));
    entries.push_back({{name.get<std::string>(), version.get<std::string>()}, 0, host_.NowMs()});
  }
  ASSIGN_OR_RETURN(const int64_t added, AddToLedger(db, host_.Key(id), entries));
  return added > 0;
}

Result<bool> AegisImport::TakeOne(sqlite::Database& db, const AegisHash& given) {
  constexpr std::pair<std::string_view, Result<bool> (AegisImport::*)(
                                            sqlite::Database&, const std::string&, const Json&)>
      kKinds[] = {{kFieldsKey, &AegisImport::TakeFields},
                  {kFieldsLifeKey, &AegisImport::TakeLife},
                  {kLedgerKey, &AegisImport::TakeMarks}};
  for (const auto& [prefix, take] : kKinds) {
    if (!given.key.starts_with(prefix)) continue;
    const std::string id = given.key.substr(prefix.size());
    RETURN_IF_ERROR(CheckConversationId(id));
    if (!given.hash.is_object()) return Error{Code::kInvalid, "it must be an object"};
    return (this->*take)(db, id, given.hash);
  }
  return Error{Code::kInvalid, "the key \"" + base::Ellipsize(given.key, 40) +
                                   "\" is none of an AEGIS memory service"};
}

Result<AegisImport::Outcomes> AegisImport::Take(const std::vector<AegisHash>& hashes) {
  Outcomes outcomes;
  ASSIGN_OR_RETURN([[maybe_unused]] const Json done,
                   host_.Write([&](sqlite::Database& db) -> Result<Json> {
                     outcomes.clear();
                     for (const AegisHash& given : hashes) {
                       Result<bool> outcome = TakeOne(db, given);
                       if (!outcome && !OfTheHash(outcome.error())) return outcome.error();
                       outcomes.push_back(std::move(outcome));
                     }
                     return Json();
                   }));
  return outcomes;
}

}  // namespace conversation
