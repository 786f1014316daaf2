// Memory files that a coding agent keeps for itself: Claude Code's folder of notes with the index
// MEMORY.md. Pure.
#pragma once

#include <string>
#include <string_view>

#include "lib/base/json/json.h"

namespace memory {

inline constexpr std::string_view kAgentIndex = "MEMORY.md";

// Whether the fields in front of a note are those of such a file.
bool IsAgentNote(const base::Json& front);
// Leaves out of its fields what says nothing about the memory (`metadata` of bookkeeping), and puts
// its type where ours is.
void TakeAgentFields(base::Json& front);
// Its heading, else the first sentence of its text; at most 120 characters.
std::string TitleOfText(std::string_view text);
inline constexpr const char* kIndexIsNoMemory =
    "it only lists links to other files: an index is no memory";
// Whether a text is nothing but headings and list items that begin with a link to a note: an index.
bool IsIndex(std::string_view text);

}  // namespace memory
