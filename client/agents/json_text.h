// Edits JSON texts of people in place: comments, order, indentation, line ends and a byte order
// mark stay, and only what differs is written. nlohmann/json decides what the text says; this file
// finds where it stands. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "lib/base/result.h"

namespace client {

// Keeps the order of the user's keys.
using Settings = nlohmann::ordered_json;

// JSON with // and /* */ comments and commas after last elements, as editors accept it. An empty
// text is an empty object. kInvalid names line and column.
base::Result<Settings> ReadSettings(const std::string& text);

// `text` (which ReadSettings took for `before`) so that it says `after`. Members and elements that
// are equal in both keep their bytes.
std::string WithChanges(const std::string& text, const Settings& before, const Settings& after);

}  // namespace client
