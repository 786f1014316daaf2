// One walk over the steps of a path.
#include "sidecar/text/normal_path.h"

#include <vector>

#include "lib/base/text/text.h"

namespace sidecar {

std::string NormalPath(std::string_view path, std::string_view directory) {
  std::string whole =
      path.starts_with("/") ? std::string(path) : std::string(directory) + "/" + std::string(path);
  std::vector<std::string> steps;
  for (const std::string& step : base::Split(whole, '/')) {
    if (step.empty() || step == ".") continue;
    if (step != "..") {
      steps.push_back(step);
    } else if (!steps.empty()) {
      steps.pop_back();
    }
  }
  return "/" + base::Join(steps, "/");
}

}  // namespace sidecar
