// Writes a task state as the section of a prompt. Everything that others wrote is one inert line:
// no file name, task or step can begin a section, end the line or add a file to a list. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lib/conversation/task/task_state.h"

namespace conversation {

inline constexpr size_t kTaskTextCharacters = 6'000;  // unless told otherwise

// [TASK CONTEXT], [PLAN], [BUDGET] from 80 % of the window on, and [CONTEXT BLOCKS] with
// `catalogue`, a line a block, the oldest first (inert: this adds line ends and escapes what begins
// a heading), behind a line that says how a model recalls a block. Sections without
// contents are left out; nothing at all is the empty text. At most `max_characters` Unicode
// characters: what is over is trimmed before anything is written, in this order: last actions to 3,
// files to 5 of each kind, the oldest blocks of the catalogue, finished steps, further steps and
// longer words; in the end the text is cut.
std::string TaskText(const TaskState& state, const std::vector<std::string>& catalogue,
                     size_t max_characters = kTaskTextCharacters);

// A name or a sentence of others inside the section: base::Inert, and a bracket that begins a
// heading of a section is escaped too.
std::string InertInTask(std::string_view text);

}  // namespace conversation
