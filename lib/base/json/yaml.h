// Parses YAML into JSON, with the types of scalars that kubectl uses, and formats JSON as YAML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace base {

// Parses the documents of a YAML stream, without empty ones. kTooLarge: over 256 KiB; kInvalid,
// with line and column: malformed, deeper than 32, or with anchors, aliases or duplicate keys.
Result<std::vector<Json>> ParseYamlDocuments(std::string_view text);
Result<Json> ParseYaml(std::string_view text);  // exactly one document
std::string DumpYaml(const Json& value);        // block style; strings quoted where they must be

}  // namespace base
