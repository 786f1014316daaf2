// Makes a row of another program's export fit: a field that cannot be read becomes a line "name:
// value" of the text, so that an optional field never refuses a text. Pure.
#pragma once

#include <string>
#include <vector>

#include "lib/base/json/json.h"

namespace memory {

// `problems` gets a sentence for each field that was moved or changed. A row without any text stays
// without it.
base::Json SoftenedRow(base::Json row, std::vector<std::string>& problems);

// The parts of a text over the limit of a content, in order, cut where a paragraph, a line or a
// word ends; one: it fits.
std::vector<std::string> PartsOfText(const std::string& text);

}  // namespace memory
