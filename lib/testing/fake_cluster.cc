// State, faults, and changes by tests that clients do not request.
#include "lib/testing/fake_cluster.h"

#include <algorithm>

#include "lib/base/check.h"
#include "lib/base/text/text.h"
#include "lib/testing/streams.h"

namespace testing {

namespace {

std::string RootOf(const kube::Resource& resource) {
  return (resource.group.empty() ? "/api/" : "/apis/" + resource.group + "/") + resource.version;
}

Call CallOf(const http::ClientRequest& request) {
  Call call;
  size_t mark = request.target.find('?');
  call.path = request.target.substr(0, mark);
  if (mark != std::string::npos) {
    for (const std::string& pair : base::Split(request.target.substr(mark + 1), '&')) {
      size_t equals = pair.find('=');
      std::string value = equals == std::string::npos ? "" : pair.substr(equals + 1);
      call.query[pair.substr(0, equals)] = http::PercentDecode(value).value_or("");
    }
  }
  call.body = Json::parse(request.body, nullptr, false);
  std::string type = request.headers.Get("Content-Type").value_or("");
  bool is_apply = type.starts_with("application/apply-patch");
  call.verb = request.method == "POST"    ? "CREATE"
              : request.method == "PATCH" ? (is_apply ? "APPLY" : "PATCH")
                                          : request.method;
  if (call.query.contains("watch")) call.verb = "WATCH";
  return call;
}

}  // namespace

FakeCluster::FakeCluster() {
  for (const kube::Resource& resource :
       {kube::ConfigMaps(), kube::Services(), kube::ServiceAccounts(),
        kube::PersistentVolumeClaims(), kube::Pods(), kube::Namespaces(), kube::Nodes(),
        kube::StatefulSets(), kube::Jobs(), kube::NetworkPolicies(), kube::PodDisruptionBudgets(),
        kube::Roles(), kube::RoleBindings(), kube::EndpointSlices(), kube::Events(), kube::Leases(),
        kube::CustomResourceDefinitions()}) {
    Serve(resource);
  }
}

FakeCluster::~FakeCluster() = default;

void FakeCluster::Serve(const kube::Resource& resource) {
  std::lock_guard lock(mutex_);
  resources_[RootOf(resource) + "/" + resource.plural] = resource;
}

std::optional<FakeCluster::Target> FakeCluster::Parse(const std::string& path) const {
  std::vector<std::string> parts = base::Split(path.substr(std::min<size_t>(1, path.size())), '/');
  for (std::string& part : parts) part = http::PercentDecode(part).value_or("");
  size_t root_parts = !parts.empty() && parts[0] == "api" ? 2 : 3;
  if (parts.size() <= root_parts) return std::nullopt;
  std::string root;
  for (size_t i = 0; i < root_parts; ++i) root += "/" + parts[i];
  parts.erase(parts.begin(), parts.begin() + static_cast<ptrdiff_t>(root_parts));
  Target target;
  if (parts.size() >= 3 && parts[0] == "namespaces" && resources_.contains(root + "/" + parts[2])) {
    target.key.name_space = parts[1];
    parts.erase(parts.begin(), parts.begin() + 2);
  }
  auto resource = resources_.find(root + "/" + parts[0]);
  if (resource == resources_.end() || parts.size() > 3) return std::nullopt;
  target.collection = resource->first;
  target.resource = resource->second;
  if (parts.size() > 1) target.key.name = parts[1];
  if (parts.size() > 2) target.subresource = parts[2];
  return target;
}

FakeCluster::Target FakeCluster::TargetOf(const kube::Resource& resource,
                                          const kube::ObjectKey& key) const {
  std::string collection = RootOf(resource) + "/" + resource.plural;
  CHECK(resources_.contains(collection));
  return {collection, resource, key, ""};
}

std::optional<Fault> FakeCluster::TakeFault(const Call& call) {
  for (Fault& fault : faults_) {
    bool fits = fault.times > 0 && (fault.verb.empty() || fault.verb == call.verb) &&
                call.path.find(fault.path_part) != std::string::npos;
    if (!fits) continue;
    --fault.times;
    return fault;
  }
  return std::nullopt;
}

base::Result<http::Response> FakeCluster::Send(const http::ClientRequest& request) {
  std::lock_guard lock(mutex_);
  Call call = CallOf(request);
  if (call.verb == "GET") {
    auto target = Parse(call.path);
    if (target && target->key.name.empty()) call.verb = "LIST";
  }
  auto fault = TakeFault(call);
  Reply reply;
  if (!fault || fault->after_effect) reply = Answer(call, request);
  if (fault) {
    reply = {
        fault->status, {{"kind", "Status"}, {"message", fault->message}}, fault->retry_after_s};
  }
  call.status = reply.status;
  calls_.push_back(call);
  changed_.notify_all();
  if (reply.status == 0) {
    return base::Error{base::Code::kUnavailable, "the connection was broken (injected)"};
  }
  http::Response response = http::JsonResponse(reply.status, reply.body);
  if (reply.retry_after_s > 0) {
    response.headers.Set("Retry-After", std::to_string(reply.retry_after_s));
  }
  return response;
}

std::unique_ptr<http::OpenStream> FakeCluster::Open(const http::ClientRequest& request,
                                                    http::StreamReader reader) {
  return std::make_unique<ThreadedStream>(
      [this, request](std::stop_token stop, const http::StreamReader& told) {
        return Stream(request, std::move(stop), told);
      },
      std::move(reader));
}

base::Status FakeCluster::Stream(const http::ClientRequest& request, std::stop_token stop,
                                 const http::StreamReader& reader) {
  return StreamCall(CallOf(request), std::move(stop), reader);
}

Json FakeCluster::Put(Json object, const std::string& manager) {
  std::lock_guard lock(mutex_);
  std::string version = base::StringAt(object, {"apiVersion"}),
              kind = base::StringAt(object, {"kind"});
  auto known = std::find_if(resources_.begin(), resources_.end(), [&](const auto& entry) {
    return entry.second.ApiVersion() == version && entry.second.kind == kind;
  });
  CHECK(known != resources_.end());
  Target target = TargetOf(known->second, kube::KeyOf(object));
  auto old = objects_.find({target.collection, target.key});
  FieldOwners owners;
  Json before = Json::object();
  if (old != objects_.end()) {
    before = old->second.object;
    owners = old->second.owners;
    for (const char* field : {"uid", "creationTimestamp", "generation", "resourceVersion",
                              "deletionTimestamp", "managedFields"}) {
      const Json* value = base::At(before, {"metadata", field});
      if (value) object["metadata"][field] = *value;
    }
    if (before.contains("status")) object["status"] = before["status"];
  }
  NoteUpdate(before, object, manager, &owners);
  return Commit(target, std::move(object), std::move(owners));
}

Json FakeCluster::PutStatus(const kube::Resource& resource, const kube::ObjectKey& key,
                            Json status) {
  std::lock_guard lock(mutex_);
  Target target = TargetOf(resource, key);
  auto old = objects_.find({target.collection, key});
  CHECK(old != objects_.end());
  Json next = old->second.object;
  next["status"] = std::move(status);
  return Commit(target, std::move(next), old->second.owners);
}

bool FakeCluster::Remove(const kube::Resource& resource, const kube::ObjectKey& key) {
  std::lock_guard lock(mutex_);
  Target target = TargetOf(resource, key);
  if (!objects_.contains({target.collection, key})) return false;
  Erase(target);
  return true;
}

std::optional<Json> FakeCluster::Get(const kube::Resource& resource,
                                     const kube::ObjectKey& key) const {
  std::lock_guard lock(mutex_);
  auto at = objects_.find({TargetOf(resource, key).collection, key});
  if (at == objects_.end()) return std::nullopt;
  return at->second.object;
}

std::vector<Json> FakeCluster::List(const kube::Resource& resource,
                                    const std::string& name_space) const {
  std::lock_guard lock(mutex_);
  std::string collection = TargetOf(resource, {}).collection;
  std::vector<Json> all;
  for (const auto& [key, stored] : objects_) {
    bool fits = name_space.empty() || key.second.name_space == name_space;
    if (key.first == collection && fits) all.push_back(stored.object);
  }
  return all;
}

void FakeCluster::Inject(Fault fault) {
  std::lock_guard lock(mutex_);
  faults_.push_back(std::move(fault));
}

void FakeCluster::ClearFaults() {
  std::lock_guard lock(mutex_);
  faults_.clear();
  stale_lists_ = 0;
}

void FakeCluster::EndStreams() {
  std::lock_guard lock(mutex_);
  for (auto& [id, stream] : streams_) stream.closed = true;
  changed_.notify_all();
}

void FakeCluster::BreakStreams(base::Code code) {
  std::lock_guard lock(mutex_);
  for (auto& [id, stream] : streams_) stream.broken = code;
  changed_.notify_all();
}

void FakeCluster::ExpireStreams() {
  std::lock_guard lock(mutex_);
  for (auto& [id, stream] : streams_) stream.expired = true;
  changed_.notify_all();
}

void FakeCluster::Compact() {
  std::lock_guard lock(mutex_);
  compacted_ = version_;
  history_.clear();
  snapshots_.clear();
}

void FakeCluster::SaveBackup() {
  std::lock_guard lock(mutex_);
  backup_ = objects_;
  backup_version_ = version_;
}

void FakeCluster::RestoreBackup() {
  std::lock_guard lock(mutex_);
  objects_ = backup_;
  version_ = compacted_ = backup_version_;
  history_.clear();
  snapshots_.clear();
  for (auto& [id, stream] : streams_) stream.broken = base::Code::kUnavailable;
  changed_.notify_all();
}

void FakeCluster::SendBookmarks() {
  std::lock_guard lock(mutex_);
  for (auto& [id, stream] : streams_) stream.bookmark = true;
  changed_.notify_all();
}

void FakeCluster::HoldEvents(bool on) {
  std::lock_guard lock(mutex_);
  hold_ = on;
  changed_.notify_all();
}

void FakeCluster::RepeatEvents(bool on) {
  std::lock_guard lock(mutex_);
  repeat_ = on;
}

void FakeCluster::StreamLists(bool on) {
  std::lock_guard lock(mutex_);
  stream_lists_ = on;
}

void FakeCluster::ServeStaleLists(int times) {
  std::lock_guard lock(mutex_);
  stale_lists_ = times;
}

void FakeCluster::CutStreamsInto(size_t bytes) {
  std::lock_guard lock(mutex_);
  piece_bytes_ = bytes;
}

std::vector<Call> FakeCluster::calls() const {
  std::lock_guard lock(mutex_);
  return calls_;
}

size_t FakeCluster::mutations() const {
  std::lock_guard lock(mutex_);
  return static_cast<size_t>(std::count_if(calls_.begin(), calls_.end(), [](const Call& call) {
    return call.Mutating() && call.status >= 200 && call.status < 300;
  }));
}

void FakeCluster::ForgetCalls() {
  std::lock_guard lock(mutex_);
  calls_.clear();
}

size_t FakeCluster::open_watches() const {
  std::lock_guard lock(mutex_);
  return streams_.size();
}

int64_t FakeCluster::version() const {
  std::lock_guard lock(mutex_);
  return version_;
}

}  // namespace testing
