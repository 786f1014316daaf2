// Texts in parts of messages whose form is not known. Pure.
#pragma once

#include <string>

#include "lib/base/json/json.h"

namespace memory {

// Every text of the part, at any depth, a line each: strings but names, numbers, addresses and
// kinds of things (`type`, `asset_pointer`, `mime_type`, …). "": it has none.
std::string TextsIn(const base::Json& part);

}  // namespace memory
