// YAML to objects as the API server would store them, by the schemas in the program. Opens no file.
#pragma once

#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace controller {

// The objects of YAML text: namespaced where they have none, those of our kinds defaulted and
// checked by their schema. kInvalid names every fault.
base::Result<std::vector<base::Json>> ReadObjects(const std::string& yaml,
                                                  const std::string& name_space);

}  // namespace controller
