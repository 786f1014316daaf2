// A request of an agent for a route that the sidecar forwards, and what leaves the pod of it: the
// row of lib/api/operations says which parameters, which fields are the policy's, and what is
// redacted. No calls: agent_memory.h makes them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/http/client/request.h"
#include "lib/http/message/message.h"
#include "sidecar/policy/active_policy.h"

namespace sidecar {

struct Forwarded {
  std::string_view name;                               // of the row
  std::map<std::string, std::string> parameters = {};  // of the path, decoded
  // Decoded. What the row does not have, and what the policy says, is left out.
  std::vector<std::pair<std::string, std::string>> query = {};
  std::optional<base::Json> body = {};
  http::Headers conditions = {};  // of which those of the row are sent
};

// Whether the request is of a conversation, and of which: "" when it names none.
std::optional<std::string> ConversationIn(const Forwarded& request);
// `conversation`: the request's; empty: none.
http::ClientRequest Outgoing(Forwarded request, const ActivePolicy& policy,
                             const std::string& conversation);

}  // namespace sidecar
