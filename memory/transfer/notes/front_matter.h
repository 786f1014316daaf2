// The fields in front of a note as people write them: YAML where it is YAML, else text. Pure.
#pragma once

#include <string>
#include <string_view>

#include "lib/base/json/json.h"

namespace memory {

// `yaml`: the lines between the marks. Each field is read by itself: one that is no YAML has its
// line as its value, and a field that should be a text (title: No) has it as it was written. Lines
// that belong to no field go to `rest`.
base::Json FieldsOfFront(std::string_view yaml, std::string& rest);

}  // namespace memory
