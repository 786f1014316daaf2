// The admission webhook for foreign pods, for API servers without mutating policies: an HTTPS
// listener of every replica, leading or not, and its certificates. pod_review.h makes its answers.
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

// The memory budget of concurrent reviews: its setting, and its value.
base::Setting ReviewBudgetSetting();
std::shared_ptr<base::ByteBudget> ReviewBudget(const base::Settings& settings);

struct WebhookOptions {
  std::string listen;
  std::shared_ptr<base::ByteBudget> budget;  // of all listeners
  KeeperOptions keeper;
};

class InjectionWebhook {
 public:
  // `client`, `metrics` and the captures of `agent_of` must outlive this.
  static base::Result<std::unique_ptr<InjectionWebhook>> Start(WebhookOptions options,
                                                               kube::KubeClient& client,
                                                               telemetry::Metrics& metrics,
                                                               AgentLookup agent_of);
  // Running requests end first.
  void Stop();
  base::Status Ready() const { return keeper_->Ready(); }
  std::string address() const { return server_->address(); }

 private:
  std::shared_ptr<http::TlsIdentity> identity_ = std::make_shared<http::TlsIdentity>();
  std::unique_ptr<CertificateKeeper> keeper_;
  std::unique_ptr<http::Server> server_;
};

}  // namespace controller
