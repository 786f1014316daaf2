// Writes a task state as the section of a prompt. Untrusted text becomes one inert line: no file
// name, task or step can begin a section, end the line or add a file to a list. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lib/conversation/task/task_state.h"

namespace conversation {

inline constexpr size_t kTaskTextCharacters = 6'000;  // the default

// The sections [TASK CONTEXT], [PLAN], [BUDGET] from 80 % of the window on, and [CONTEXT BLOCKS]
// with a line on how a model recalls a block and `catalogue`: inert lines, one per block, the
// oldest first (this adds line ends and escapes headings). Leaves out empty sections, the first
// one only if all are empty. At most `max_characters` Unicode characters. Trims before writing, in
// this order: last actions to 3, files to 5 of each kind, the oldest blocks of the catalogue,
// finished steps, further steps and longer texts; at last cuts the result.
std::string TaskText(const TaskState& state, const std::vector<std::string>& catalogue,
                     size_t max_characters = kTaskTextCharacters);

// Makes an untrusted name or sentence inert for the section: base::Inert, and a bracket that begins
// a heading is escaped, too.
std::string InertInTask(std::string_view text);

}  // namespace conversation
