// Grants of an Agent's shared memory: a Role for readers and one for writers, on the virtual
// resource of the memory server's access reviews (docs/adr/0055).
#include "lib/api/shared_memory.h"
#include "operator/names/names.h"
#include "operator/objects/agent_objects.h"

namespace controller {
namespace {

using base::Json;

std::optional<Json> SharingRole(const std::string& agent, const std::string& name,
                                const std::vector<std::string>& accounts, const Json& verbs) {
  if (accounts.empty()) return std::nullopt;
  const Json rule = {{"apiGroups", {api::kSharedGroup}},
                     {"resources", {api::kSharedResource}},
                     {"resourceNames", {agent}},
                     {"verbs", verbs}};
  return Json{{"metadata", {{"name", name}}}, {"rules", Json::array({rule})}};
}

std::optional<Json> SharingBinding(const std::string& name_space, const std::string& name,
                                   const std::vector<std::string>& accounts) {
  if (accounts.empty()) return std::nullopt;
  Json subjects = Json::array();
  for (const std::string& account : accounts)
    subjects.push_back({{"kind", "ServiceAccount"}, {"name", account}, {"namespace", name_space}});
  const Json role = {
      {"apiGroup", kube::Roles().group}, {"kind", kube::Roles().kind}, {"name", name}};
  return Json{{"metadata", {{"name", name}}}, {"roleRef", role}, {"subjects", subjects}};
}

}  // namespace

std::optional<Json> ReaderRoleOf(const Blueprint& blueprint) {
  return SharingRole(blueprint.agent.name, ReadersName(blueprint.agent.name),
                     blueprint.reading_accounts, {"get", "list"});
}

std::optional<Json> WriterRoleOf(const Blueprint& blueprint) {
  return SharingRole(blueprint.agent.name, WritersName(blueprint.agent.name),
                     blueprint.writing_accounts, {"get", "list", "update", "delete"});
}

std::optional<Json> ReaderBindingOf(const Blueprint& blueprint) {
  return SharingBinding(blueprint.agent.name_space, ReadersName(blueprint.agent.name),
                        blueprint.reading_accounts);
}

std::optional<Json> WriterBindingOf(const Blueprint& blueprint) {
  return SharingBinding(blueprint.agent.name_space, WritersName(blueprint.agent.name),
                        blueprint.writing_accounts);
}

}  // namespace controller
