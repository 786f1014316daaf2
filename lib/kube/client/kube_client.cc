// Builds requests, parses answers, and obeys Retry-After: for all calls of that kind of object, but
// not of other kinds, since a throttled kind, or one whose webhook or extension server is down,
// must not stop them.
#include "lib/kube/client/kube_client.h"

#include <algorithm>
#include <charconv>

#include "lib/base/text/text.h"

namespace kube {

namespace {

constexpr size_t kHeadBytes = 200, kTailBytes = 1'800;  // of a message
constexpr const char* kJson = "application/json";
constexpr const char* kMetadataOnly = ";as=PartialObjectMetadata";

base::Result<Json> ParseBody(const http::Response& answer, const std::string& what) {
  // Not base::ParseJson: one object with a character that it refuses must not hide a whole list.
  Json body = Json::parse(answer.body, nullptr, /*allow_exceptions=*/false);
  if (body.is_object()) return body;
  return base::Error{base::Code::kInternal, what + ": the answer is not a JSON object"};
}

// Parses a list; passes each complete item to `on_item` and keeps it out of the returned tree.
base::Result<Json> ParseList(const http::Response& answer, const std::string& what,
                             const std::function<void(Json&&)>& on_item) {
  constexpr int kTop = 1, kItem = 2;  // depths
  bool in_items = false;
  auto callback = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth == kTop && event == Json::parse_event_t::key) in_items = parsed == "items";
    if (!in_items || depth != kItem || event != Json::parse_event_t::object_end) return true;
    on_item(std::move(parsed));
    return false;
  };
  Json body = Json::parse(answer.body, callback, /*allow_exceptions=*/false);
  if (body.is_object()) return body;
  return base::Error{base::Code::kInternal, what + ": the answer is not a JSON object"};
}

// Keeps head and tail, since the server quotes the whole refused patch before the reason.
std::string Shorten(const std::string& message) {
  if (message.size() <= kHeadBytes + kTailBytes) return message;
  size_t tail = base::BorderAfter(message, message.size() - kTailBytes);
  return message.substr(0, base::BorderBefore(message, kHeadBytes)) + " … " + message.substr(tail);
}

base::Status CheckName(const ObjectKey& key) {
  if (!key.name.empty() && key.name != "." && key.name != "..") return {};
  return base::Error{base::Code::kInvalid, "\"" + key.name + "\" is not the name of an object"};
}

void AddQuery(std::string* query, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  if (!query->empty()) *query += "&";
  query->append(name).append("=").append(http::PercentEncode(value));
}

int64_t RetryAfterOf(const http::Response& answer, int64_t most_ms) {
  std::string text = answer.headers.Get("Retry-After").value_or("");
  int64_t seconds = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || seconds <= 0) return 0;
  return std::min(std::min(seconds, most_ms / 1000 + 1) * 1000, most_ms);
}

// The CollectionPath without namespace of any path below it: "/apis/apps/v1/statefulsets".
std::string CollectionOf(std::string_view target) {
  std::vector<std::string> parts = base::Split(target.substr(0, target.find('?')), '/');
  const size_t kind = parts.size() > 1 && parts[1] == "api" ? 3 : 4;  // the core group has no name
  if (parts.size() > kind + 2 && parts[kind] == "namespaces")
    parts.erase(parts.begin() + static_cast<long>(kind),
                parts.begin() + static_cast<long>(kind) + 2);
  if (parts.size() > kind + 1) parts.resize(kind + 1);
  return base::Join(parts, "/");
}

bool IsSuccess(int status) { return status >= 200 && status < 300; }

std::string_view VerbOf(const http::ClientRequest& request) { return request.method; }

}  // namespace

std::string QueryOf(const Selection& selection) {
  std::string query;
  AddQuery(&query, "labelSelector", selection.label_selector);
  AddQuery(&query, "fieldSelector", selection.field_selector);
  return query;
}

base::Error ErrorOf(const http::Response& answer, std::string_view what) {
  Json body = Json::parse(answer.body, nullptr, /*allow_exceptions=*/false);
  std::string message = base::StringAt(body, {"message"});
  if (message.empty()) message = answer.body.substr(0, 200);
  return {http::CodeOf(answer.status),
          std::string(what) + ": HTTP " + std::to_string(answer.status) + ": " + Shorten(message)};
}

KubeClient::KubeClient(http::Client& http, ClientSettings settings, TokenSource* token,
                       const base::Clock& clock)
    : http_(http), settings_(std::move(settings)), token_(token), clock_(clock) {}

int64_t KubeClient::RetryAfterMs(const std::string& collection) const {
  return not_before_ms_.With([&](const auto& all) -> int64_t {
    auto at = all.find(collection);
    return at == all.end() ? 0 : std::max<int64_t>(0, at->second - clock_.MonotonicMs());
  });
}

int64_t KubeClient::RetryAfterMs(const Resource& resource) const {
  return RetryAfterMs(CollectionPath(resource, {}));
}

bool KubeClient::Inspect(std::string_view verb, std::string_view target,
                         const http::Response& answer, double seconds) {
  if (settings_.on_answer) settings_.on_answer(verb, answer.status, seconds);
  // The Retry-After of a 504, or of an eviction that a PodDisruptionBudget does not allow yet,
  // concerns only that request.
  const bool is_overloaded =
      (answer.status == 429 || answer.status == 503) && !target.ends_with("/eviction");
  int64_t wait_ms = is_overloaded ? RetryAfterOf(answer, settings_.longest_retry_after_ms) : 0;
  if (wait_ms > 0) {
    const int64_t now_ms = clock_.MonotonicMs();
    not_before_ms_.With([&](auto& all) {
      std::erase_if(all, [&](const auto& entry) { return entry.second <= now_ms; });
      all[CollectionOf(target)] = now_ms + wait_ms;
    });
  }
  return answer.status == 401 && token_ && token_->Distrust();
}

// Every call passes here: a replica without the Lease must not write, and its last writes must have
// timed out before another replica may hold the Lease.
base::Status KubeClient::LimitWrite(http::ClientRequest& request) const {
  if (request.method == "GET" || !settings_.write_allowance_ms) return {};
  const int64_t allowed_ms = settings_.write_allowance_ms();
  if (allowed_ms <= 0)
    return base::Error{base::Code::kUnavailable, "not sent: another replica leads, or may soon"};
  request.timeout_ms = std::min(request.timeout_ms, allowed_ms);
  return {};
}

base::Result<http::Response> KubeClient::Send(http::ClientRequest request) {
  // Without the remaining time, since callers log an error when its message changes.
  if (RetryAfterMs(CollectionOf(request.target)) > 0)
    return base::Error{base::Code::kUnavailable, "the API server asked to be left alone"};
  request.headers.Set("Accept", request.headers.Get("Accept").value_or(kJson));
  for (bool again = true;; again = false) {
    RETURN_IF_ERROR(LimitWrite(request));
    int64_t start_ms = clock_.MonotonicMs();
    auto answer = http_.Send(request);
    double seconds = static_cast<double>(clock_.MonotonicMs() - start_ms) / 1000;
    if (!answer) {
      if (settings_.on_answer) settings_.on_answer(VerbOf(request), 0, seconds);
      return answer.error();
    }
    if (!Inspect(VerbOf(request), request.target, *answer, seconds) || !again) return answer;
  }
}

base::Result<Json> KubeClient::Call(http::ClientRequest request) {
  std::string what = request.method + " " + request.target.substr(0, request.target.find('?'));
  auto answer = Send(std::move(request));
  if (!answer) return base::Wrap(what, answer.error());
  if (!IsSuccess(answer->status)) return ErrorOf(*answer, what);
  return ParseBody(*answer, what);
}

base::Result<Json> KubeClient::GetPath(const std::string& path, const std::string& accept) {
  http::ClientRequest request;
  request.target = path;
  if (!accept.empty()) request.headers.Set("Accept", accept);
  request.timeout_ms = settings_.timeout_ms;
  return Call(std::move(request));
}

base::Result<Json> KubeClient::Get(const Resource& resource, const ObjectKey& key) {
  RETURN_IF_ERROR(CheckName(key));
  return GetPath(ObjectPath(resource, key));
}

base::Result<ListPage> KubeClient::List(const Resource& resource, const Selection& selection,
                                        int limit, const std::string& next,
                                        const std::string& version,
                                        const std::function<void(Json&&)>& on_item) {
  std::string query = QueryOf(selection);
  AddQuery(&query, "limit", limit > 0 ? std::to_string(limit) : "");
  AddQuery(&query, "continue", next);
  if (next.empty() && !version.empty()) {
    AddQuery(&query, "resourceVersion", version);
    AddQuery(&query, "resourceVersionMatch", "NotOlderThan");
  }
  http::ClientRequest request;
  request.target =
      CollectionPath(resource, selection.name_space) + (query.empty() ? "" : "?") + query;
  request.timeout_ms = 3 * settings_.timeout_ms;
  if (selection.metadata_only) {
    request.headers.Set("Accept", std::string(kJson) + kMetadataOnly + "List;g=meta.k8s.io;v=v1");
  }
  std::string what = "LIST " + CollectionPath(resource, selection.name_space);
  auto answer = Send(std::move(request));
  if (!answer) return base::Wrap(what, answer.error());
  ListPage page;
  page.expired = answer->status == 410;
  if (page.expired) return page;
  if (!IsSuccess(answer->status)) return ErrorOf(*answer, what);
  auto take = [&](Json&& item) {
    item["apiVersion"] = resource.ApiVersion();
    item["kind"] = resource.kind;
    on_item ? on_item(std::move(item)) : page.items.push_back(std::move(item));
  };
  ASSIGN_OR_RETURN(Json body, ParseList(*answer, what, take));
  page.resource_version = base::StringAt(body, {"metadata", "resourceVersion"});
  page.next = base::StringAt(body, {"metadata", "continue"});
  return page;
}

base::Result<std::vector<Json>> KubeClient::ListAll(const Resource& resource,
                                                    const Selection& selection) {
  std::vector<Json> all;
  std::string next;
  for (int starts = 0; starts < 3;) {
    ASSIGN_OR_RETURN(ListPage page, List(resource, selection, 500, next));
    next = page.next;
    if (page.expired) {
      all.clear();
      ++starts;
      continue;
    }
    std::move(page.items.begin(), page.items.end(), std::back_inserter(all));
    if (next.empty()) return all;
  }
  return base::Error{base::Code::kUnavailable,
                     "LIST " + resource.plural + ": expired three times before its end"};
}

base::Result<Json> KubeClient::Apply(const Resource& resource, const Json& object,
                                     const ApplyOptions& options) {
  ObjectKey key = KeyOf(object);
  RETURN_IF_ERROR(CheckName(key));
  std::string query;
  AddQuery(&query, "fieldManager", settings_.field_manager);
  AddQuery(&query, "force", options.force ? "true" : "false");
  AddQuery(&query, "dryRun", options.dry_run ? "All" : "");
  http::ClientRequest request;
  request.method = "PATCH";
  request.target = ObjectPath(resource, key, options.status ? "status" : "") + "?" + query;
  request.headers.Set("Content-Type", "application/apply-patch+yaml");  // JSON is YAML
  request.headers.Set("Idempotency-Key", "apply");  // the HTTP client may send it again
  request.body = base::DumpJson(object);
  request.timeout_ms = settings_.timeout_ms;
  auto applied = Call(std::move(request));
  // For another incarnation the server answers 422, as an attempt to change the uid.
  bool other_uid = !applied && applied.error().code == base::Code::kInvalid &&
                   applied.error().message.find("metadata.uid") != std::string::npos;
  if (other_uid) return base::Error{base::Code::kConflict, applied.error().message};
  return applied;
}

base::Result<Json> KubeClient::Create(const Resource& resource, const Json& object) {
  std::string query;
  AddQuery(&query, "fieldManager", settings_.field_manager);
  http::ClientRequest request;
  request.method = "POST";
  request.target = CollectionPath(resource, KeyOf(object).name_space) + "?" + query;
  request.headers.Set("Content-Type", kJson);
  request.body = base::DumpJson(object);
  request.timeout_ms = settings_.timeout_ms;
  return Call(std::move(request));
}

base::Result<Json> KubeClient::Ask(const Resource& resource, const Json& question) {
  http::ClientRequest request;
  request.method = "POST";
  request.target = CollectionPath(resource, KeyOf(question).name_space);
  request.headers.Set("Content-Type", kJson);
  request.headers.Set("Idempotency-Key", "ask");  // the HTTP client may send it again
  request.body = base::DumpJson(question);
  request.timeout_ms = settings_.timeout_ms;
  return Call(std::move(request));
}

base::Result<Json> KubeClient::Patch(const char* content_type, const std::string& path,
                                     const Json& patch) {
  std::string query;
  AddQuery(&query, "fieldManager", settings_.field_manager);
  http::ClientRequest request;
  request.method = "PATCH";
  request.target = path + "?" + query;
  request.headers.Set("Content-Type", content_type);
  request.body = base::DumpJson(patch);
  request.timeout_ms = settings_.timeout_ms;
  return Call(std::move(request));
}

base::Result<Json> KubeClient::MergePatch(const Resource& resource, const ObjectKey& key,
                                          const Json& patch, std::string_view subresource) {
  RETURN_IF_ERROR(CheckName(key));
  return Patch("application/merge-patch+json", ObjectPath(resource, key, subresource), patch);
}

base::Result<Json> KubeClient::JsonPatch(const Resource& resource, const ObjectKey& key,
                                         const Json& patch, std::string_view subresource) {
  RETURN_IF_ERROR(CheckName(key));
  return Patch("application/json-patch+json", ObjectPath(resource, key, subresource), patch);
}

base::Status KubeClient::Delete(const Resource& resource, const ObjectKey& key,
                                const DeleteOptions& options) {
  RETURN_IF_ERROR(CheckName(key));
  Json body = {{"apiVersion", "v1"},
               {"kind", "DeleteOptions"},
               {"propagationPolicy", options.orphan ? "Orphan" : "Background"}};
  if (!options.uid.empty()) body["preconditions"]["uid"] = options.uid;
  if (!options.resource_version.empty()) {
    body["preconditions"]["resourceVersion"] = options.resource_version;
  }
  http::ClientRequest request;
  request.method = "DELETE";
  request.target = ObjectPath(resource, key);
  request.headers.Set("Content-Type", kJson);
  request.body = base::DumpJson(body);
  request.timeout_ms = settings_.timeout_ms;
  auto answer = Call(std::move(request));
  if (!answer) return answer.error();
  return {};
}

base::Status KubeClient::Evict(const ObjectKey& pod, const std::string& uid) {
  RETURN_IF_ERROR(CheckName(pod));
  http::ClientRequest request;
  request.method = "POST";
  request.target = ObjectPath(Pods(), pod, "eviction");
  request.headers.Set("Content-Type", kJson);
  request.body = base::DumpJson({{"apiVersion", "policy/v1"},
                                 {"kind", "Eviction"},
                                 {"metadata", {{"name", pod.name}, {"namespace", pod.name_space}}},
                                 {"deleteOptions", {{"preconditions", {{"uid", uid}}}}}});
  request.timeout_ms = settings_.timeout_ms;
  auto answer = Call(std::move(request));
  if (!answer) return answer.error();
  return {};
}

}  // namespace kube
