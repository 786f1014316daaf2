// Texts of rows that come from a file. Pure.
#pragma once

#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace memory {

// A file can hold what JSON from the wire cannot: kInvalid, a text that is no UTF-8 or has a NUL.
base::Status CheckTexts(const base::Json& json);

}  // namespace memory
