// What a person wrote in a user's turn of a transcript: clients write reminders, command output,
// opened files and notifications into it by themselves. Pure.
#pragma once

#include <string>
#include <string_view>

namespace sidecar {

// `text` without the blocks that clients write; empty if nothing else is in it. A tag inside of a
// line, or one that nothing closes, is text of the person.
std::string PersonsWords(std::string_view text);

// The client's note that the person interrupted the answer.
bool IsInterruption(std::string_view text);

}  // namespace sidecar
