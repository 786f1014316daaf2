// A sequence of requests to the fake API server and to a real one, which must answer alike. Tests
// may rely only on the fake's behavior that the story covers.
#pragma once

#include <string>
#include <vector>

#include "lib/kube/client/kube_client.h"

namespace testing {

// Returns a line for each result, independent of ids, versions and times. `ours` and `theirs`:
// clients of the same server with different field managers; `name_space` must exist and be empty.
std::vector<std::string> TellStory(kube::KubeClient& ours, kube::KubeClient& theirs,
                                   const std::string& name_space);

}  // namespace testing
