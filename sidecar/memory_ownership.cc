// Whose a row or a session is, before an agent may read or change it.
#include <utility>

#include "lib/api/memory_api.h"
#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"
#include "lib/conversation/conversations.h"
#include "sidecar/memory_routes.h"

namespace sidecar {
namespace {

using base::Code;
using base::Error;
using base::Json;
using base::Result;

bool SameProject(const std::string& a, const std::string& b) {
  return base::FoldCase(a) == base::FoldCase(b);
}

// Where an agent writes that has no conversation.
std::string AgentSession(const api::Policy& policy) {
  return "agent-" + base::Sha256Hex(policy.agent_namespace + "/" + policy.agent).substr(0, 16);
}

}  // namespace

MemoryRoutes::Answer MemoryRoutes::OwnRow(const http::Request& request, const api::Policy& policy,
                                          const std::string& id, bool read_only) {
  http::ClientRequest out;
  out.target = "/observations/" + id;
  if (const auto revision = request.Query("revision"); read_only && revision) {
    out.target += "?revision=" + http::PercentEncode(*revision);
  }
  ASSIGN_OR_RETURN(auto answer, Forward(request, policy, std::move(out)));
  if (answer.status != 200) return answer;
  auto row = base::ParseJson(answer.body);
  const bool own = row && SameProject(base::StringAt(*row, {"project"}), policy.project);
  const bool shared = row && read_only && base::StringAt(*row, {"scope"}) == "global";
  if (own || shared) return answer;
  return Error{Code::kNotFound, "there is no observation " + id};
}

Result<std::optional<http::Response>> MemoryRoutes::RefuseChange(const http::Request& request,
                                                                 const api::Policy& policy,
                                                                 const std::string& id,
                                                                 const std::string& verb) {
  ASSIGN_OR_RETURN(auto row, OwnRow(request, policy, id, false));
  // A row that is softly deleted is not seen any more; whose it was cannot be told.
  if (row.status != 200) return std::optional(std::move(row));
  const Json body = base::ParseJson(row.body).value_or(Json());
  if (!policy.allow_admin && base::StringAt(body, {"source", "origin"}) == api::kOriginUser) {
    return Error{Code::kDenied,
                 "a user wrote observation " + id +
                     "; the policy of this agent does not allow to " + verb +
                     " it (memory.allowAdmin)" +
                     (verb == "change" ? ": save what is new as a memory of its own" : "")};
  }
  return std::optional<http::Response>();
}

Result<std::string> MemoryRoutes::SessionFor(const std::string& id, const api::Policy& policy) {
  auto found = state_.Read([&](sqlite::Database& db) {
    return id.empty() ? conversation::Current(db) : conversation::Find(db, id);
  });
  if (!found) return found.error();
  if (*found && !(*found)->memory_session_id.empty()) return (*found)->memory_session_id;
  // An agent that has no conversation yet writes into one session of its own.
  return id.empty() ? AgentSession(policy) : id;
}

}  // namespace sidecar
