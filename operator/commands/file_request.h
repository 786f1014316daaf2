// The request of `render` and `explain`: files, and the operator's settings that matter for them.
// Reads files; talks to no cluster.
#pragma once

#include <string>
#include <vector>

#include "operator/plan/settings.h"

namespace controller {

struct FileRequest {
  std::vector<std::string> files;
  std::string directory, name_space = "default";
  Settings settings;  // with the chart's policy for foreign pods
  bool help = false;
};

// kInvalid: a wrong call of `command`, which is "render" or "explain".
base::Result<FileRequest> ReadArguments(const std::vector<std::string>& arguments,
                                        const std::string& command);
// The objects of all files, in their order; "-" is standard input.
base::Result<std::vector<base::Json>> ReadFiles(const FileRequest& request);

}  // namespace controller
