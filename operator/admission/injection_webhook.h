// The admission webhook for foreign pods, where the API server serves no mutating policies: an
// HTTPS listener of every replica, whether it leads or not, and its certificates. What it answers
// is pod_review.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lib/base/process/config.h"
#include "lib/http/server/server.h"
#include "lib/telemetry/metrics.h"
#include "operator/admission/certificate_keeper.h"
#include "operator/admission/pod_review.h"

namespace controller {

// What reviews may hold of the process's memory: a setting, and what it comes to.
base::Setting ReviewBudgetSetting();
std::shared_ptr<base::ByteBudget> ReviewBudget(const base::Settings& settings);

struct WebhookOptions {
  std::string listen;
  std::shared_ptr<base::ByteBudget> budget;  // of the process
  KeeperOptions keeper;
};

class InjectionWebhook {
 public:
  // `client`, `metrics` and what `agent_of` uses must outlive this.
  static base::Result<std::unique_ptr<InjectionWebhook>> Start(WebhookOptions options,
                                                               kube::KubeClient& client,
                                                               telemetry::Metrics& metrics,
                                                               AgentLookup agent_of);
  // Requests that run end first.
  void Stop();
  base::Status Ready() const { return keeper_->Ready(); }
  std::string address() const { return server_->address(); }

 private:
  std::shared_ptr<http::TlsIdentity> identity_ = std::make_shared<http::TlsIdentity>();
  std::unique_ptr<CertificateKeeper> keeper_;
  std::unique_ptr<http::Server> server_;
};

}  // namespace controller
