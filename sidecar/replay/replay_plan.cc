// Written by agent-memory for one run; the checks keep a wrong file from doing half of the work.
#include "sidecar/replay/replay_plan.h"

#include <utility>

#include "lib/base/process/clock.h"

namespace sidecar {
namespace {

using base::Code;
using base::Error;
using base::Json;
using base::Result;

Result<std::vector<std::string>> Paths(const Json& object, const char* field) {
  std::vector<std::string> paths;
  const Json* list = base::At(object, {field});
  if (list == nullptr || list->is_null()) return paths;
  if (!list->is_array()) return Error{Code::kInvalid, std::string(field) + " must be an array"};
  for (const Json& path : *list) {
    if (!path.is_string())
      return Error{Code::kInvalid, std::string(field) + " must be an array of paths"};
    paths.push_back(path.get<std::string>());
  }
  return paths;
}

Result<const Json*> ListOf(const Json& object, const char* field) {
  const Json* list = base::At(object, {field});
  if (list != nullptr && list->is_array()) return list;
  return Error{Code::kInvalid, std::string(field) + " must be an array"};
}

Result<ReplayPlan::Project> DecodeProject(const Json& json) {
  const Json* policy = base::At(json, {"policy"});
  if (policy == nullptr || !policy->is_object())
    return Error{Code::kInvalid, "policy must be an object"};
  ReplayPlan::Project project;
  ASSIGN_OR_RETURN(project.policy, CompilePolicy(base::DumpJson(*policy), 0));
  project.state = base::StringAt(json, {"state"});
  return project;
}

Result<ReplayPlan::Session> DecodeReplayed(const Json& json, size_t projects) {
  if (!json.is_object()) return Error{Code::kInvalid, "a session must be an object"};
  ReplayPlan::Session session;
  ASSIGN_OR_RETURN(const auto project, base::OptionalInt(json, "project"));
  if (!project || *project < 0 || static_cast<size_t>(*project) >= projects)
    return Error{Code::kInvalid, "project must be a place in projects"};
  session.project = static_cast<size_t>(*project);
  ASSIGN_OR_RETURN(session.id, base::RequiredString(json, "id"));
  ASSIGN_OR_RETURN(session.format, base::RequiredString(json, "format"));
  if (session.format != "claude-code" && session.format != "codex")
    return Error{Code::kInvalid, "format must be claude-code or codex"};
  ASSIGN_OR_RETURN(session.files, Paths(json, "files"));
  ASSIGN_OR_RETURN(session.copied_from, Paths(json, "copied_from"));
  ASSIGN_OR_RETURN(const auto grown, base::OptionalBool(json, "grown"));
  session.grown = grown.value_or(false);
  return session;
}

}  // namespace

Result<ReplayPlan> DecodeReplayPlan(const std::string& text) {
  ASSIGN_OR_RETURN(const Json json, base::ParseJson(text));
  if (!json.is_object()) return Error{Code::kInvalid, "a plan must be an object"};
  ReplayPlan plan;
  ASSIGN_OR_RETURN(const auto server, base::OptionalString(json, "server"));
  plan.server = server.value_or("");
  ASSIGN_OR_RETURN(const auto since, base::OptionalString(json, "since"));
  if (since) {
    const auto at_ms = base::ParseTime(*since);
    if (!at_ms) return base::Wrap("since", at_ms.error());
    plan.since_ms = *at_ms;
  }
  ASSIGN_OR_RETURN(const Json* projects, ListOf(json, "projects"));
  for (const Json& project : *projects) {
    auto decoded = DecodeProject(project);
    if (!decoded) return base::Wrap("projects", decoded.error());
    plan.projects.push_back(std::move(*decoded));
  }
  ASSIGN_OR_RETURN(const Json* sessions, ListOf(json, "sessions"));
  for (const Json& session : *sessions) {
    auto decoded = DecodeReplayed(session, plan.projects.size());
    if (!decoded) return base::Wrap("sessions", decoded.error());
    plan.sessions.push_back(std::move(*decoded));
  }
  return plan;
}

}  // namespace sidecar
