// Why a workload has no pod, or why its pod does not start: which objects have the cause in their
// Events, and what a person can set. reconcile/event_reader.h reads the Events. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/kube/object/conditions.h"

namespace controller {

// An object whose Warning Events may say why.
struct Suspect {
  std::string kind, name, uid;
  int64_t since_ms = 0;  // earlier Events are about something else; wall clock
  bool operator==(const Suspect&) const = default;
};

// What an Event says.
struct Cause {
  std::string kind;             // of the object that has the Event
  std::string reason, message;  // the Event's reason (FailedCreate …); object, words and remedy
  bool operator==(const Cause&) const = default;
};

struct Suspicion {
  std::vector<Suspect> suspects;  // in the order of their weight; empty: none, or too early
  int64_t look_again_ms = 0;      // 0: nothing is missing
};

// `owner`: its condition Ready says since when a pod is missing; `workload`: its StatefulSet or
// Job, null: none; `pods`: of the workload.
Suspicion SuspicionOf(const base::Json& owner, const base::Json* workload,
                      const std::vector<base::Json>& pods, const std::optional<base::Json>& claim,
                      int64_t now_ms);

// For how long the Events of a suspect stay valid: longer, the longer the pod is missing.
int64_t EventsAreGoodForMs(const Suspect& suspect, int64_t now_ms);

// The newest of `events` (events.k8s.io/v1) since suspect.since_ms; nullopt: none.
std::optional<Cause> CauseOf(const Suspect& suspect, const std::vector<base::Json>& events);

// Condition Ready of an owner whose pod is not: `reason` and `message` of the pod; or of the first
// cause, if the pod's reason is none.
kube::Condition NotReady(const std::string& reason, const std::string& message,
                         const std::vector<Cause>& causes);

}  // namespace controller
