// Recognizes lines that are no prose: code, output, quotes, headings, tables. Pure.
#pragma once

#include <string_view>

namespace memory {

// "```" or "~~~" at the beginning of a trimmed line, which opens or closes a block; else empty.
std::string_view FenceOf(std::string_view line);

// Whether a trimmed line is pasted or no sentence: "> quote", "# heading", "| table |", a line of
// an injected memory, a diff, a log or a stack trace.
bool IsPasted(std::string_view line);

// Whether the line has more signs than prose, or an indentation like code; `code in backticks` does
// not count.
bool IsCode(std::string_view line);

}  // namespace memory
