// The routes of the audit log, behind memory.allowAdmin: GET /v1/audit reads pages, POST
// /v1/audit/read moves the read mark, which lets rows expire.
#pragma once

#include <vector>

#include "lib/http/message/router.h"
#include "sidecar/policy/policy_watch.h"
#include "sidecar/state/state.h"

namespace sidecar {

class AuditRoutes {
 public:
  AuditRoutes(State& state, const PolicyWatch& policies) : state_(state), policies_(policies) {}
  std::vector<http::Route> Routes();  // their handlers refer to this object

 private:
  base::Result<base::Json> Get(const http::Request& request);
  base::Result<base::Json> MarkRead(const http::Request& request);
  base::Status Admit() const;

  State& state_;
  const PolicyWatch& policies_;
};

}  // namespace sidecar
