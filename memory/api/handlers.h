// The handlers of the routes, also those in rooms below: decode, call the store, encode. validate.h
// and model/ have the decisions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

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

using ApiHandler = http::Response(const Api&, const http::Request&);

// Handlers by the names of their rows in lib/api/operations: a table for each file of handlers.
struct NamedHandler {
  std::string_view name;
  ApiHandler* handler;
};
using HandlerTable = std::vector<NamedHandler>;

HandlerTable SessionHandlers(), ObservationHandlers(), FindingHandlers(), RetentionHandlers();
HandlerTable ConversationHandlers(), ItemHandlers(), EpisodeHandlers(), SharedHandlers();
HandlerTable TraceHandlers(), ReflectHandlers(), IngestHandlers();

inline constexpr HandlerTable (*kHandlerTables[])() = {
    SessionHandlers,      ObservationHandlers, FindingHandlers, RetentionHandlers,
    ConversationHandlers, ItemHandlers,        EpisodeHandlers, SharedHandlers,
    TraceHandlers,        ReflectHandlers,     IngestHandlers};

base::Result<base::Json> ContextAnswer(const Api& api, const http::Request& request);

}  // namespace memory
