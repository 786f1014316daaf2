// Label and field selectors by equality and existence, and Status objects.
#include "lib/testing/fake_cluster_select.h"

#include "lib/base/text/text.h"

namespace testing {

namespace {

bool MatchesLabels(const Json& object, const std::string& selector) {
  if (selector.empty()) return true;
  for (const std::string& term : base::Split(selector, ',')) {
    size_t equals = term.find('=');
    std::string name = term.substr(0, equals);
    if (name.starts_with('!')) {  // "!name": objects without the label
      if (base::At(object, {"metadata", "labels", name.c_str() + 1})) return false;
      continue;
    }
    bool negated = !name.empty() && name.back() == '!';
    if (negated) name.pop_back();
    const Json* value = base::At(object, {"metadata", "labels", name.c_str()});
    if (equals == std::string::npos) {
      if (!value) return false;
      continue;
    }
    std::string wanted = term.substr(term.find_last_of('=') + 1);
    bool same = value && *value == wanted;
    if (same == negated) return false;
  }
  return true;
}

bool MatchesFields(const Json& object, const std::string& selector) {
  if (selector.empty()) return true;
  for (const std::string& term : base::Split(selector, ',')) {
    size_t equals = term.find('=');
    std::string wanted = term.substr(term.find_last_of('=') + 1);
    const Json* value = &object;
    for (const std::string& key : base::Split(term.substr(0, equals), '.'))
      value = value ? base::At(*value, {key.c_str()}) : nullptr;
    if (!value || *value != wanted) return false;
  }
  return true;
}

}  // namespace

std::string QueryOf(const Call& call, const std::string& name) {
  auto at = call.query.find(name);
  return at == call.query.end() ? "" : at->second;
}

bool Matches(const Json& object, const Call& call, const std::string& name_space) {
  return (name_space.empty() || kube::KeyOf(object).name_space == name_space) &&
         MatchesLabels(object, QueryOf(call, "labelSelector")) &&
         MatchesFields(object, QueryOf(call, "fieldSelector"));
}

Json OnlyMetadata(const Json& object) {
  return {{"apiVersion", "meta.k8s.io/v1"},
          {"kind", "PartialObjectMetadata"},
          {"metadata", object.value("metadata", Json::object())}};
}

Json Failure(int code, const std::string& reason, const std::string& message) {
  return {{"kind", "Status"},   {"apiVersion", "v1"}, {"status", "Failure"},
          {"message", message}, {"reason", reason},   {"code", code}};
}

Json NotFound(const kube::Resource& resource, const kube::ObjectKey& key) {
  std::string kind = resource.plural + (resource.group.empty() ? "" : "." + resource.group);
  return Failure(404, "NotFound", kind + " \"" + key.name + "\" not found");
}

Json ConflictFailure(const std::vector<Conflict>& conflicts) {
  std::string count = std::to_string(conflicts.size());
  std::string message =
      "Apply failed with " + count + (conflicts.size() == 1 ? " conflict: " : " conflicts: ");
  for (const Conflict& conflict : conflicts) {
    const bool updates = conflict.manager.find('"') != std::string::npos;
    message += "conflict with \"" + conflict.manager + (updates ? ": " : "\": ") +
               PathText(conflict.path) + "; ";
  }
  return Failure(409, "Conflict", message.substr(0, message.size() - 2));
}

}  // namespace testing
