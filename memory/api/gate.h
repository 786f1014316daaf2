// Every request passes the gate: authentication, role, budget of writes, and the caller's store. No
// handler can skip a check or name a tenant.
#pragma once

#include <functional>

#include "memory/api/handlers.h"
#include "memory/api/write_budgets.h"
#include "memory/identity/identity_check.h"
#include "memory/store/engine.h"

namespace memory {

// The tenant of --auth none. No namespace can have this name.
inline constexpr const char* kEverybody = "*";

class Gate {
 public:
  // `identities`: null with --auth none; `budgets`: null: no rate limits; `shared_access`: null: no
  // shared memory. All outlive this.
  Gate(IdentityCheck* identities, Engine& engine, const base::Clock& clock,
       telemetry::Metrics& metrics, WriteBudgets* budgets = nullptr,
       SharedAccess* shared_access = nullptr)
      : identities_(identities),
        engine_(engine),
        clock_(clock),
        metrics_(metrics),
        budgets_(budgets),
        shared_access_(shared_access) {}
  // Runs the handler on the caller's store, or refuses with 401, 403, 429 or 503. With identity a
  // health route answers every caller, of the process alone: load balancers have no token.
  using Handler = std::function<ApiHandler>;
  http::Response Pass(const http::Request& request, const Handler& handler) const;
  // The same refusal before a body is read, if it needs no call to the cluster.
  std::optional<http::Response> RefuseAtHead(const http::Request& request) const;

 private:
  std::optional<http::Response> OverBudget(const Caller& caller,
                                           const http::Request& request) const;
  IdentityCheck* const identities_;
  Engine& engine_;
  const base::Clock& clock_;
  telemetry::Metrics& metrics_;
  WriteBudgets* const budgets_;
  SharedAccess* const shared_access_;
};

}  // namespace memory
