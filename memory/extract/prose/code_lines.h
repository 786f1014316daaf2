// Which lines of a message are no prose: code, output, quotes, headings, tables. Pure.
#pragma once

#include <string_view>

namespace memory {

// "```" or "~~~" at the beginning of a trimmed line, which opens or closes a block; else empty.
std::string_view FenceOf(std::string_view line);

// A trimmed line that somebody else wrote or that is no sentence: "> quote", "# heading",
// "| table |", an injected memory's line, a diff's, a log's, a stack trace's.
bool IsPasted(std::string_view line);

// A line with more signs than prose has, or indented like code; `code in backticks` does not count.
bool IsCode(std::string_view line);

}  // namespace memory
