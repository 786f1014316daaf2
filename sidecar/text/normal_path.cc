// One walk over the steps of a path.
#include "sidecar/text/normal_path.h"

#include <algorithm>
#include <vector>

#include "lib/base/text/text.h"

namespace sidecar {
namespace {

constexpr std::string_view kRoots[] = {"bin",   "boot",  "dev",   "etc",  "home",    "lib",
                                       "lib32", "lib64", "media", "mnt",  "opt",     "private",
                                       "proc",  "root",  "run",   "sbin", "srv",     "sys",
                                       "tmp",   "usr",   "var",   "data", "Volumes", "Users"};

}  // namespace

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

std::string_view FirstStep(std::string_view path) {
  path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
  return path.substr(0, path.find('/'));
}

bool IsRootDirectory(std::string_view name) { return base::IsOneOf(name, kRoots); }

}  // namespace sidecar
