// Asks turn by turn, backwards.
#include "client/laptop/last_injections.h"

namespace client {

using base::Json;
using base::Result;

namespace {

constexpr int64_t kTurnsLookedAt = 200;

}  // namespace

Result<Json> LastInjections(const MemoryCalls& sidecar, int64_t most) {
  ASSIGN_OR_RETURN(const Json page, sidecar.Get("/conversations", {{"limit", "20"}}));
  Json found = Json::array();
  int64_t looked = 0;
  for (const Json& conversation : page.value("conversations", Json::array())) {
    const std::string id = base::StringAt(conversation, {"id"});
    for (int64_t turn = conversation.value("turn", int64_t{0}); turn >= 0; --turn) {
      if (++looked > kTurnsLookedAt || static_cast<int64_t>(found.size()) >= most) return found;
      auto record =
          sidecar.Get("/v1/injections/" + http::PercentEncode(id) + "/" + std::to_string(turn));
      if (!record && record.error().code == base::Code::kNotFound) continue;
      if (!record) return record.error();
      found.push_back(std::move(*record));
    }
    if (!found.empty()) return found;
  }
  return found;
}

}  // namespace client
