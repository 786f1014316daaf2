// Parses YAML to objects in their stored form, by the embedded schemas. Opens no file.
#pragma once

#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace controller {

// The objects of a YAML text, in `name_space` if they name none; our kinds are defaulted and
// validated by their schema. kInvalid names every fault.
base::Result<std::vector<base::Json>> ReadObjects(const std::string& yaml,
                                                  const std::string& name_space);

}  // namespace controller
