// Facts (times, exit code, the sidecar's termination message), then the conditions about them.
#include "operator/run/status.h"

#include "lib/base/process/clock.h"
#include "operator/names/names.h"
#include "operator/pods/injection.h"
#include "operator/pods/state.h"

namespace controller {
namespace {

using base::Json;
using kube::Condition;
using kube::Truth;

constexpr size_t kMostSessionBytes = 200;

// The condition of the Job that ended it; nullptr while it runs.
const Json* EndOf(const Json& job) {
  const Json* conditions = base::At(job, {"status", "conditions"});
  if (!conditions || !conditions->is_array()) return nullptr;
  for (const char* type : {"Complete", "Failed"})
    for (const Json& condition : *conditions)
      if (base::StringAt(condition, {"type"}) == type &&
          base::StringAt(condition, {"status"}) == "True")
        return &condition;
  return nullptr;
}

// nullptr while the pod has not ended in the cache: the status gets its exit code before the end.
const Json* ReportedEnd(const RunState& state) {
  const std::string phase =
      state.pod ? base::StringAt(*state.pod, {"status", "phase"}) : "Succeeded";
  return phase == "Succeeded" || phase == "Failed" ? EndOf(*state.job) : nullptr;
}

// The first container of the template is the agent.
std::string AgentContainerOf(const Json& job) {
  const Json* containers = base::At(job, {"spec", "template", "spec", "containers"});
  if (!containers || !containers->is_array() || containers->empty()) return kAgentContainer;
  return base::StringAt(containers->front(), {"name"}, kAgentContainer);
}

const Json* TerminatedOf(const Json& pod, const char* list, const std::string& container) {
  const Json* status = base::At(pod, {"status"});
  const Json* mine = status ? FindNamed(*status, list, container) : nullptr;
  const Json* ended = mine ? base::At(*mine, {"state", "terminated"}) : nullptr;
  return ended && ended->is_object() ? ended : nullptr;
}

// Reads the termination message of sidecar/session/stop.h; ignores any other content.
void ReadTerminationMessage(const Json& pod, Json& status) {
  const Json* ended = TerminatedOf(pod, "initContainerStatuses", kSidecarContainer);
  const auto words = base::ParseJson(ended ? base::StringAt(*ended, {"message"}) : "");
  if (!words || !words->is_object()) return;
  const std::string session = base::StringAt(*words, {"session"});
  if (!session.empty() && session.size() <= kMostSessionBytes) status["session"] = session;
  const Json* undelivered = base::At(*words, {"undelivered"});
  if (undelivered && undelivered->is_number_unsigned()) status["undelivered"] = *undelivered;
}

void SetFacts(const RunState& state, Json& status) {
  const Json& job = *state.job;
  status["job"] = kube::KeyOf(job).name;
  if (auto began = base::StringAt(job, {"status", "startTime"}); !began.empty())
    status["startTime"] = began;
  if (state.pod) {
    const Json* ended = TerminatedOf(*state.pod, "containerStatuses", AgentContainerOf(job));
    const Json* code = ended ? base::At(*ended, {"exitCode"}) : nullptr;
    if (code && code->is_number_integer()) status["exitCode"] = *code;
    ReadTerminationMessage(*state.pod, status);
  }
  if (const Json* end = ReportedEnd(state)) {
    const std::string at = base::StringAt(*end, {"lastTransitionTime"});
    status["completionTime"] = base::StringAt(job, {"status", "completionTime"}, at);
  }
}

// ---- conditions ----

struct Summary {
  Truth succeeded = Truth::kUnknown;  // unknown: it has not ended
  std::string reason, message;
  bool needs_person = false;
};

std::string WithUndelivered(std::string message, const Json& status) {
  const Json* undelivered = base::At(status, {"undelivered"});
  if (!undelivered || *undelivered == 0) return message;
  return message + "; " + base::DumpJson(*undelivered) +
         " writes were not taken by the memory server before the sidecar had to end: they are on "
         "the run's volume, where it has one";
}

Summary Ended(const Json& job, const Json& end, const Json& status) {
  const bool well = base::StringAt(end, {"type"}) == "Complete";
  const Json* code = base::At(status, {"exitCode"});
  Summary summary{well ? Truth::kTrue : Truth::kFalse, well ? "Completed" : "AgentFailed", "",
                  !well};
  if (!code && !well) {
    summary.reason = "PodLost";
    summary.message = "the pod of Job " + kube::KeyOf(job).name +
                      " went before its agent had ended (" + base::StringAt(end, {"reason"}) +
                      "): create another AgentRun";
    return summary;
  }
  summary.message =
      code ? "the agent ended with exit code " + base::DumpJson(*code) : "the agent ended";
  if (!well && *code == 0) {
    summary.reason = "PodFailed";
    summary.message += ", and another container of its pod failed";
  }
  summary.message = WithUndelivered(std::move(summary.message), status);
  return summary;
}

Summary UnderWay(const RunState& state) {
  const std::string job = "Job " + kube::KeyOf(*state.job).name;
  auto not_ready = [&](const std::string& reason, const std::string& message) {
    const Condition why = NotReady(reason, message, state.causes);
    return Summary{Truth::kUnknown, why.reason, why.message, false};
  };
  if (!state.pod) return not_ready("Progressing", job + " has no pod yet");
  const PodState pod = StateOf(*state.pod);
  const Json* ended = TerminatedOf(*state.pod, "containerStatuses", AgentContainerOf(*state.job));
  if (ended)
    return {Truth::kUnknown, "Ending",
            "the agent has ended; the sidecar of pod " + pod.name + " delivers what it saved",
            false};
  if (pod.ready) return {Truth::kUnknown, "Running", "pod " + pod.name + " runs", false};
  return not_ready(pod.reason, pod.message);
}

Summary SummaryOf(const RunState& state, const Json& status) {
  if (state.obstacle)
    return {Truth::kUnknown, state.obstacle->reason, state.obstacle->message,
            state.obstacle->needs_person};
  if (state.lost)
    return {Truth::kFalse, "JobLost",
            "Job " + base::StringAt(status, {"job"}) +
                " was deleted before its agent ended, and a run is executed once: create another "
                "AgentRun",
            true};
  if (!state.job) return {Truth::kUnknown, "Progressing", "its Job is being made", false};
  const Json* end = ReportedEnd(state);
  return end ? Ended(*state.job, *end, status) : UnderWay(state);
}

}  // namespace

base::Json RunStatusOf(const base::Json& run, const RunState& state, int64_t now_ms) {
  Json status = Json::object();
  for (const char* known :
       {"job", "startTime", "completionTime", "exitCode", "session", "undelivered"})
    if (const Json* value = base::At(run, {"status", known})) status[known] = *value;
  if (state.job) SetFacts(state, status);
  if (state.lost) status["completionTime"] = base::FormatTime(now_ms);
  const Summary summary = SummaryOf(state, status);
  const Truth ready = summary.succeeded == Truth::kTrue ? Truth::kTrue : Truth::kFalse,
              stalled = summary.needs_person ? Truth::kTrue : Truth::kFalse;
  status["observedGeneration"] = kube::GenerationOf(run);
  status["conditions"] =
      ConditionsOf(run,
                   {{"Ready", ready, summary.reason, summary.message},
                    {"Succeeded", summary.succeeded, summary.reason, summary.message},
                    {"Stalled", stalled, summary.needs_person ? summary.reason : "Progressing",
                     summary.needs_person ? summary.message : "nothing needs a person"}},
                   now_ms);
  return status;
}

std::vector<Notice> NoticesOfRun(const base::Json& old_status, const base::Json& new_status) {
  const Json* before = base::At(old_status, {"conditions"});
  const auto now = kube::FindCondition(new_status["conditions"], "Succeeded"),
             then = before ? kube::FindCondition(*before, "Succeeded") : std::nullopt;
  const bool same = then && then->status == now->status && then->reason == now->reason;
  const bool goes_on =
      now->reason == "Progressing" || now->reason == "Running" || now->reason == "Ending";
  if (same || goes_on) return {};
  return {{now->status != Truth::kTrue, now->reason, now->message}};
}

}  // namespace controller
