// What there is: everything about one MemoryServer that a plan is made from. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/api/server_report.h"
#include "operator/plan/plan.h"

namespace controller {

struct ObservedServer {
  base::Json server;                        // defaulted and validated by its schema
  std::map<ChildKey, base::Json> children;  // on the names that its objects want, whoever made them
  std::optional<base::Json> claim;          // data-<name>-0
  std::vector<base::Json> pods;             // of its StatefulSet
  // What the running server says of itself; absent: there is no pod to ask, or see `report_fault`.
  std::optional<api::ServerReport> report;
  std::string report_fault;                    // why a pod that runs did not say
  bool no_answer = false;                      // it is not ready, and did not answer either
  std::map<std::string, std::string> refused;  // as ObservedAgent's
  std::vector<std::string> conflicts;          // likewise
};

}  // namespace controller
