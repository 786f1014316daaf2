// Calls to a Kubernetes API server: read, server-side apply, patch, delete. Any kind of object, all
// as JSON. Not for watching: watch.h; not for keeping copies: reflector.h.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lib/base/guarded.h"
#include "lib/base/process/clock.h"
#include "lib/http/client/client.h"
#include "lib/kube/client/token_source.h"
#include "lib/kube/object/object.h"

namespace kube {

struct ClientSettings {
  std::string field_manager = "kube";       // who owns the fields that Apply sets
  int64_t timeout_ms = 10'000;              // of a call; a page of a list has three times as much
  int64_t longest_retry_after_ms = 60'000;  // of what a server may ask for
  // After each answer: verb ("GET", "WATCH", …), HTTP status (0: none came), time taken. Any
  // thread.
  std::function<void(std::string_view verb, int status, double seconds)> on_answer;
  // How long a write that is sent now may be on its way, ms; 0: none is sent, and it fails as
  // kUnavailable. Null: no limit. Any thread; see lease.h.
  std::function<int64_t()> write_allowance_ms;
};

// Which objects of a kind.
struct Selection {
  std::string name_space;  // empty: all
  std::string label_selector, field_selector;
  bool metadata_only = false;  // PartialObjectMetadata: no spec, no status
};

struct ListPage {
  std::vector<Json> items;       // each with apiVersion and kind, which the server leaves out
  std::string resource_version;  // where a watch goes on
  std::string next;              // not empty: there is another page
  bool expired = false;          // 410: `next` or the version is too old; list from the start
};

struct ApplyOptions {
  bool force = false;   // take fields from other managers; else kConflict, naming manager and field
  bool status = false;  // to the /status subresource
  bool dry_run = false;  // the server checks and defaults, and stores nothing
};

struct DeleteOptions {
  std::string uid;               // only this incarnation, else kConflict
  std::string resource_version;  // only this state, else kConflict
  bool orphan = false;           // leave what it owns
};

// Blocking calls; any thread. Errors: kNotFound 404; kConflict 409; kDenied 401 and 403; kInvalid
// 400 and 422; kTooLarge 413; kUnavailable 429, 502, 503 and no connection; kTimeout; kInternal
// 500. Messages are the server's own. After a 429 or 503 with Retry-After, calls of that kind of
// object fail at once until that time (at most longest_retry_after_ms) has passed, so that callers
// need not know; they come back by their own back-off.
class KubeClient {
 public:
  // `http` and `token` (may be null) must outlive this.
  KubeClient(http::Client& http, ClientSettings settings = {}, TokenSource* token = nullptr,
             const base::Clock& clock = base::SystemClock());

  base::Result<Json> Get(const Resource& resource, const ObjectKey& key);
  // One page; `next` of the page before. `version`: at least as new as that, else kTimeout; empty:
  // the newest. `on_item` gets the items one by one while the page is read, instead of `items`, so
  // that a page is never in memory as trees; also those in front of a fault, which is then
  // returned.
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
  // A question in the form of an object, TokenReview say. Nothing is stored, so it may be sent
  // twice.
  base::Result<Json> Ask(const Resource& resource, const Json& question);
  base::Result<Json> MergePatch(const Resource& resource, const ObjectKey& key, const Json& patch,
                                std::string_view subresource = {});
  base::Result<Json> JsonPatch(const Resource& resource, const ObjectKey& key, const Json& patch,
                               std::string_view subresource = {});
  base::Status Delete(const Resource& resource, const ObjectKey& key,
                      const DeleteOptions& options = {});
  // Deletes this incarnation of a pod, if its PodDisruptionBudgets allow it (else kUnavailable).
  base::Status Evict(const ObjectKey& pod, const std::string& uid);
  // GET of any other path, /version say; `accept`: the media type, where it has one of its own.
  base::Result<Json> GetPath(const std::string& path, const std::string& accept = {});

  // How long the server asked us to leave a kind alone from now on; 0: not at all.
  int64_t RetryAfterMs(const Resource& resource) const;
  http::Client& http() { return http_; }
  const ClientSettings& settings() const { return settings_; }
  // Looks at the answer to a request for `target`: counts it, remembers Retry-After, distrusts the
  // token after a 401 (true: trying again can help). For watch.h.
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
  // By collection of all namespaces, monotonic; only those that lie ahead are kept.
  base::Guarded<std::map<std::string, int64_t>> not_before_ms_;
};

// The error of an answer that is none of 2xx; `what` says what was tried.
base::Error ErrorOf(const http::Response& answer, std::string_view what);
// Query of a selection without "?"; percent-encoded.
std::string QueryOf(const Selection& selection);

}  // namespace kube
