// The handlers of the routes, also those in rooms below: decode, call the store, encode. validate.h
// and model/ have the decisions.
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

using ApiHandler = http::Response(const Api&, const http::Request&);

// Of sessions and observations. EndSession streams the transcript; Forget is not served yet.
ApiHandler OpenApi, Health, PostSession, EndSession, RecentSessions, PostObservation,
    RecentObservations, GetObservation, GetRevisions, PatchObservation, DeleteObservation,
    RestoreObservation, HiddenObservations, Search, Timeline, Stats, GetRetention, PutRetention,
    Forget;
base::Result<base::Json> ContextAnswer(const Api& api, const http::Request& request);
// A sidecar prunes its own conversations by its policy.
ApiHandler DeleteConversation;
// items/
ApiHandler PutItem, GetItem, PatchItem, DeleteItem, FindItems, RenderFoundItems, ConsiderItem;
// episodes/; GetEpisodes: of one conversation.
ApiHandler StoreEpisode, SearchEpisodes, GetEpisodes;
// shared/: between Agents. An item that the caller may not read answers like a missing one, in
// about the same time.
ApiHandler PutShared, GetShared, DeleteShared, ListShared;
// traces/. ContextWithDue is GET /context: with `due=N` also what is due, in the same answer.
ApiHandler PostTrace, GetTrace, PatchTrace, DeleteTrace, MergeTraces, UnmergeTrace, SearchTraces,
    ContextWithDue, DueTraces, ReflectTraces, ReflectRuns, UndoReflectRun, OriginalOfTrace, PutEdge,
    DeleteEdge;
// ingest/
ApiHandler PostTurn, GetTurn, RetryTurn;

}  // namespace memory
