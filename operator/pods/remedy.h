// What a person can set after a refusal of admission, the scheduler or the kubelet, by the words
// that Kubernetes uses. Pure.
#pragma once

#include <string>
#include <string_view>

namespace controller {

// What to set after a refusal in these words of the API server, scheduler or kubelet: "; to mend
// it: …", to be appended. Empty: the words are of no known kind.
std::string RemedyFor(std::string_view words);

}  // namespace controller
