// Fences every write: applies and patches of existing objects, and removals, carry a uid. Reverts a
// person's edit of an applied field by force; reports a conflict with a controller that applies the
// same field, which would only set it again.
#include "operator/reconcile/execute.h"

#include <future>

#include "lib/kube/object/apply.h"
#include "operator/names/kinds.h"
#include "operator/names/names.h"

namespace controller {
namespace {

using base::Json;

}  // namespace

base::Status CheckNotStopped(const std::stop_token& stop) {
  if (!stop.stop_requested()) return {};
  return base::Error{base::Code::kUnavailable, "not begun: asked to stop"};
}

namespace {

void Note(Outcome& outcome, const std::string& kind, const base::Result<Json>& stored) {
  if (!stored) {
    outcome.errors.push_back(stored.error());
    return;
  }
  const std::string version = kube::ResourceVersionOf(*stored);
  std::string& newest = outcome.written[kind];
  if (newest.empty() || kube::IsNewerVersion(version, newest)) newest = version;
}

base::Result<Json> Apply(kube::KubeClient& client, const Child& child,
                         const std::stop_token& stop) {
  RETURN_IF_ERROR(CheckNotStopped(stop));
  auto stored = client.Apply(child.resource, child.object);
  const bool edited = !stored && kube::IsFieldConflict(stored.error().message) &&
                      !kube::IsConflictOfAppliers(stored.error().message);
  if (!edited) return stored;
  RETURN_IF_ERROR(CheckNotStopped(stop));
  kube::ApplyOptions options;
  options.force = true;
  return client.Apply(child.resource, child.object, options);
}

// Strips the call from the API server's message.
std::string WithoutCall(const std::string& message) {
  const size_t at = message.find("Apply failed with ");
  return at == std::string::npos ? message : message.substr(at);
}

// Whether a retry does not help: the object is invalid, or admission (a quota, a LimitRange, a
// webhook) objects to it. A missing right is an error: at an installation it comes a moment later.
bool IsRefused(const base::Error& error, bool may_be_unserved) {
  const std::string& words = error.message;
  if (error.code == base::Code::kDenied)
    return words.find(" is forbidden: ") != std::string::npos &&
           words.find(" is forbidden: User ") == std::string::npos;
  return error.code == base::Code::kInvalid ||
         (error.code == base::Code::kNotFound && may_be_unserved);
}

// Applies existing children in parallel: an edit reaches the workload one call sooner. Creates new
// ones in order (deferred: in get()), since a pod needs the objects before it.
void ApplyAll(kube::KubeClient& client, const Plan& plan, const std::stop_token& stop,
              Outcome& outcome) {
  std::vector<std::future<base::Result<Json>>> results;
  for (const Child& child : plan.apply) {
    const bool exists = !kube::UidOf(child.object).empty();
    results.push_back(
        std::async(exists ? std::launch::async | std::launch::deferred : std::launch::deferred,
                   [&] { return Apply(client, child, stop); }));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const Child& child = plan.apply[i];
    // A Job runs once, so it must not be created without the objects that its pod needs. A deferred
    // apply is not executed unless get() is called.
    if (child.resource == kube::Jobs() && !(outcome.refusals.empty() && outcome.errors.empty()))
      continue;
    auto stored = results[i].get();
    if (!stored && IsRefused(stored.error(), child.may_be_unserved))
      outcome.refusals.push_back(
          {kube::AnnotationOf(child.object, kIntentAnnotation), stored.error().message});
    else if (!stored && kube::IsConflictOfAppliers(stored.error().message))
      outcome.conflicts.push_back(child.resource.kind + " " + kube::KeyOf(child.object).name +
                                  ": " + WithoutCall(stored.error().message));
    else
      Note(outcome, child.resource.kind, stored);
  }
}

void PatchAll(kube::KubeClient& client, const Plan& plan, const std::stop_token& stop,
              Outcome& outcome) {
  for (const Patch& patch : plan.patch) {
    if (auto go_on = CheckNotStopped(stop); !go_on) return outcome.errors.push_back(go_on.error());
    auto stored = patch.body.is_array()
                      ? client.JsonPatch(patch.resource, patch.key, patch.body, patch.subresource)
                      : client.MergePatch(patch.resource, patch.key, patch.body, patch.subresource);
    // An older API server lacks the subresource; a newer one may reject the change.
    const base::Code code = stored ? base::Code::kInternal : stored.error().code;
    if (!patch.refusal.empty() && (code == base::Code::kNotFound || code == base::Code::kInvalid)) {
      outcome.refusals.push_back({patch.refusal, stored.error().message});
      return;  // later patches depend on this one
    }
    // The pod or claim was deleted meanwhile, and its deletion requeues the object.
    if (code == base::Code::kNotFound) continue;
    Note(outcome, patch.resource.kind, stored);
  }
}

void RemoveAll(kube::KubeClient& client, const Plan& plan, const std::stop_token& stop,
               Outcome& outcome) {
  for (const Removal& removal : plan.remove) {
    if (auto go_on = CheckNotStopped(stop); !go_on) return outcome.errors.push_back(go_on.error());
    kube::DeleteOptions options;
    options.uid = removal.uid;
    auto removed = client.Delete(removal.resource, removal.key, options);
    if (!removed && removed.error().code != base::Code::kNotFound)
      outcome.errors.push_back(removed.error());
  }
}

const kube::Resource& OwnerKind(const Json& object) {
  const std::string kind = base::StringAt(object, {"kind"});
  if (kind == MemoryServers().kind) return MemoryServers();
  return kind == AgentRuns().kind ? AgentRuns() : Agents();
}

}  // namespace

void Outcome::Add(Outcome earlier) {
  errors.insert(errors.end(), earlier.errors.begin(), earlier.errors.end());
  written.merge(earlier.written);
}

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
  options.force = true;  // no other controller writes the status
  return client.Apply(
      resource,
      {{"apiVersion", resource.ApiVersion()},
       {"kind", resource.kind},
       {"metadata",
        {{"name", key.name}, {"namespace", key.name_space}, {"uid", kube::UidOf(object)}}},
       {"status", status}},
      options);
}

Outcome Execute(kube::KubeClient& client, const base::Json& object, const Plan& plan,
                const std::stop_token& stop) {
  const kube::Resource& owner = OwnerKind(object);
  Outcome outcome;
  ApplyAll(client, plan, stop, outcome);
  // Patches make pods use the applied objects, so all applies must have succeeded.
  if (outcome.errors.empty() && outcome.refusals.empty() && outcome.conflicts.empty())
    PatchAll(client, plan, stop, outcome);
  RemoveAll(client, plan, stop, outcome);
  // After a refusal or conflict the caller plans again, and the new plan writes the status.
  if (!plan.status || !outcome.refusals.empty() || !outcome.conflicts.empty()) return outcome;
  if (auto go_on = CheckNotStopped(stop); !go_on)
    outcome.errors.push_back(go_on.error());
  else
    Note(outcome, owner.kind, WriteStatus(client, owner, object, *plan.status));
  return outcome;
}

}  // namespace controller
