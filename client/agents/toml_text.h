// Finds the keys of a TOML text (https://toml.io/en/v1.0.0), as far as an edit beside them needs:
// names and places, no values. Pure.
#pragma once

#include <string>
#include <vector>

#include "lib/base/result.h"

namespace client {

struct TomlKey {
  std::vector<std::string> path;          // with the header's
  size_t value_begin = 0, value_end = 0;  // bytes; equal for a header
  bool list = false;                      // [[header]]
};

// In the order of the text; keys of inline tables too. kInvalid names the line.
base::Result<std::vector<TomlKey>> KeysOf(const std::string& toml);

}  // namespace client
