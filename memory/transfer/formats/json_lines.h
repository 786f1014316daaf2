// Streams an import of JSON lines.
#pragma once

#include "memory/transfer/formats/peekable_body.h"
#include "memory/transfer/rows/importer.h"

namespace memory {

// Whether a body that begins so is lines: its first one is a whole object with a "kind".
bool StartsAsLines(std::string_view beginning);

// kInvalid: a line that is no object, a count that is not what was read, or no last line, which is
// an export that was cut off; kTooLarge: a line over kMaxElementBytes.
base::Status ReadLines(http::BodyReader& body, Importer& importer);

}  // namespace memory
