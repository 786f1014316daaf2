// The OpenAPI 3.1 document of the memory API, made of its rows. Pure.
#pragma once

#include <string>

#include "lib/base/json/json.h"

namespace api {

// `version`: of the program. Beside what OpenAPI knows: `x-sidecar` of an operation (not, forwards,
// hosts), and of an example `x-stands-for`, the row that a client that tries it puts in its place.
base::Json OpenApiDocument(const std::string& version);

}  // namespace api
