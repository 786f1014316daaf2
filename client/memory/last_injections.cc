// Requests the records turn by turn, backwards.
#include "client/memory/last_injections.h"

#include <functional>

namespace client {

using base::Json;
using base::Result;
using base::Status;

namespace {

constexpr int64_t kMaxTurnsRead = 200;

// Calls `see` with the record of each turn that has one: newest conversation first, newest turn
// first, until `see` returns false or after kMaxTurnsRead turns.
using See = std::function<bool(Json record)>;
Status LookBack(const MemoryCalls& sidecar, const See& see) {
  ASSIGN_OR_RETURN(const Json page, sidecar.Get("/conversations", {{"limit", "20"}}));
  if (!page.is_object()) return {};
  int64_t looked = 0;
  for (const Json& conversation : page.value("conversations", Json::array())) {
    const std::string id = base::StringAt(conversation, {"id"});
    for (int64_t turn = conversation.value("turn", int64_t{0}); turn >= 0; --turn) {
      if (++looked > kMaxTurnsRead) return {};
      auto record =
          sidecar.Get("/v1/injections/" + http::PercentEncode(id) + "/" + std::to_string(turn));
      if (!record && record.error().code == base::Code::kNotFound) continue;
      if (!record) return record.error();
      if (record->is_object() && !see(std::move(*record))) return {};
    }
  }
  return {};
}

}  // namespace

Result<Json> LastInjections(const MemoryCalls& sidecar, int64_t most) {
  Json found = Json::array();
  std::string conversation;
  RETURN_IF_ERROR(LookBack(sidecar, [&](Json record) {
    const std::string id = base::StringAt(record, {"conversation"});
    if (!found.empty() && id != conversation) return false;
    conversation = id;
    found.push_back(std::move(record));
    return static_cast<int64_t>(found.size()) < most;
  }));
  return found;
}

Result<Json> InjectionsOf(const MemoryCalls& sidecar, int64_t observation) {
  Json found = Json::array();
  RETURN_IF_ERROR(LookBack(sidecar, [&](const Json& record) {
    for (const Json& injection : record.value("injections", Json::array())) {
      for (const Json& item : injection.value("items", Json::array())) {
        if (base::At(item, {"injected"}) == nullptr || item["injected"] != true) continue;
        if (base::At(item, {"id"}) == nullptr || item["id"] != observation) continue;
        found.push_back({{"at", base::StringAt(injection, {"at"})},
                         {"conversation", base::StringAt(record, {"conversation"})},
                         {"turn", record.value("turn", Json(0))},
                         {"query", base::StringAt(injection, {"query"})}});
      }
    }
    return true;
  }));
  return found;
}

}  // namespace client
