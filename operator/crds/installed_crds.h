// Looks at the CustomResourceDefinitions that the cluster has, before anything is written.
#pragma once

#include "lib/kube/client/kube_client.h"

namespace controller {

// kNotFound: one of ours is missing; kConflict: one of that name was not made by us, and `adopt` is
// false. Where we may not look (a namespaced installation) all is taken for well.
base::Status CheckInstalledCrds(kube::KubeClient& client, bool adopt);

}  // namespace controller
