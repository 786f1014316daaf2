// Looks at the CustomResourceDefinitions that the cluster has, before anything is written.
#pragma once

#include <cstdint>

#include "lib/kube/client/kube_client.h"

namespace controller {

// CRDs may be applied after the operator, or be on their way out for new ones to come.
struct CrdPatience {
  int64_t wait_ms = 15'000;  // for one that is missing or leaves
  int64_t again_ms = 500;
};

// Looks again while one of ours is missing, and blocks so long. kNotFound: it does not come;
// kConflict: one of that name was not made by us, and `adopt` is false. Where we may not look (a
// namespaced installation) all is taken for well.
base::Status CheckInstalledCrds(kube::KubeClient& client, bool adopt,
                                const CrdPatience& patience = {});

}  // namespace controller
