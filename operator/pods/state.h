// Summarizes a pod: ready, or the container that prevents it and why. Pure.
#pragma once

#include <string>

#include "lib/base/json/json.h"

namespace controller {

struct PodState {
  std::string name, phase;
  bool ready = false;    // and not being deleted
  bool leaving = false;  // being deleted
  bool has_sidecar = false, sidecar_running = false;
  std::string sidecar_image;  // of the pod's spec; empty without a sidecar
  // Why it is not ready: "Progressing" without a fault, else the kubelet's reason
  // (ImagePullBackOff, CrashLoopBackOff, Unschedulable …) or "PodLost"; the message names pod and
  // container.
  std::string reason, message;
};

PodState StateOf(const base::Json& pod);

}  // namespace controller
