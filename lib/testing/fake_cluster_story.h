// One story that is told to the fake API server and to a real one; both must answer alike. What the
// fake does and no story tells is not to be relied on.
#pragma once

#include <string>
#include <vector>

#include "lib/kube/client/kube_client.h"

namespace testing {

// A line for each thing that happened; nothing in it depends on ids, versions or times. `ours` and
// `theirs` speak to the same server with different field managers; `name_space` exists and is
// empty.
std::vector<std::string> TellStory(kube::KubeClient& ours, kube::KubeClient& theirs,
                                   const std::string& name_space);

}  // namespace testing
