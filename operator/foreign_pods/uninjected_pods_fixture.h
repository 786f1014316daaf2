// Test code: foreign pods of Agent coder, like their controllers create them.
#pragma once

#include <string>

#include "lib/base/json/json.h"
#include "operator/names/names.h"

namespace controller {

using base::Json;

inline constexpr const char *kBefore = "2026-01-01T00:00:00Z", *kSince = "2026-01-02T00:00:00Z",
                            *kAfter = "2026-01-03T00:00:00Z";

inline Json Pod(const std::string& name, const std::string& owner = "ReplicaSet") {
  Json pod = {{"apiVersion", "v1"},
              {"kind", "Pod"},
              {"metadata",
               {{"name", name},
                {"namespace", "n"},
                {"uid", "uid-" + name},
                {"labels", {{kMemoryLabel, "coder"}}},
                {"creationTimestamp", kBefore}}},
              {"spec", {{"containers", {{{"name", "app"}, {"image", "a"}}}}}},
              {"status", {{"phase", "Running"}}}};
  if (!owner.empty())
    pod["metadata"]["ownerReferences"] = {{{"apiVersion", "apps/v1"},
                                           {"kind", owner},
                                           {"name", "owner"},
                                           {"uid", "o"},
                                           {"controller", true}}};
  return pod;
}

inline Json WithSidecar(Json pod, bool ready) {
  pod["spec"]["initContainers"] = {{{"name", "memory"}, {"image", "m"}}};
  pod["status"]["conditions"] = {{{"type", "Ready"}, {"status", ready ? "True" : "False"}}};
  return pod;
}

}  // namespace controller
