// The running operator: starts and stops connection, controller, webhook and admin port, in order.
#pragma once

#include <memory>
#include <string>

#include "lib/base/process/config.h"
#include "lib/base/result.h"

namespace controller {

class RunningOperator {
 public:
  // Connects, checks the CRDs, listens, and begins to watch.
  static base::Result<std::unique_ptr<RunningOperator>> Start(const base::Settings& settings);
  virtual ~RunningOperator() = default;
  virtual void Stop() = 0;  // running reconciles end first, then the admin port closes
  virtual std::string admin_address() const = 0;
  virtual std::string webhook_address() const = 0;  // empty: none
};

}  // namespace controller
