// The end of every reconcile: emits Events, awaits the own writes in the caches, logs errors.
#include "operator/reconcile/environment.h"

#include <algorithm>

#include "lib/base/process/log.h"
#include "operator/names/names.h"

namespace controller {
namespace {

using base::Json;

constexpr int64_t kOwnWriteWaitMs = 10'000;

}  // namespace

Environment::Environment(kube::KubeClient& client, kube::ControllerLoop& loop,
                         EnvironmentOptions options, const base::Clock& clock)
    : client_(client),
      loop_(loop),
      options_(std::move(options)),
      clock_(clock),
      started_(base::FormatTime(clock.NowMs() / 1000 * 1000)),
      caches_(loop, options_.name_spaces),
      events_(client, kReportingController, options_.instance, clock),
      event_reader_(client, clock) {}

base::Result<std::optional<Json>> Environment::Read(const kube::Resource& kind,
                                                    const kube::ObjectKey& key,
                                                    const std::stop_token& stop) {
  RETURN_IF_ERROR(CheckNotStopped(stop));
  auto object = client_.Get(kind, key);
  if (object) return std::optional<Json>(*std::move(object));
  if (object.error().code != base::Code::kNotFound) return object.error();
  return std::optional<Json>();
}

void Environment::EmitEvents(const Json& object, const Plan& plan) {
  for (const Notice& notice : plan.events) {
    if (notice.warning)
      events_.Warning(object, notice.reason, "Reconcile", notice.note);
    else
      events_.Normal(object, notice.reason, "Reconcile", notice.note);
  }
  base::LogInfo("reconciled", {{"kind", base::StringAt(object, {"kind"})},
                               {"object", kube::KeyOf(object).Text()},
                               {"applied", plan.apply.size()},
                               {"patched", plan.patch.size()},
                               {"removed", plan.remove.size()},
                               {"status", plan.status.has_value()}});
}

// The next reconcile of this object must see its own writes, or it would repeat them. `stop` ends
// the wait, since no reconcile follows.
void Environment::AwaitOwnWrites(const Outcome& outcome, const StoresByKind& stores,
                                 const std::stop_token& stop) const {
  const int64_t end_ms = clock_.MonotonicMs() + kOwnWriteWaitMs;
  for (const auto& [kind, version] : outcome.written) {
    auto store = stores.find(kind);
    const int64_t left_ms = std::max<int64_t>(0, end_ms - clock_.MonotonicMs());
    if (store != stores.end()) store->second->WaitForVersion(version, left_ms, stop);
  }
}

base::Status Environment::Conclude(const Json& object, const Plan& plan, const Outcome& outcome,
                                   const StoresByKind& stores, const std::stop_token& stop) {
  const std::string kind = base::StringAt(object, {"kind"});
  if (outcome.written.contains(kind)) EmitEvents(object, plan);
  AwaitOwnWrites(outcome, stores, stop);
  base::Status summary = outcome.Summary();
  if (!summary)
    base::LogWarn("reconcile failed", {{"kind", kind},
                                       {"object", kube::KeyOf(object).Text()},
                                       {"error", summary.error().message}});
  return summary;
}

}  // namespace controller
