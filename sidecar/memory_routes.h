// The memory routes as the agent sees them: an allow-list over the server's API. A request is
// rebuilt from its parsed route, never forwarded raw, and held inside the policy: its project, its
// switches, its trust.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/base/process/clock.h"
#include "lib/http/message/router.h"
#include "sidecar/delivery.h"
#include "sidecar/memory_servers.h"
#include "sidecar/outbox.h"
#include "sidecar/policy_watch.h"
#include "sidecar/state.h"

namespace sidecar {

class MemoryRoutes {
 public:
  MemoryRoutes(State& state, const PolicyWatch& policies, MemoryServers& servers,
               const base::Clock& clock, OutboxLimits limits, Delivery& delivery);
  // Their handlers refer to this object. Those that ask the server wait (Route::waits).
  std::vector<http::Route> Routes();

 private:
  using Policy = std::shared_ptr<const ActivePolicy>;
  using Answer = base::Result<http::Response>;
  using Method = Answer (MemoryRoutes::*)(const http::Request&, const Policy&);
  http::Handler Bind(Method method, std::vector<bool api::Policy::*> needed = {});

  Answer PostSession(const http::Request& request, const Policy& policy);
  Answer EndSession(const http::Request& request, const Policy& policy);
  Answer PostObservation(const http::Request& request, const Policy& policy);
  Answer GetObservation(const http::Request& request, const Policy& policy);
  Answer GetRevisions(const http::Request& request, const Policy& policy);
  Answer PatchObservation(const http::Request& request, const Policy& policy);
  Answer DeleteObservation(const http::Request& request, const Policy& policy);
  Answer Timeline(const http::Request& request, const Policy& policy);
  Answer Query(const http::Request& request, const Policy& policy);  // GETs with the project forced
  Answer Import(const http::Request& request, const Policy& policy);
  Answer Forget(const http::Request& request, const Policy& policy);

  // Sends now; when the server is away, takes no writes, or earlier writes of the lane still wait,
  // puts the write into the outbox and answers 202.
  Answer SendOrQueue(const http::Request& request, const ActivePolicy& policy, OutboxRow row);
  Answer Forward(const http::Request& request, const api::Policy& policy, http::ClientRequest out);
  // The row, when it is the project's (or global and only read); kNotFound otherwise.
  Answer OwnRow(const http::Request& request, const api::Policy& policy, const std::string& id,
                bool read_only);
  // Why a row may not be changed or deleted (`verb`): the answer to give; kDenied: a user wrote it.
  base::Result<std::optional<http::Response>> RefuseChange(const http::Request& request,
                                                           const api::Policy& policy,
                                                           const std::string& id,
                                                           const std::string& verb);
  // The memory session of the conversation with this id, or the id itself; empty: the current one.
  base::Result<std::string> SessionFor(const std::string& id, const api::Policy& policy);

  State& state_;
  const PolicyWatch& policies_;
  MemoryServers& servers_;
  const base::Clock& clock_;
  const OutboxLimits limits_;
  Delivery& delivery_;
};

}  // namespace sidecar
