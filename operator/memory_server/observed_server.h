// The input of a MemoryServer's plan: all observed objects. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/api/server_report.h"
#include "operator/plan/plan.h"
#include "operator/pods/causes.h"

namespace controller {

struct ObservedServer {
  base::Json server;                        // defaulted and validated by its schema
  std::map<ChildKey, base::Json> children;  // with the names of its objects, of any owner
  std::optional<base::Json> claim;          // data-<name>-0
  std::vector<base::Json> pods;             // of its StatefulSet and its Deployment
  bool replicas_end = false;                // pods of a removed Deployment are still there
  // The running server's report; absent: no pod to probe, or see `report_fault`.
  std::optional<api::ServerReport> report;
  std::string report_fault;                    // why a ready pod gave no report
  bool no_answer = false;                      // the pod is not ready and did not answer
  std::map<std::string, std::string> refused;  // like ObservedAgent::refused
  std::vector<std::string> conflicts;          // like ObservedAgent::conflicts
  std::vector<Cause> causes;                   // of a missing pod, by Events
};

}  // namespace controller
