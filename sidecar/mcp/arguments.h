// Checks a tool call's arguments against the tool's input schema and tells the model the
// correction. Supports only the keywords of JSON Schema that our schemas use, except for maxLength
// and maxItems: the server checks these, after redaction. Pure.
#pragma once

#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace sidecar {

// `schema`: an object schema of type, properties (type string | integer | boolean | array of
// strings, enum, minimum, maximum, minItems), required and additionalProperties: false. → the
// arguments without those that are null; kInvalid names the argument and its allowed values.
base::Result<base::Json> CheckArguments(const base::Json& schema, const base::Json& arguments);

}  // namespace sidecar
