// The OpenAPI 3.1 document of the memory API, made of its rows, and the schema of a field. Pure.
#pragma once

#include <string>

#include "lib/api/operations/operation.h"
#include "lib/base/json/json.h"

namespace api {

// The JSON Schema of a field. `given`: by a client; a number of an answer may be below 0.
base::Json SchemaOf(const Field& field, bool given);

// `version`: of the program. Beside what OpenAPI knows: `x-sidecar` of an operation (not, forwards,
// hosts), and of an example `x-stands-for`, the row that a client that tries it puts in its place.
base::Json OpenApiDocument(const std::string& version);

}  // namespace api
