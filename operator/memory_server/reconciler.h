// Reconciles MemoryServers, and probes the running ones. plan.h has the decisions. Objects of a
// MemoryServer are read one by one instead of being watched: there are few servers, and each watch
// costs the operator memory and a stream (ADR 28).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "operator/memory_server/plan.h"
#include "operator/reconcile/environment.h"
#include "operator/reconcile/reconciler.h"
#include "operator/reconcile/refusals.h"

namespace controller {

// Gets the report of the memory server at "<ip>:7438"; null: no probes.
using ServerProbe = std::function<base::Result<api::ServerReport>(const std::string& address)>;

class MemoryServerReconciler : public Reconciler {
 public:
  // `environment` must outlive this.
  MemoryServerReconciler(Environment& environment, ServerProbe probe_server);
  std::string Name() const override { return "memoryserver"; }
  std::vector<Watched> Watches() override;
  base::Result<kube::When> Reconcile(const kube::ObjectKey& key, std::stop_token stop) override;

 private:
  base::Result<ObservedServer> Observe(const base::Json& server, const std::stop_token& stop);
  base::Status ReadPods(const kube::ObjectKey& self, ObservedServer& observed);
  void ProbePods(ObservedServer& observed) const;

  Environment& environment_;
  const ServerProbe probe_server_;
  const kube::ObjectStore &servers_, &services_, &slices_;
  Refusals refusals_;
};

}  // namespace controller
