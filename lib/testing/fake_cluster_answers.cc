// The answers of the fake API server to each verb except watch.
#include <algorithm>

#include "lib/base/process/clock.h"
#include "lib/base/text/text.h"
#include "lib/testing/fake_cluster.h"
#include "lib/testing/fake_cluster_select.h"

namespace testing {

namespace {

// False for core kinds and Events, which have no metadata.generation.
bool HasGeneration(const kube::Resource& resource) {
  return !resource.group.empty() && resource.group != "events.k8s.io";
}

bool HasStatus(const kube::Resource& resource) {
  static const std::set<std::string> kWithout{"configmaps", "serviceaccounts", "events",
                                              "networkpolicies", "endpointslices"};
  return !kWithout.contains(resource.plural);
}

// The part whose changes metadata.generation counts: all except metadata and status.
Json SpecOf(Json object) {
  object.erase("metadata");
  object.erase("status");
  return object;
}

Json WithoutVersion(Json object) {
  object["metadata"].erase("resourceVersion");
  object["metadata"].erase("managedFields");
  return object;
}

// The part of the body that a write changes: the status, or (no subresource) all except the status.
Json OnlyPart(const Json& body, const std::string& subresource, const kube::Resource& resource) {
  if (subresource == "status") {
    Json part = {{"apiVersion", body.value("apiVersion", "")}, {"kind", body.value("kind", "")}};
    part["metadata"] = {{"name", base::StringAt(body, {"metadata", "name"})}};
    if (body.contains("status")) part["status"] = body["status"];
    return part;
  }
  Json part = body;
  if (HasStatus(resource)) part.erase("status");
  return part;
}

}  // namespace

FakeCluster::Reply FakeCluster::Answer(const Call& call, const http::ClientRequest& request) {
  auto target = Parse(call.path);
  if (!target) return {404, Failure(404, "NotFound", "the server could not find " + call.path), 0};
  std::string accept = request.headers.Get("Accept").value_or("");
  bool metadata_only = accept.find("as=PartialObjectMetadata") != std::string::npos;
  if (call.verb == "LIST") return AnswerList(call, *target, metadata_only);
  if (call.verb == "GET") return AnswerGet(*target);
  if (call.verb == "CREATE" && target->subresource == "eviction") return AnswerEvict(call, *target);
  if (call.verb == "CREATE") return AnswerCreate(call, *target);
  if (call.verb == "APPLY") return AnswerApply(call, *target);
  if (call.verb == "DELETE") return AnswerDelete(call, *target);
  std::string type = request.headers.Get("Content-Type").value_or("");
  if (call.verb == "PATCH")
    return AnswerPatch(call, *target, type.starts_with("application/json-patch"));
  return {405, Failure(405, "MethodNotAllowed", call.verb), 0};
}

FakeCluster::Reply FakeCluster::AnswerGet(const Target& target) const {
  auto at = objects_.find({target.collection, target.key});
  if (at == objects_.end()) return {404, NotFound(target.resource, target.key), 0};
  return {200, at->second.object, 0};
}

FakeCluster::Reply FakeCluster::AnswerList(const Call& call, const Target& target,
                                           bool metadata_only) {
  int64_t at_least = std::atoll(QueryOf(call, "resourceVersion").c_str());
  if (at_least > version_) return {504, Failure(504, "Timeout", "Too large resource version"), 1};
  std::vector<Json> items;
  std::string token = QueryOf(call, "continue"), version = std::to_string(version_);
  if (!token.empty()) {
    auto rest = snapshots_.find(token);
    if (rest == snapshots_.end()) return {410, Failure(410, "Expired", "continue is too old"), 0};
    items = std::move(rest->second);
    snapshots_.erase(rest);
    version = token.substr(0, token.find('-'));
  } else {
    bool stale = stale_lists_ > 0 && stale_lists_-- > 0;
    auto take = [&](const Json& object) {
      if (Matches(object, call, target.key.name_space)) items.push_back(object);
    };
    const auto& [changed, before] = before_last_;
    for (auto at = objects_.lower_bound({target.collection, {}});
         at != objects_.end() && at->first.first == target.collection; ++at)
      if (!stale || at->first != changed) take(at->second.object);
    if (stale && before && changed.first == target.collection) take(before->object);
    if (stale) version = std::to_string(version_ - 1);
  }
  Json metadata = {{"resourceVersion", version}};
  size_t limit = static_cast<size_t>(std::atoi(QueryOf(call, "limit").c_str()));
  if (limit > 0 && items.size() > limit) {
    std::string next = version + "-" + std::to_string(calls_.size());
    snapshots_[next].assign(items.begin() + static_cast<ptrdiff_t>(limit), items.end());
    metadata["continue"] = next;
    items.resize(limit);
  }
  Json list = Json::array();
  for (Json& item : items) {
    // Like a real server for built-in kinds: only the list has kind and apiVersion.
    if (!metadata_only && target.resource.group.find('.') == std::string::npos) {
      item.erase("apiVersion");
      item.erase("kind");
    }
    list.push_back(metadata_only ? OnlyMetadata(item) : std::move(item));
  }
  return {200,
          {{"kind", target.resource.kind + "List"},
           {"apiVersion", target.resource.ApiVersion()},
           {"metadata", metadata},
           {"items", list}},
          0};
}

FakeCluster::Reply FakeCluster::AnswerApply(const Call& call, const Target& target) {
  if (!call.body.is_object()) return {400, Failure(400, "BadRequest", "not an object"), 0};
  std::string manager = QueryOf(call, "fieldManager");
  auto old = objects_.find({target.collection, target.key});
  std::string uid = kube::UidOf(call.body), version = kube::ResourceVersionOf(call.body);
  bool exists = old != objects_.end();
  if (!exists && target.subresource == "status")
    return {404, NotFound(target.resource, target.key), 0};
  if (exists && !uid.empty() && uid != kube::UidOf(old->second.object)) {
    return {422, Failure(422, "Invalid", "metadata.uid: field is immutable"), 0};
  }
  bool is_this =
      exists && (version.empty() || version == kube::ResourceVersionOf(old->second.object));
  bool is_fenced = !uid.empty() || !version.empty();
  if (is_fenced && !is_this) return {409, Failure(409, "Conflict", "the object has changed"), 0};
  Json applied = OnlyPart(call.body, target.subresource, target.resource);
  Json stored = exists ? old->second.object : Json::object();
  FieldOwners owners = exists ? old->second.owners : FieldOwners();
  std::string owner = target.subresource.empty() ? manager : manager + "/" + target.subresource;
  auto conflicts = ConflictsOf(stored, applied, owner, owners);
  if (!conflicts.empty() && QueryOf(call, "force") != "true") {
    return {409, ConflictFailure(conflicts), 0};
  }
  Json next = Merge(stored, applied, owner, &owners);
  if (!target.key.name_space.empty()) next["metadata"]["namespace"] = target.key.name_space;
  if (QueryOf(call, "dryRun") == "All") return {exists ? 200 : 201, next, 0};
  return {exists ? 200 : 201, Commit(target, std::move(next), std::move(owners)), 0};
}

FakeCluster::Reply FakeCluster::AnswerCreate(const Call& call, Target target) {
  if (!call.body.is_object()) return {400, Failure(400, "BadRequest", "not an object"), 0};
  target.key.name = kube::KeyOf(call.body).name;
  if (target.key.name.empty()) return {422, Failure(422, "Invalid", "name is required"), 0};
  if (objects_.contains({target.collection, target.key})) {
    return {409, Failure(409, "AlreadyExists", target.key.name + " already exists"), 0};
  }
  Json object = OnlyPart(call.body, "", target.resource);
  if (!target.key.name_space.empty()) object["metadata"]["namespace"] = target.key.name_space;
  FieldOwners owners;
  NoteUpdate(Json::object(), object, QueryOf(call, "fieldManager"), &owners);
  return {201, Commit(target, std::move(object), std::move(owners)), 0};
}

FakeCluster::Reply FakeCluster::AnswerPatch(const Call& call, const Target& target,
                                            bool json_patch) {
  auto old = objects_.find({target.collection, target.key});
  if (old == objects_.end()) return {404, NotFound(target.resource, target.key), 0};
  Json before = old->second.object, after = before;
  std::string version = json_patch ? "" : kube::ResourceVersionOf(call.body);
  if (!version.empty() && version != kube::ResourceVersionOf(before)) {
    return {409, Failure(409, "Conflict", "the object has been modified"), 0};
  }
  try {
    if (json_patch) {
      after = before.patch(call.body);
    } else {
      after.merge_patch(call.body);
    }
  } catch (const Json::exception& exception) {
    return {422, Failure(422, "Invalid", exception.what()), 0};
  }
  if (target.subresource == "status") {
    Json status = after.value("status", Json());
    after = before;
    if (!status.is_null()) after["status"] = status;
  } else if (HasStatus(target.resource)) {
    after.erase("status");
    if (before.contains("status")) after["status"] = before["status"];
  }
  FieldOwners owners = old->second.owners;
  NoteUpdate(before, after, QueryOf(call, "fieldManager"), &owners);
  return {200, Commit(target, std::move(after), std::move(owners)), 0};
}

FakeCluster::Reply FakeCluster::AnswerDelete(const Call& call, const Target& target) {
  auto old = objects_.find({target.collection, target.key});
  if (old == objects_.end()) return {404, NotFound(target.resource, target.key), 0};
  const Json& object = old->second.object;
  std::string uid = base::StringAt(call.body, {"preconditions", "uid"}),
              version = base::StringAt(call.body, {"preconditions", "resourceVersion"});
  if ((!uid.empty() && uid != kube::UidOf(object)) ||
      (!version.empty() && version != kube::ResourceVersionOf(object))) {
    return {409, Failure(409, "Conflict", "precondition failed"), 0};
  }
  const Json* finalizers = base::At(object, {"metadata", "finalizers"});
  if (finalizers && !finalizers->empty()) {
    Json next = object;
    next["metadata"]["deletionTimestamp"] = base::FormatTime(base::SystemClock().NowMs());
    return {200, Commit(target, std::move(next), old->second.owners), 0};
  }
  Erase(target);
  return {200, {{"kind", "Status"}, {"status", "Success"}}, 0};
}

// Ignores PodDisruptionBudgets.
FakeCluster::Reply FakeCluster::AnswerEvict(Call call, const Target& target) {
  call.body = call.body.value("deleteOptions", Json::object());
  Reply reply = AnswerDelete(call, target);
  if (reply.status == 200) reply.status = 201;
  return reply;
}

Json FakeCluster::Commit(const Target& target, Json next, FieldOwners owners) {
  Key key{target.collection, target.key};
  auto old = objects_.find(key);
  Json before = old == objects_.end() ? Json() : old->second.object;
  next["apiVersion"] = target.resource.ApiVersion();
  next["kind"] = target.resource.kind;
  Json& metadata = next["metadata"];
  if (before.is_null()) {
    metadata["uid"] = "uid-" + std::to_string(next_uid_++);
    metadata["creationTimestamp"] = base::FormatTime(base::SystemClock().NowMs() / 1000 * 1000);
    if (HasGeneration(target.resource)) metadata["generation"] = 1;
  } else {
    if (WithoutVersion(before) == WithoutVersion(next)) {
      old->second.owners = std::move(owners);
      return before;
    }
    bool bump = HasGeneration(target.resource) && SpecOf(before) != SpecOf(next);
    if (bump) metadata["generation"] = kube::GenerationOf(before) + 1;
  }
  before_last_ = {key, std::nullopt};
  if (old != objects_.end()) before_last_.second = old->second;
  metadata["resourceVersion"] = std::to_string(++version_);
  metadata["managedFields"] = Json::array();
  for (const auto& [manager, leaves] : owners) {
    if (!leaves.empty()) metadata["managedFields"].push_back({{"manager", manager}});
  }
  objects_[key] = {next, std::move(owners)};
  const Json* finalizers = base::At(next, {"metadata", "finalizers"});
  if (kube::IsBeingDeleted(next) && (!finalizers || finalizers->empty())) {
    Erase(target);
    return next;
  }
  AddEvent(target, before.is_null() ? "ADDED" : "MODIFIED", next, before);
  return next;
}

void FakeCluster::Erase(const Target& target) {
  auto old = objects_.find({target.collection, target.key});
  before_last_ = {old->first, old->second};
  Json last = old->second.object;
  last["metadata"]["resourceVersion"] = std::to_string(++version_);
  objects_.erase(old);
  AddEvent(target, "DELETED", last, last);
}

}  // namespace testing
