// Checks the cluster's CustomResourceDefinitions before the operator writes anything.
#pragma once

#include <cstdint>

#include "lib/kube/client/kube_client.h"

namespace controller {

// CRDs may be applied after the operator, or be in deletion before new ones are applied.
struct CrdPatience {
  int64_t wait_ms = 15'000;  // for a missing CRD, or one in deletion
  int64_t again_ms = 500;
};

// Blocks while a CRD of ours is missing, at most for the wait. kNotFound: it is still missing;
// kConflict: a CRD of that name belongs to another project, and `adopt` is false. OK without
// permission to read CRDs (a namespaced installation).
base::Status CheckInstalledCrds(kube::KubeClient& client, bool adopt,
                                const CrdPatience& patience = {});

}  // namespace controller
