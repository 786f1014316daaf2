// The handlers of the routes: decode, call the store, encode. validate.h and model/ have the
// decisions.
#pragma once

#include "lib/base/process/clock.h"
#include "lib/http/message/message.h"
#include "lib/telemetry/metrics.h"
#include "memory/identity/shared_access.h"
#include "memory/store/store.h"

namespace memory {

// The dependencies of handlers; outlives the server.
struct Api {
  Store& store;
  const base::Clock& clock;
  telemetry::Metrics& metrics;
  std::string caller;  // the account within the store's tenant; empty: anonymous
  // May set the trust class of imported rows, and hide a project by its retention: everybody with
  // --auth none, else a ServiceAccount whose token is not bound to a pod.
  bool administrator = false;
  std::string tenant = {};
  SharedAccess* shared_access = nullptr;  // null: Agents use only their own shared memory
};

using ApiHandler = http::Response (*)(const Api&, const http::Request&);

http::Response OpenApi(const Api& api, const http::Request& request);
http::Response Health(const Api& api, const http::Request& request);
http::Response PostSession(const Api& api, const http::Request& request);
http::Response EndSession(const Api& api, const http::Request& request);  // streams the transcript
http::Response RecentSessions(const Api& api, const http::Request& request);
http::Response PostObservation(const Api& api, const http::Request& request);
http::Response RecentObservations(const Api& api, const http::Request& request);
http::Response GetObservation(const Api& api, const http::Request& request);
http::Response GetRevisions(const Api& api, const http::Request& request);
http::Response PatchObservation(const Api& api, const http::Request& request);
http::Response DeleteObservation(const Api& api, const http::Request& request);
http::Response RestoreObservation(const Api& api, const http::Request& request);
http::Response HiddenObservations(const Api& api, const http::Request& request);
http::Response Search(const Api& api, const http::Request& request);
base::Result<base::Json> ContextAnswer(const Api& api, const http::Request& request);
http::Response Timeline(const Api& api, const http::Request& request);
http::Response Stats(const Api& api, const http::Request& request);
http::Response GetRetention(const Api& api, const http::Request& request);
http::Response PutRetention(const Api& api, const http::Request& request);
http::Response Forget(const Api& api, const http::Request& request);  // not served yet

}  // namespace memory
