// Calls to a Kubernetes API server: read, server-side apply, patch, delete, for objects of any kind
// as JSON. Watches: watch.h; caches: reflector.h.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lib/base/guarded.h"
#include "lib/base/process/clock.h"
#include "lib/http/client/client.h"
#include "lib/kube/client/cluster_config.h"
#include "lib/kube/object/object.h"

namespace kube {

struct ClientSettings {
  std::string field_manager = "kube";       // the owner of the fields that Apply sets
  int64_t timeout_ms = 10'000;              // of a call; three times as much for a page of a list
  int64_t longest_retry_after_ms = 60'000;  // caps a server's Retry-After
  // Called after each call: method or "WATCH", HTTP status (0: no answer), duration. Any thread.
  std::function<void(std::string_view verb, int status, double seconds)> on_answer;
  // The longest time that a write sent now may take, ms; 0: writes fail as kUnavailable, unsent.
  // Null: no limit. Any thread; see lease.h.
  std::function<int64_t()> write_allowance_ms;
};

// Selects objects of a kind.
struct Selection {
  std::string name_space;  // empty: all
  std::string label_selector, field_selector;
  bool metadata_only = false;  // PartialObjectMetadata: no spec, no status
};

struct ListPage {
  std::vector<Json> items;       // each with apiVersion and kind, which the server omits
  std::string resource_version;  // a watch resumes here
  std::string next;              // the continue token; empty: the last page
  bool expired = false;          // 410: `next` or the version is too old; list from the start
};

struct ApplyOptions {
  bool force = false;    // takes fields from other managers; else kConflict names manager and field
  bool status = false;   // applies to the /status subresource
  bool dry_run = false;  // the server checks and defaults, and stores nothing
};

struct DeleteOptions {
  std::string uid;               // only this incarnation, else kConflict
  std::string resource_version;  // only this state, else kConflict
  bool orphan = false;           // dependents stay (propagationPolicy Orphan)
};

// Blocking calls; any thread. Errors: kNotFound 404; kConflict 409; kDenied 401 and 403; kInvalid
// 400 and 422; kTooLarge 413; kUnavailable 429, 502, 503 and no connection; kTimeout; kInternal
// 500. Messages are the server's own. After a 429 or 503 with Retry-After, calls for that kind of
// object fail at once until that time (at most longest_retry_after_ms) has passed; callers retry by
// their own backoff.
class KubeClient {
 public:
  // `http` and `token` (may be null) must outlive this.
  KubeClient(http::Client& http, ClientSettings settings = {}, TokenSource* token = nullptr,
             const base::Clock& clock = base::SystemClock());

  base::Result<Json> Get(const Resource& resource, const ObjectKey& key);
  // One page; `next`: of the previous page. `version`: at least as new as that, else kTimeout;
  // empty: the newest. `on_item` receives the items instead of ListPage::items, one by one while
  // the page is parsed, so that a page is never in memory as trees. On malformed JSON it has
  // received the items before the fault, and the error is returned.
  base::Result<ListPage> List(const Resource& resource, const Selection& selection, int limit = 500,
                              const std::string& next = {}, const std::string& version = {},
                              const std::function<void(Json&& item)>& on_item = {});
  base::Result<std::vector<Json>> ListAll(const Resource& resource, const Selection& selection);

  // Server-side apply of `object` (apiVersion, kind, metadata.name and the fields to own). A uid or
  // resourceVersion in its metadata fences the write: another incarnation or state is kConflict.
  // Returns the object as stored.
  base::Result<Json> Apply(const Resource& resource, const Json& object,
                           const ApplyOptions& options = {});
  base::Result<Json> Create(const Resource& resource, const Json& object);  // kConflict: exists
  // POST of a query in the form of an object, such as a TokenReview. The server stores nothing, so
  // the HTTP client may send it twice.
  base::Result<Json> Ask(const Resource& resource, const Json& question);
  base::Result<Json> MergePatch(const Resource& resource, const ObjectKey& key, const Json& patch,
                                std::string_view subresource = {});
  base::Result<Json> JsonPatch(const Resource& resource, const ObjectKey& key, const Json& patch,
                               std::string_view subresource = {});
  base::Status Delete(const Resource& resource, const ObjectKey& key,
                      const DeleteOptions& options = {});
  // Evicts this incarnation of a pod, if its PodDisruptionBudgets allow it (else kUnavailable).
  base::Status Evict(const ObjectKey& pod, const std::string& uid);
  // GET of any other path, such as /version. `accept`: its media type; empty: application/json.
  base::Result<Json> GetPath(const std::string& path, const std::string& accept = {});

  // The rest of a Retry-After for the kind, ms; 0: none.
  int64_t RetryAfterMs(const Resource& resource) const;
  http::Client& http() { return http_; }
  const ClientSettings& settings() const { return settings_; }
  // Handles the head of an answer: reports it to on_answer, stores Retry-After, distrusts the token
  // after a 401 (true: a retry with a new token may succeed). For watch.h.
  bool Inspect(std::string_view verb, std::string_view target, const http::Response& answer,
               double seconds);

 private:
  int64_t RetryAfterMs(const std::string& collection) const;
  base::Result<http::Response> Send(http::ClientRequest request);
  base::Status LimitWrite(http::ClientRequest& request) const;
  base::Result<Json> Call(http::ClientRequest request);
  base::Result<Json> Patch(const char* content_type, const std::string& path, const Json& patch);

  http::Client& http_;
  const ClientSettings settings_;
  TokenSource* const token_;
  const base::Clock& clock_;
  // The ends of Retry-Afters, monotonic, by collection path without namespace.
  base::Guarded<std::map<std::string, int64_t>> not_before_ms_;
};

// The error of an answer other than 2xx; `what`: the call, a prefix of the message.
base::Error ErrorOf(const http::Response& answer, std::string_view what);
// The query of a selection without "?", percent-encoded.
std::string QueryOf(const Selection& selection);

}  // namespace kube
