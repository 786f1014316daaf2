// Logs nothing of a pod: foreign pods may contain secrets.
#include "operator/admission/injection_webhook.h"

#include "lib/base/process/memory_limit.h"
#include "lib/telemetry/instrument.h"

namespace controller {
namespace {

using base::Json;

constexpr size_t kMaxReviewBytes = 2 << 20;  // a pod at the API server's own limit
// Few, since any client in the cluster may call; parsed values are charged to the budget, too.
constexpr size_t kWorkers = 2;
constexpr int64_t kBodyMs = 5'000;  // the API server has given up by then
// Longer than the API server keeps an idle connection (90 s), so that the listener never closes one
// under a request in flight.
constexpr int64_t kIdleMs = 150'000;
constexpr int64_t kStopMs = 2'000;
constexpr int kBudgetPercent = 25;
constexpr int64_t kUsualMemory = 256 << 20;  // the chart's limit

template <class Answer>
http::Handler Reviewed(Answer answer) {
  return [answer](const http::Request& request) {
    auto review = base::ParseJson(request.body);
    if (!review) return http::ErrorResponse(review.error());
    auto answered = answer(*review);
    return answered ? http::JsonResponse(200, *answered) : http::ErrorResponse(answered.error());
  };
}

}  // namespace

base::Setting ReviewBudgetSetting() {
  return {"memory-budget",
          base::Setting::Kind::kBytes,
          "0",
          "what reviews being answered by the webhook may hold together; 0: a quarter of the "
          "container's memory limit",
          0,
          int64_t{1} << 36};
}

std::shared_ptr<base::ByteBudget> ReviewBudget(const base::Settings& settings) {
  return std::make_shared<base::ByteBudget>(base::ShareOfMemory(
      settings.Bytes("memory-budget"), base::MemoryLimit(), kBudgetPercent, kUsualMemory));
}

base::Result<std::unique_ptr<InjectionWebhook>> InjectionWebhook::Start(WebhookOptions options,
                                                                        kube::KubeClient& client,
                                                                        telemetry::Metrics& metrics,
                                                                        AgentLookup agent_of) {
  auto webhook = std::make_unique<InjectionWebhook>();
  options.keeper.on_days_left = [&metrics](double days) {
    metrics.SetGauge("agent_memory_operator_webhook_certificate_days_left", days);
  };
  webhook->keeper_ =
      std::make_unique<CertificateKeeper>(client, *webhook->identity_, std::move(options.keeper));
  http::ServerOptions serving;
  serving.listen = options.listen;
  serving.name = "webhook";
  serving.tls = webhook->identity_;
  serving.workers = kWorkers;
  serving.budget = std::move(options.budget);
  serving.body_timeout_ms = kBodyMs;
  serving.write_timeout_ms = kBodyMs;
  serving.idle_timeout_ms = kIdleMs;
  telemetry::Instrument(serving, metrics);
  std::vector<http::Route> routes = {
      {"POST", "/mutate", Reviewed([agent_of = std::move(agent_of)](const Json& review) {
         return AnswerMutation(review, agent_of);
       }),
       kMaxReviewBytes},
      {"POST", "/validate", Reviewed(AnswerValidation), kMaxReviewBytes}};
  ASSIGN_OR_RETURN(webhook->server_,
                   http::Server::Start(http::Router(std::move(routes)), std::move(serving)));
  webhook->keeper_->Start();
  return webhook;
}

void InjectionWebhook::Stop() {
  keeper_->Stop();
  server_->Stop(kStopMs);
}

}  // namespace controller
