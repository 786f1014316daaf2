// Every write is fenced: applies and patches of existing objects carry their uid, removals too.
// Children are applied with force, since every field in them is ours to say.
#include "operator/execute.h"

#include "operator/names.h"

namespace controller {
namespace {

using base::Json;

void Note(Outcome& outcome, const std::string& kind, const base::Result<Json>& stored) {
  if (stored)
    outcome.written[kind] = kube::ResourceVersionOf(*stored);
  else
    outcome.errors.push_back(stored.error());
}

void ApplyAll(kube::KubeClient& client, const Plan& plan, Outcome& outcome) {
  for (const Child& child : plan.apply) {
    kube::ApplyOptions options;
    options.force = true;
    auto stored = client.Apply(child.resource, child.object, options);
    if (!stored && stored.error().code == base::Code::kInvalid)
      outcome.refusals.push_back(
          {kube::AnnotationOf(child.object, kIntentAnnotation), stored.error().message});
    else
      Note(outcome, child.resource.kind, stored);
  }
}

void PatchAll(kube::KubeClient& client, const Plan& plan, Outcome& outcome) {
  for (const Patch& patch : plan.patch) {
    auto stored = client.MergePatch(patch.resource, patch.key, patch.body);
    // The pod or claim went away meanwhile: its deletion brings us back.
    if (!stored && stored.error().code == base::Code::kNotFound) continue;
    Note(outcome, patch.resource.kind, stored);
  }
}

void RemoveAll(kube::KubeClient& client, const Plan& plan, Outcome& outcome) {
  for (const Removal& removal : plan.remove) {
    kube::DeleteOptions options;
    options.uid = removal.uid;
    auto removed = client.Delete(removal.resource, removal.key, options);
    if (!removed && removed.error().code != base::Code::kNotFound)
      outcome.errors.push_back(removed.error());
  }
}

kube::Resource Ours(const char* kind, const char* plural) {
  return {api::kGroup, api::kVersion, kind, plural, true};
}

}  // namespace

base::Status Outcome::Summary() const {
  if (errors.empty()) return {};
  base::Error first = errors.front();
  if (errors.size() > 1) first.message += " (and " + std::to_string(errors.size() - 1) + " more)";
  return first;
}

base::Result<base::Json> WriteStatus(kube::KubeClient& client, const kube::Resource& resource,
                                     const base::Json& object, const base::Json& status) {
  const kube::ObjectKey key = kube::KeyOf(object);
  kube::ApplyOptions options;
  options.status = true;
  options.force = true;  // status is ours alone
  return client.Apply(
      resource,
      {{"apiVersion", resource.ApiVersion()},
       {"kind", resource.kind},
       {"metadata",
        {{"name", key.name}, {"namespace", key.name_space}, {"uid", kube::UidOf(object)}}},
       {"status", status}},
      options);
}

Outcome Execute(kube::KubeClient& client, const base::Json& agent, const Plan& plan) {
  Outcome outcome;
  ApplyAll(client, plan, outcome);
  // Patches tell pods of what was applied: not before it is.
  if (outcome.errors.empty() && outcome.refusals.empty()) PatchAll(client, plan, outcome);
  RemoveAll(client, plan, outcome);
  if (plan.status && outcome.refusals.empty())
    Note(outcome, "Agent", WriteStatus(client, Agents(), agent, *plan.status));
  return outcome;
}

const kube::Resource& Agents() {
  static const kube::Resource resource = Ours("Agent", "agents");
  return resource;
}
const kube::Resource& AgentTools() {
  static const kube::Resource resource = Ours("AgentTool", "agenttools");
  return resource;
}
const kube::Resource& AgentRuns() {
  static const kube::Resource resource = Ours("AgentRun", "agentruns");
  return resource;
}
const kube::Resource& MemoryServers() {
  static const kube::Resource resource = Ours("MemoryServer", "memoryservers");
  return resource;
}

}  // namespace controller
