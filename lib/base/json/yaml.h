// YAML read into JSON, scalars typed as kubectl types them, and JSON written as YAML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace base {

// Every document of a YAML stream (empty ones dropped). Aliases and anchors are refused, ≤ 256 KiB,
// depth ≤ 32, duplicate keys refused; kInvalid with line and column.
Result<std::vector<Json>> ParseYamlDocuments(std::string_view text);
Result<Json> ParseYaml(std::string_view text);  // exactly one document
std::string DumpYaml(const Json& value);        // block style; strings quoted where they must be

}  // namespace base
