// The embedded crds/*.yaml: their texts, and the schemas read from them.
#pragma once

#include <string_view>
#include <vector>

#include "lib/kube/schema/crd_schema.h"

namespace controller {

const std::vector<std::string_view>& EmbeddedCrds();  // YAML, one CustomResourceDefinition each

// The schema of one of our kinds; nullptr for any other apiVersion or kind. Lives as long as the
// process.
const kube::CrdSchema* SchemaOf(const base::Json& object);

}  // namespace controller
