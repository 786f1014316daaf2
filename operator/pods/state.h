// What a pod of an Agent is up to: ready, or which container keeps it from that and why. Pure.
#pragma once

#include <string>

#include "lib/base/json/json.h"

namespace controller {

struct PodState {
  std::string name, phase;
  bool ready = false;    // and not on its way out
  bool leaving = false;  // being deleted
  bool has_sidecar = false, sidecar_running = false;
  std::string sidecar_image;  // of the pod's spec; empty without a sidecar
  // Why it is not ready: "Progressing" while all goes well, else the kubelet's word
  // (ImagePullBackOff, CrashLoopBackOff, Unschedulable …); the message names pod and container.
  std::string reason, message;
};

PodState StateOf(const base::Json& pod);

}  // namespace controller
